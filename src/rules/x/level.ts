/** What X lets an account do: how long its rules may be, and whether it has `embedding:`. */
export const X_LEVELS = ['payg', 'enterprise', 'enterprise+embedding'] as const;
export type XLevel = (typeof X_LEVELS)[number];
export const DEFAULT_X_LEVEL: XLevel = 'payg';
