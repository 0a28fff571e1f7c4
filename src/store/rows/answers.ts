/** How long a repeated request gets the first answer. */
export const ANSWERS_KEPT = 24 * 60 * 60 * 1000;
