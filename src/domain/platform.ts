/** The two places that events come from. Each has a rule language of the same name. */
export const PLATFORMS = ['x', 'firehose'] as const;
export type Platform = (typeof PLATFORMS)[number];

export const isPlatform = (name: string): name is Platform => (PLATFORMS as readonly string[]).includes(name);

/** The levels of X's accounts. They set how long rules may be, and whether `embedding:` is there. */
export const X_LEVELS = ['payg', 'enterprise', 'enterprise+embedding'] as const;
export type XLevel = (typeof X_LEVELS)[number];
export const DEFAULT_X_LEVEL: XLevel = 'payg';
