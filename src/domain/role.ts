/** What a process does among others: answers requests, reads streams and sources, matches, delivers. */
export const ROLES = ['api', 'connector', 'matcher', 'delivery'] as const;
export type Role = (typeof ROLES)[number];
