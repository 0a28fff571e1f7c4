/** The terms of texts that are worth a look: they stand in several of the wanted or of the unwanted ones. */
import { isTelling, termsOf } from './terms.ts';
import { IS_UNSPACED } from './words.ts';

/** Terms that are tried; more would cost time and are rare. */
const MAX_TERMS = 800;
/** With fewer examples, a term of only one of them counts too. */
const FEW = 10;

/** A tag is rarely chance. */
const isTag = (term: string): boolean => /^#[^ ]+$/.test(term);

/** The best come first. `checkpoint` throws to end the work. */
export function tellingTerms(
  wanted: readonly string[],
  unwanted: readonly string[],
  checkpoint: () => void = () => {},
): string[] {
  const counts = new Map<string, { wanted: number; unwanted: number }>();
  for (const [kind, texts] of [
    ['wanted', wanted],
    ['unwanted', unwanted],
  ] as const) {
    for (const text of texts) {
      const terms = termsOf(text);
      checkpoint();
      for (const term of terms) {
        const seen = counts.get(term) ?? { wanted: 0, unwanted: 0 };
        seen[kind]++;
        counts.set(term, seen);
      }
    }
  }
  const best = [...counts]
    .filter(
      ([term, seen]) =>
        (Math.max(seen.wanted, seen.unwanted) > 1 || wanted.length < FEW || isTag(term)) && isTelling(term),
    )
    .map(([term, seen]) => ({ term, value: worthOf(seen, wanted.length, unwanted.length) }))
    .toSorted(
      (one, other) =>
        other.value - one.value || one.term.length - other.term.length || (one.term < other.term ? -1 : 1),
    )
    .slice(0, MAX_TERMS)
    .map(({ term }) => term);
  return best.filter((term) => !isPartOfAnother(term, best, counts));
}

/** A part of an unspaced word is found in many others. When two stand in the same texts, the longer one is meant. */
const isPartOfAnother = (term: string, terms: readonly string[], counts: ReadonlyMap<string, Seen>): boolean =>
  IS_UNSPACED.test(term) &&
  terms.some((other) => other !== term && other.includes(term) && isSame(counts.get(other)!, counts.get(term)!));

interface Seen {
  readonly wanted: number;
  readonly unwanted: number;
}

const isSame = (one: Seen, other: Seen): boolean => one.wanted === other.wanted && one.unwanted === other.unwanted;

/** How much more of one kind of text has it than of the other, and how many have it at all. */
const worthOf = (seen: Seen, wanted: number, unwanted: number): number => {
  const [one, other] = [seen.wanted / Math.max(1, wanted), seen.unwanted / Math.max(1, unwanted)];
  return Math.abs(one - other) + Math.max(one, other);
};
