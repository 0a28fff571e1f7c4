/** Words and pairs of words that stand in what was rated irrelevant and hardly ever in what is wanted. */
import { isTelling, termsOf } from './terms.ts';

export interface Exclusion {
  /** One word, or two that follow each other; hashtags and mentions with their sign. */
  readonly term: string;
  /** Irrelevant and wanted texts that it takes away beside the exclusions before it. */
  readonly irrelevant: number;
  readonly wanted: number;
}

/** An exclusion must have been seen this often in what is irrelevant: less is chance. */
const MIN_SEEN = 3;
/** Of a term's texts at most this share may be wanted. */
const MAX_WANTED_SHARE = 0.05;
/** All exclusions together may take this share of what is wanted, with what is not seen yet counted in. */
export const MAX_LOSS = 0.005;
/** What a term that was never seen in a wanted text is expected to take all the same, in texts. */
const UNSEEN = 0.1;

/** The best first, each counted after those before it. */
export function chooseExclusions(
  irrelevant: readonly string[],
  wanted: readonly string[],
  allowed = MAX_LOSS,
): Exclusion[] {
  const choosing = exclusionSteps(irrelevant, wanted, allowed);
  for (;;) {
    const step = choosing.next();
    if (step.done === true) return step.value;
  }
}

/** The same; yields steps of work, so that the caller can pause. */
export function* exclusionSteps(
  irrelevant: readonly string[],
  wanted: readonly string[],
  allowed: number,
): Generator<number, Exclusion[]> {
  let noise = yield* termsOfAll(irrelevant);
  let kept = yield* termsOfAll(wanted);
  const inWanted = new Map<string, number>();
  const inNoise = new Map<string, number>();
  for (const terms of kept) yield addTerms(inWanted, terms, 1);
  for (const terms of noise) yield addTerms(inNoise, terms, 1);
  const chosen: Exclusion[] = [];
  let loss = 0;
  for (;;) {
    yield inNoise.size;
    const best = bestTerm(inNoise, inWanted);
    if (best === undefined) return chosen;
    const lost = kept.filter((terms) => terms.has(best)).length;
    loss += (lost + UNSEEN) / Math.max(1, wanted.length);
    if (loss > allowed) return chosen;
    const removed = noise.filter((terms) => terms.has(best));
    chosen.push({ term: best, irrelevant: removed.length, wanted: lost });
    for (const terms of removed) yield addTerms(inNoise, terms, -1);
    noise = noise.filter((terms) => !terms.has(best));
    kept = kept.filter((terms) => !terms.has(best));
  }
}

function* termsOfAll(texts: readonly string[]): Generator<number, ReadonlySet<string>[]> {
  const all: ReadonlySet<string>[] = [];
  for (const text of texts) {
    const terms = termsOf(text);
    all.push(terms);
    yield 4 * terms.size;
  }
  return all;
}

function addTerms(counts: Map<string, number>, terms: ReadonlySet<string>, by: 1 | -1): number {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + by);
  return terms.size;
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

function bestTerm(inNoise: ReadonlyMap<string, number>, inWanted: ReadonlyMap<string, number>): string | undefined {
  let best: { term: string; worth: number } | undefined;
  for (const [term, seen] of inNoise) {
    const wanted = inWanted.get(term) ?? 0;
    if (seen < MIN_SEEN || wanted > seen * MAX_WANTED_SHARE || !isTelling(term)) continue;
    const worth = seen / (wanted + 0.5);
    // The shorter of two that do the same, then the first by letters: the answer does not depend on the order of texts.
    const isBetter =
      best === undefined ||
      worth > best.worth ||
      (worth === best.worth && (term.length - best.term.length || (term < best.term ? -1 : 1)) < 0);
    if (isBetter) best = { term, worth };
  }
  return best?.term;
}
