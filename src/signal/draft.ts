/**
 * The shortest rule that parts wanted texts from unwanted ones: some terms of which one must be there, and some that must
 * not. Terms are added one by one, each time the one that parts better than all others, and only if it does so enough.
 */

/** Something a rule can ask for, and the texts that have it, by their numbers. */
export interface DraftPart {
  /** Its parts: all of them must be there. */
  readonly terms: readonly string[];
  readonly wanted: readonly number[];
  readonly unwanted: readonly number[];
}

export interface Draft {
  /** One of them must hold. */
  readonly any: readonly DraftPart[];
  /** None of these may hold. */
  readonly none: readonly DraftPart[];
}

export interface DraftPlan {
  /** Parts of the rule, wanted and excluded ones together. */
  readonly parts: number;
  /** How much better a part must make it. */
  readonly worth: number;
  /** The weight of an unwanted text. */
  readonly noise: number;
  readonly excludes: boolean;
}

export const USUAL_PLAN: DraftPlan = { parts: 40, worth: 0.0015, noise: 1, excludes: true };

export interface ExampleCounts {
  readonly wanted: number;
  readonly unwanted: number;
}

/** `checkpoint` is called for each candidate, and throws to end the work. */
export function draftOf(
  candidates: readonly DraftPart[],
  texts: ExampleCounts,
  plan: DraftPlan = USUAL_PLAN,
  checkpoint: () => void = () => {},
): Draft {
  const state: State = { wanted: new Uint8Array(texts.wanted), unwanted: new Uint8Array(texts.unwanted) };
  const any: DraftPart[] = [];
  const none: DraftPart[] = [];
  while (any.length < plan.parts) {
    const best = bestAddition(candidates, state, plan, any, checkpoint);
    if (best === undefined) break;
    any.push(best);
    for (const index of best.wanted) state.wanted[index] = 1;
    for (const index of best.unwanted) state.unwanted[index] = 1;
  }
  while (plan.excludes && any.length > 0 && any.length + none.length < plan.parts) {
    const best = bestExclusion(candidates, state, plan, checkpoint);
    if (best === undefined) break;
    none.push(best);
    for (const index of best.wanted) state.wanted[index] = 0;
    for (const index of best.unwanted) state.unwanted[index] = 0;
  }
  return { any, none };
}

/** Which texts the draft matches so far. */
interface State {
  readonly wanted: Uint8Array;
  readonly unwanted: Uint8Array;
}

const countOf = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0);

/** F1: 1 when all wanted texts match and no unwanted one does. */
export const partingOf = (matched: number, wanted: number, noise: number): number =>
  matched <= 0 ? 0 : (2 * matched) / (matched + wanted + noise);

function bestAddition(
  candidates: readonly DraftPart[],
  state: State,
  { worth, noise: weight }: DraftPlan,
  chosen: readonly DraftPart[],
  checkpoint: () => void,
): DraftPart | undefined {
  const [matched, noise, all] = [countOf(state.wanted), countOf(state.unwanted), state.wanted.length];
  const before = partingOf(matched, all, weight * noise);
  let best: DraftPart | undefined;
  let bestValue = 0;
  for (const candidate of candidates) {
    checkpoint();
    const more = countWhere(candidate.wanted, state.wanted, 0);
    if (more < (isVariant(candidate, chosen) ? 1 : fewest(all))) continue;
    const noisier = noise + countWhere(candidate.unwanted, state.unwanted, 0);
    const value = partingOf(matched + more, all, weight * noisier) - (candidate.terms.length - 1) * worth;
    if (value < before + (isVariant(candidate, chosen) ? 0 : worth)) continue;
    if (value < bestValue || (value === bestValue && !isShorter(candidate, best))) continue;
    best = candidate;
    bestValue = value;
  }
  return best;
}

/** A variant must have this many characters of what it varies. */
const MIN_VARIED = 4;

/** `singaporehaze` beside `haze`: as telling as what was chosen, however rare it is. */
function isVariant({ terms, unwanted }: DraftPart, chosen: readonly DraftPart[]): boolean {
  const [term] = terms;
  if (terms.length > 1 || unwanted.length > 0 || term!.includes(' ')) return false;
  return chosen.some(
    (one) => one.terms.length === 1 && one.terms[0]!.length >= MIN_VARIED && term!.includes(one.terms[0]!),
  );
}

/** A term in no wanted text that is known is in some that are not. */
const UNSEEN = 0.5;
/** An exclusion that takes away fewer unwanted texts is chance. */
const MIN_EXCLUDED = 3;

function bestExclusion(
  candidates: readonly DraftPart[],
  state: State,
  { worth, noise: weight }: DraftPlan,
  checkpoint: () => void,
): DraftPart | undefined {
  const [matched, noise, all] = [countOf(state.wanted), countOf(state.unwanted), state.wanted.length];
  let best: DraftPart | undefined;
  let bestValue = partingOf(matched, all, weight * noise) + worth / 2;
  for (const candidate of candidates) {
    if (candidate.terms.length > 1) continue;
    checkpoint();
    const fewer = countWhere(candidate.unwanted, state.unwanted, 1);
    if (fewer < MIN_EXCLUDED) continue;
    const lost = countWhere(candidate.wanted, state.wanted, 1) + UNSEEN;
    const value = partingOf(matched - lost, all, weight * (noise - fewer));
    if (value < bestValue || (value === bestValue && !isShorter(candidate, best))) continue;
    best = candidate;
    bestValue = value;
  }
  return best;
}

/** A term that a single text has says little of others. */
const fewest = (texts: number): number => (texts < 10 ? 1 : 2);

const lengthOf = ({ terms }: DraftPart): number => terms.reduce((sum, term) => sum + term.length, 0);

/** The answer does not depend on the order of texts. */
const isShorter = (one: DraftPart, other: DraftPart | undefined): boolean =>
  other === undefined ||
  lengthOf(one) < lengthOf(other) ||
  (lengthOf(one) === lengthOf(other) && one.terms.join(' ') < other.terms.join(' '));

function countWhere(indexes: readonly number[], flags: Uint8Array, flag: number): number {
  let count = 0;
  for (const index of indexes) if (flags[index] === flag) count++;
  return count;
}

/** Words that are looked at in pairs: the ones that alone part best. */
const PAIRED = 24;

/** Two terms that need not follow each other. */
export function pairsOf(
  single: readonly DraftPart[],
  texts: ExampleCounts,
  checkpoint: () => void = () => {},
): DraftPart[] {
  const best = single
    .map((candidate) => ({
      candidate,
      value: partingOf(candidate.wanted.length, texts.wanted, candidate.unwanted.length),
    }))
    .toSorted((one, other) => other.value - one.value || (isShorter(one.candidate, other.candidate) ? -1 : 1))
    .slice(0, PAIRED)
    .map(({ candidate }) => candidate);
  const pairs: DraftPart[] = [];
  for (const [at, one] of best.entries()) {
    const [ofWanted, ofUnwanted] = [new Set(one.wanted), new Set(one.unwanted)];
    for (const other of best.slice(at + 1)) {
      checkpoint();
      const wanted = other.wanted.filter((index) => ofWanted.has(index));
      if (wanted.length < fewest(texts.wanted)) continue;
      const terms = [...one.terms, ...other.terms].toSorted();
      pairs.push({ terms, wanted, unwanted: other.unwanted.filter((index) => ofUnwanted.has(index)) });
    }
  }
  return pairs;
}
