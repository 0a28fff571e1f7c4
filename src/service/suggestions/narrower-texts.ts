/**
 * Narrower forms of a rule, by its rated matches: words that keep noise out, and words that must be there. One is offered only
 * if hardly anything that may be wanted goes with the noise; what is in question is asked for instead.
 */
import type { StoredMatch } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Language } from '../../rules/language.ts';
import { all } from '../../rules/query.ts';
import { queryOf, type RuleText } from '../../rules/rule-text.ts';
import { draftOf, USUAL_PLAN } from '../../signal/draft.ts';
import { allowedLoss, exclusionsFrom, UNSEEN } from '../../signal/exclusions.ts';
import { type Likeness, likenessOf } from '../../signal/likeness.ts';
import { shownText } from '../../signal/shown-text.ts';
import { namedIn } from '../rules/intent-lint.ts';
import { type ChangedText, excluding, requiring } from './changed-texts.ts';
import { termCandidates } from './draft-from-examples.ts';
import type { RatedMatches } from './rated-matches.ts';
import { effectsOf, type Measured } from './suggestion-effects.ts';

/** Exclusions that are offered one by one, beside all of them together. */
const MAX_SINGLE = 4;
/** A word that must be there takes more ratings of both kinds than one that may not. */
const MIN_FOR_NARROW = 5;
const NARROW_PLAN = { ...USUAL_PLAN, parts: 6, worth: 0.01, excludes: false };

export interface NarrowWork {
  readonly platform: Platform;
  readonly language: Language;
  readonly held: RuleText;
  readonly intent: string;
  readonly now: number;
  readonly checkpoint: () => void;
}

export interface NarrowedRule {
  /** The one that keeps out most noise first. */
  readonly found: readonly (ChangedText & Measured)[];
  /** Matches without a rating that would decide whether more can be kept out. */
  readonly asked: readonly StoredMatch[];
}

export function narrowerTexts(work: NarrowWork, rated: RatedMatches): NarrowedRule {
  const current = queryOf(work.language, work.held);
  if (current === undefined || rated.irrelevant.length === 0) return { found: [], asked: [] };
  const unrated = rated.recent.filter(({ rating }) => rating === undefined);
  const texts = {
    irrelevant: rated.irrelevant.map(textOf),
    relevant: rated.relevant.map(textOf),
    unrated: unrated.map(textOf),
  };
  const likeness = likenessOf(texts, work.checkpoint);
  const { terms, asked } = exclusionsFrom(texts, likeness, namedIn(current, work.intent), work.checkpoint);
  const tried = [...exclusions(work, terms), required(work, rated)].filter((one) => one !== undefined);
  const changed = tried.map(({ value, terms: { length } }) => ({
    query: queryOf(work.language, { ...work.held, value })!,
    chosen: Math.max(1, length),
  }));
  const measured = effectsOf(work, current, changed, rated);
  const numbers = new Map(unrated.map(({ id }, at) => [id, at]));
  const found = tried
    .flatMap(({ terms: own, ...text }, at) =>
      isSafe(measured[at]!, own, likeness, numbers) ? [{ ...text, ...measured[at]! }] : [],
    )
    .filter(({ effect }) => effect.irrelevant_removed > 0)
    .toSorted((one, other) => other.effect.irrelevant_removed - one.effect.irrelevant_removed);
  return { found, asked: asked.map((at) => unrated[at]!) };
}

const textOf = ({ platform, payload }: StoredMatch): string => shownText(platform, payload);

/**
 * A text is safe when few matches go that may be wanted: rated relevant, or without a rating and unlike what was rated
 * irrelevant.
 */
function isSafe(
  { effect, unrated }: Measured,
  own: readonly string[],
  likeness: Likeness,
  numbers: ReadonlyMap<string, number>,
): boolean {
  const { relevant_lost, relevant_total, unrated_total } = effect;
  const unlike = unrated.filter(({ id }) => !likeness.isAlike(numbers.get(id)!, own)).length;
  return relevant_lost + unlike + UNSEEN <= allowedLoss(relevant_total) * (relevant_total + unrated_total);
}

interface TriedText extends ChangedText {
  /** The terms by which it takes matches away. */
  readonly terms: readonly string[];
}

function exclusions({ language, held }: NarrowWork, terms: readonly string[]): (TriedText | undefined)[] {
  const without = (some: readonly string[]): TriedText | undefined => {
    const text = excluding(language, held.value, some);
    return text && { ...text, terms: some };
  };
  const single = terms.slice(0, MAX_SINGLE).map((term) => without([term]));
  return terms.length > 1 ? [without(terms), ...single] : single;
}

function required(work: NarrowWork, { relevant, irrelevant }: RatedMatches): TriedText | undefined {
  if (Math.min(relevant.length, irrelevant.length) < MIN_FOR_NARROW) return undefined;
  const payloads = (matches: readonly StoredMatch[]) => matches.map(({ payload }) => payload);
  const examples = { wanted: payloads(relevant), unwanted: payloads(irrelevant) };
  const { candidates, queries } = termCandidates(work, examples);
  const counts = { wanted: relevant.length, unwanted: irrelevant.length };
  const { any } = draftOf(candidates, counts, NARROW_PLAN, work.checkpoint);
  const parts = any.map(({ terms }) => all(terms.map((term) => queries.get(term)!)));
  const text = parts.length === 0 ? undefined : requiring(work.language, work.held.value, parts);
  return text && { ...text, terms: [] };
}
