/** The levels of X's accounts. They set how long rules may be, and whether `embedding:` is there. */
export const X_LEVELS = ['payg', 'enterprise', 'enterprise+embedding'] as const;
export type XLevel = (typeof X_LEVELS)[number];
export const DEFAULT_X_LEVEL: XLevel = 'payg';
