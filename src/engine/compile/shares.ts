/**
 * The share of events that hold a term. It decides by which of its words a rule is found, so a wrong one costs a little speed
 * and nothing else.
 */

/** The weight of the guess made before anything was seen, in events. */
const GUESS_WEIGHT = 16;

/** The share by what was seen and, as long as that is little, by `guess`. */
export const shareOf = (seen: number, events: number, guess: number): number =>
  Math.min(1, (seen + guess * GUESS_WEIGHT) / (events + GUESS_WEIGHT));

/** Short words are common ones, until something better is known. */
export const guessShare = (length: number): number => 0.2 / (length * length + 1);
