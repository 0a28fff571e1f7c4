/** Ratings that people give to a match. */

export const RATINGS = ['relevant', 'irrelevant'] as const;
export type Rating = (typeof RATINGS)[number];
