/** The work of a process among others: answering requests, reading streams and sources, matching, delivering. */
export const ROLES = ['api', 'connector', 'matcher', 'delivery'] as const;
export type Role = (typeof ROLES)[number];
