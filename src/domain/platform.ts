/** The two places that events come from. Each has a rule language of the same name. */
export const PLATFORMS = ['x', 'firehose'] as const;
export type Platform = (typeof PLATFORMS)[number];

export const isPlatform = (name: string): name is Platform => (PLATFORMS as readonly string[]).includes(name);
