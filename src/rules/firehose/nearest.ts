/** Finds the nearest candidate, for "Did you mean …?". */
import { compileFuzzy } from '../pattern/fuzzy.ts';

/** The candidate with the fewest edits, at most two, ignoring case. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = word.toLowerCase();
  const within = [0, 1, 2].map((edits) => compileFuzzy(plain, edits));
  let best: string | undefined;
  let fewest = within.length;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    while (fewest > 0 && within[fewest - 1]!(other, 0, other.length)) {
      fewest--;
      best = candidate;
    }
  }
  return best;
}
