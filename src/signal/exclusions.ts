/**
 * Words and pairs of words that stand in what was rated irrelevant and not in what may be wanted. A match that nobody has
 * rated counts as wanted, unless it looks like what was rated irrelevant.
 */
import { type Likeness, MIN_RELEVANT, type RatedTexts } from './likeness.ts';
import { isTelling, termsOf } from './terms.ts';

export interface Exclusions {
  /** One word, or two that follow each other; hashtags and mentions with their sign. The best first. */
  readonly terms: readonly string[];
  /** Numbers of unrated texts whose ratings would decide whether more can be excluded. */
  readonly asked: readonly number[];
}

/** An exclusion must have been seen this often in what is irrelevant: less is chance. */
const MIN_SEEN = 3;
/** Beside the exclusions before it, it must take this many. */
const MIN_MORE = 2;
const MAX_TERMS = 8;
const MAX_ASKED = 3;
/** The wanted texts that a change is expected to take although none was seen. */
export const UNSEEN = 0.1;

/**
 * The share of what may be wanted that a change may take. Less is allowed before anything is rated relevant: nothing shows
 * then whether what goes is wanted.
 */
export const allowedLoss = (relevant: number): number => (relevant < MIN_RELEVANT ? 0.003 : 0.004);

/** The texts that have a term, and those among them that may be wanted. */
interface Candidate {
  readonly term: string;
  readonly irrelevant: readonly number[];
  /** Relevant texts that have it. */
  readonly relevant: number;
  /** Unrated texts that have it and do not look irrelevant. */
  readonly unlike: readonly number[];
}

const takenBy = ({ relevant, unlike }: Candidate): number => relevant + unlike.length;

/** `isNamed`: what the rule or its intent asks for is never excluded. `checkpoint` throws to end the work. */
export function exclusionsFrom(
  texts: RatedTexts,
  likeness: Likeness,
  isNamed: (term: string) => boolean,
  checkpoint: () => void = () => {},
): Exclusions {
  const { relevant, unrated } = texts;
  const candidates = candidatesOf(texts, likeness, isNamed, checkpoint).toSorted(byWorth);
  const wanted = relevant.length + unrated.length;
  const isGone = new Set<number>();
  const terms: string[] = [];
  const refused: Candidate[] = [];
  let loss = 0;
  for (const candidate of candidates) {
    checkpoint();
    const more = candidate.irrelevant.filter((at) => !isGone.has(at));
    if (more.length < MIN_MORE || terms.length === MAX_TERMS) continue;
    const after = loss + takenBy(candidate) + UNSEEN;
    if (after > allowedLoss(relevant.length) * wanted) {
      refused.push(candidate);
      continue;
    }
    loss = after;
    terms.push(candidate.term);
    for (const at of more) isGone.add(at);
  }
  return { terms, asked: askedOf(refused, texts) };
}

/** Much noise for little that may be wanted. The answer does not depend on the order of texts. */
function byWorth(one: Candidate, other: Candidate): number {
  const [worth, others] = [one, other].map((each) => each.irrelevant.length / (takenBy(each) + 1)) as [number, number];
  return (
    others - worth ||
    other.irrelevant.length - one.irrelevant.length ||
    one.term.length - other.term.length ||
    (one.term < other.term ? -1 : 1)
  );
}

function candidatesOf(
  { irrelevant, relevant, unrated }: RatedTexts,
  likeness: Likeness,
  isNamed: (term: string) => boolean,
  checkpoint: () => void,
): Candidate[] {
  const inNoise = placesOf(irrelevant, () => true, checkpoint);
  for (const [term, places] of inNoise) if (places.length < MIN_SEEN || !isTelling(term)) inNoise.delete(term);
  const isTried = (term: string): boolean => inNoise.has(term);
  const inRelevant = placesOf(relevant, isTried, checkpoint);
  const inUnrated = placesOf(unrated, isTried, checkpoint);
  const candidates: Candidate[] = [];
  for (const [term, places] of inNoise) {
    const removed = inUnrated.get(term) ?? [];
    checkpoint();
    if (isNamed(term)) continue;
    const unlike = removed.filter((at) => !likeness.isAlike(at, [term]));
    candidates.push({ term, irrelevant: places, relevant: inRelevant.get(term)?.length ?? 0, unlike });
  }
  return candidates;
}

/** The numbers of the texts that have each term. */
function placesOf(
  texts: readonly string[],
  isTried: (term: string) => boolean,
  checkpoint: () => void,
): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, text] of texts.entries()) {
    const terms = termsOf(text);
    checkpoint();
    for (const term of terms) {
      if (!isTried(term)) continue;
      const known = places.get(term);
      if (known === undefined) places.set(term, [at]);
      else known.push(at);
    }
  }
  return places;
}

/**
 * Asks for one match of each term that was refused because of unrated matches, the most noise first. As long as hardly
 * anything is rated relevant, it asks for the newest ones too: what is wanted must be known first.
 */
function askedOf(refused: readonly Candidate[], { irrelevant, relevant, unrated }: RatedTexts): number[] {
  const asked = new Set<number>();
  for (const { relevant: known, unlike } of refused) {
    const next = known === 0 ? unlike.find((at) => !asked.has(at)) : undefined;
    if (next !== undefined && asked.size < MAX_ASKED) asked.add(next);
  }
  if (relevant.length < MIN_RELEVANT && irrelevant.length > 0)
    for (let at = 0; at < unrated.length && asked.size < MAX_ASKED; at++) asked.add(at);
  return [...asked];
}

/** The upper end of the 95 % interval of a share of which `seen` of `all` were found (Wilson's interval). */
export function upperShare(seen: number, all: number): number {
  if (all === 0) return 1;
  const z = 1.96;
  const share = seen / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return Math.min(1, (middle + spread) / (1 + (z * z) / all));
}
