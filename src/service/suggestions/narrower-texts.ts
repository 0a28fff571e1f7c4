/** Narrower forms of a rule, by its rated matches: words that keep noise out, and words that must be there. */
import { inSlices } from '../../base/cooperate.ts';
import type { Match } from '../../domain/match.ts';
import type { Language } from '../../rules/language.ts';
import { all } from '../../rules/query.ts';
import { draftOf, USUAL_PLAN } from '../../signal/draft.ts';
import { exclusionSteps, MAX_LOSS } from '../../signal/exclusions.ts';
import { shownText } from '../../signal/shown-text.ts';
import { type ChangedText, excluding, requiring } from './changed-texts.ts';
import { termCandidates } from './draft-from-examples.ts';
import type { RatedMatches } from './rated-matches.ts';

/** Exclusions that are offered one by one, beside all of them together. */
const MAX_SINGLE = 4;
const MAX_EXCLUSIONS = 12;
/** A word that must be there takes more ratings of both kinds than one that may not. */
const MIN_FOR_NARROW = 5;
const NARROW_PLAN = { ...USUAL_PLAN, parts: 6, worth: 0.01, excludes: false };

/** Steps of choosing between two pauses: a few milliseconds. */
const STEPS_AT_ONCE = 50_000;

interface Work {
  readonly language: Language;
  readonly value: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

export async function narrowerTexts(work: Work, rated: RatedMatches): Promise<ChangedText[]> {
  const texts = [...(await exclusions(work, rated)), await required(work, rated)];
  return texts.filter((text) => text !== undefined);
}

async function exclusions(
  { language, value }: Work,
  { relevant, irrelevant }: RatedMatches,
): Promise<(ChangedText | undefined)[]> {
  const textsOf = (matches: readonly Match[]) => matches.map((match) => shownText(match.platform, match.payload));
  // With few wanted ones the loss cannot be shown to be small: the upper end of its interval says so.
  const allowed = Math.max(MAX_LOSS, 0.5 / Math.max(1, relevant.length));
  const choosing = exclusionSteps(textsOf(irrelevant), textsOf(relevant), allowed);
  const chosen = (await inSlices(choosing, STEPS_AT_ONCE)).slice(0, MAX_EXCLUSIONS);
  const terms = chosen.map(({ term }) => term);
  const together = terms.length > 1 ? [excluding(language, value, terms)] : [];
  return [...together, ...terms.slice(0, MAX_SINGLE).map((term) => excluding(language, value, [term]))];
}

async function required(work: Work, { relevant, irrelevant }: RatedMatches): Promise<ChangedText | undefined> {
  if (Math.min(relevant.length, irrelevant.length) < MIN_FOR_NARROW) return undefined;
  const payloads = (matches: readonly Match[]) => matches.map(({ payload }) => payload);
  const examples = { wanted: payloads(relevant), unwanted: payloads(irrelevant) };
  const { candidates, queries } = await termCandidates(work, examples);
  const counts = { wanted: relevant.length, unwanted: irrelevant.length };
  const { any } = await inSlices(draftOf(candidates, counts, NARROW_PLAN), STEPS_AT_ONCE);
  const parts = any.map(({ terms }) => all(terms.map((term) => queries.get(term)!)));
  return parts.length === 0 ? undefined : requiring(work.language, work.value, parts);
}
