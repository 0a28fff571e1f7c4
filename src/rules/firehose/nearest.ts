/** Finds the nearest candidate, for "Did you mean …?". */
import { compileFuzzy } from '../pattern/fuzzy.ts';

const MOST_EDITS = 2;

/** The candidate with the fewest edits, at most two, ignoring case. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = word.toLowerCase();
  const within: ReturnType<typeof compileFuzzy>[] = [];
  let best: string | undefined;
  let fewest = MOST_EDITS + 1;
  for (const candidate of candidates) {
    // An edit changes the length by one character, so by two units at most.
    if (Math.abs(candidate.length - word.length) > 2 * MOST_EDITS) continue;
    const other = candidate.toLowerCase();
    while (fewest > 0 && isWithin(fewest - 1, other)) {
      fewest--;
      best = candidate;
    }
  }
  return best;

  function isWithin(edits: number, other: string): boolean {
    within[edits] ??= compileFuzzy(plain, edits);
    return within[edits](other, 0, other.length);
  }
}
