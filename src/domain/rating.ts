/** What people say of a match, and the changes of a rule that follow from it. */

export const RATINGS = ['relevant', 'irrelevant'] as const;
export type Rating = (typeof RATINGS)[number];

/** `exclude`: a word that keeps noise out. `narrow`: a word that must be there. `widen`: more than before matches. */
export const SUGGESTION_KINDS = ['exclude', 'narrow', 'widen'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];
