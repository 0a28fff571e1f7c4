/** Rules that part wanted events from unwanted ones. Every term is tried by the engine, so what a rule matches is exact. */
import type { Payload } from '../../domain/match.ts';
import { type Language, termTexts, textOfQuery } from '../../rules/language.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import {
  type Draft,
  type DraftPart,
  draftOf,
  type ExampleCounts,
  pairsOf,
  partingOf,
  USUAL_PLAN,
} from '../../signal/draft.ts';
import { shownText } from '../../signal/shown-text.ts';
import { tellingTerms } from '../../signal/terms.ts';
import { judgeTexts } from './rated-matches.ts';

export interface Examples {
  readonly wanted: readonly Payload[];
  readonly unwanted: readonly Payload[];
}

export interface Fit {
  readonly wanted: number;
  readonly wanted_matched: number;
  readonly unwanted: number;
  readonly unwanted_matched: number;
}

export interface DraftedRule {
  readonly value: string;
  readonly fit: Fit;
}

export interface Work {
  readonly language: Language;
  readonly now: number;
  readonly checkpoint: () => void;
}

/** Ways to draft: as good as it gets, shorter, cleaner, wider, and of one part. */
const PLANS = [
  USUAL_PLAN,
  { ...USUAL_PLAN, worth: 0.02 },
  { ...USUAL_PLAN, noise: 4 },
  { ...USUAL_PLAN, noise: 0.25 },
  { ...USUAL_PLAN, parts: 1 },
];
/** How much of F1 a character of a rule costs: of two that part alike the shorter one is better. */
const CHARACTER_COST = 0.000_02;

/** The best first; none when no term parts the examples. */
export function draftFromExamples(work: Work, examples: Examples): DraftedRule[] {
  const texts: ExampleCounts = { wanted: examples.wanted.length, unwanted: examples.unwanted.length };
  const { candidates, queries } = termCandidates(work, examples);
  const values = new Set<string>();
  for (const plan of PLANS) {
    const draft = draftOf(candidates, texts, plan, work.checkpoint);
    for (const one of [draft, { ...draft, none: [] }]) {
      const value = draftText(work.language, one, queries);
      if (value !== undefined) values.add(value);
    }
  }
  const drafted = fitsOf(work, [...values], examples);
  return drafted.toSorted((one, other) => worthOf(other) - worthOf(one) || (one.value < other.value ? -1 : 1));
}

const worthOf = ({ value, fit }: DraftedRule): number =>
  partingOf(fit.wanted_matched, fit.wanted, fit.unwanted_matched) - CHARACTER_COST * value.length;

export function termCandidates(
  { language, now, checkpoint }: Work,
  { wanted, unwanted }: Examples,
): { candidates: DraftPart[]; queries: ReadonlyMap<string, Query> } {
  const shown = (payloads: readonly Payload[]) => payloads.map((payload) => shownText(language.name, payload));
  const terms = tellingTerms(shown(wanted), shown(unwanted), checkpoint);
  const queries = new Map<string, Query>();
  for (const term of terms) for (const { text, query } of termTexts(language, term)) queries.set(text, query);
  const trial = { platform: language.name, queries: [...queries.values()], now, checkpoint };
  const found = [...queries.keys()].map((text) => ({
    terms: [text],
    wanted: [] as number[],
    unwanted: [] as number[],
  }));
  for (const [kind, payloads] of Object.entries({ wanted, unwanted }) as ['wanted' | 'unwanted', readonly Payload[]][])
    for (const [event, numbers] of judgeTexts(trial, payloads).entries())
      for (const number of numbers ?? []) found[number]![kind].push(event);
  const texts = { wanted: wanted.length, unwanted: unwanted.length };
  const words = found.filter(({ terms: [text] }) => !text!.includes('"'));
  return { candidates: [...found, ...pairsOf(words, texts, checkpoint)], queries };
}

/** The text of a draft. While it is too long for the language, its last part goes. */
function draftText(
  language: Language,
  { any: parts, none }: Draft,
  queries: ReadonlyMap<string, Query>,
): string | undefined {
  const queryOf = ({ terms }: DraftPart): Query => all(terms.map((term) => queries.get(term)!));
  for (let left = parts.length + none.length; left > 0; left--) {
    const positive = parts.slice(0, Math.min(parts.length, left));
    const negative = none.slice(0, Math.max(0, left - parts.length));
    const query = all([any(positive.map(queryOf)), ...negative.map((one) => not(queryOf(one)))]);
    const text = textOfQuery(language, query);
    if (text !== undefined) return text;
  }
  return undefined;
}

export function fitsOf(
  { language, now, checkpoint }: Work,
  values: readonly string[],
  { wanted, unwanted }: Examples,
): DraftedRule[] {
  const queries = values.map((value) => language.queryOf(value)!);
  const trial = { platform: language.name, queries, now, checkpoint };
  const matched = { wanted: values.map(() => 0), unwanted: values.map(() => 0) };
  for (const numbers of judgeTexts(trial, wanted)) for (const number of numbers ?? []) matched.wanted[number]!++;
  for (const numbers of judgeTexts(trial, unwanted)) for (const number of numbers ?? []) matched.unwanted[number]!++;
  return values.map((value, number) => ({
    value,
    fit: {
      wanted: wanted.length,
      wanted_matched: matched.wanted[number]!,
      unwanted: unwanted.length,
      unwanted_matched: matched.unwanted[number]!,
    },
  }));
}
