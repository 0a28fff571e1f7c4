/** Texts that change a rule a little: with an exclusion, with a word that must be there, or with a clause made wider. */
import type { StoredMatch } from '../../domain/match.ts';
import type { RuleClause } from '../../rules/analysis/placed-query.ts';
import { USELESS } from '../../rules/fix.ts';
import { type Language, termTexts, textOfQuery } from '../../rules/language.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { tracesOf } from '../../signal/features.ts';
import { shownText } from '../../signal/shown-text.ts';
import { termsOf } from '../../signal/terms.ts';
import { isVariantOf } from '../../signal/words.ts';
import type { SuggestionKind } from '../../store/store.ts';
import type { Misses } from '../previews/misses-on-recent.ts';
import type { Relevance } from '../reader/relevance.ts';

export interface ChangedText {
  readonly kind: SuggestionKind;
  /** The term or part that is added, left out or made wider. */
  readonly change: string;
  /** The whole new text, which was read again and means what it should. */
  readonly value: string;
}

/** The rule without what has one of the terms. */
export function excluding(language: Language, value: string, terms: readonly string[]): ChangedText | undefined {
  const forms = terms.flatMap((term) => termTexts(language, term));
  if (forms.length === 0) return undefined;
  const change = forms.map(({ text }) => `-${text}`).join(' ');
  const query = language.queryOf(value)!;
  return changed(language, value, 'exclude', change, all([query, ...forms.map((form) => not(form.query))]), [
    `${value} ${change}`,
    `(${value}) ${change}`,
  ]);
}

/** The rule, where one of the parts holds too. */
export function requiring(language: Language, value: string, parts: readonly Query[]): ChangedText | undefined {
  const part = any(parts);
  const text = textOfQuery(language, part);
  if (text === undefined) return undefined;
  const change = parts.length === 1 ? text : `(${text})`;
  return changed(language, value, 'narrow', change, all([language.queryOf(value)!, part]), [
    `${value} ${change}`,
    `(${value}) ${change}`,
  ]);
}

/** The rule without one of its clauses. */
export function without(
  language: Language,
  value: string,
  clauses: readonly RuleClause[],
  dropped: RuleClause,
): ChangedText | undefined {
  const others = clauses.filter((clause) => clause !== dropped);
  if (others.length === 0) return undefined;
  const query = all(others.map((clause) => clause.query));
  const cut = `${value.slice(0, dropped.start).trimEnd()} ${value.slice(dropped.end).trimStart()}`.trim();
  return changed(language, value, 'widen', `without ${value.slice(dropped.start, dropped.end)}`, query, [cut]);
}

/** The rule with another word beside the one of a clause. */
export function orElse(
  language: Language,
  value: string,
  clauses: readonly RuleClause[],
  { clause, term }: { readonly clause: RuleClause; readonly term: string },
): ChangedText | undefined {
  const [form] = termTexts(language, term);
  if (form === undefined) return undefined;
  const query = all(clauses.map((one) => (one === clause ? any([one.query, form.query]) : one.query)));
  const change = `(${value.slice(clause.start, clause.end)} OR ${form.text})`;
  return changed(language, value, 'widen', change, query, [
    `${value.slice(0, clause.start)}${change}${value.slice(clause.end)}`,
  ]);
}

/** The rule with a wider form for each clause; one whose form is `EVERYTHING` is left out. */
export function widened(
  language: Language,
  value: string,
  forms: ReadonlyMap<RuleClause, Query>,
): ChangedText | undefined {
  const changes: string[] = [];
  let text = value;
  for (const [{ start, end, query }, form] of [...forms].toReversed()) {
    if (form === query) continue;
    const old = value.slice(start, end);
    const [before, after] = [text.slice(0, start), text.slice(end)];
    if (form.kind === 'everything') {
      changes.unshift(`without ${old}`);
      text = `${before.trimEnd()} ${after.trimStart()}`.trim();
      continue;
    }
    const printed = form.kind === 'any' && forms.size > 1 ? `(${language.print(form)})` : language.print(form);
    changes.unshift(`${printed} instead of ${old}`);
    text = `${before}${printed}${after}`;
  }
  return changed(language, value, 'widen', changes.join(', '), all([...forms.values()]), [text]);
}

/** The first of the texts that is valid and means the query; else the query as the language prints it. */
function changed(
  language: Language,
  before: string,
  kind: SuggestionKind,
  change: string,
  query: Query,
  texts: readonly string[],
): ChangedText | undefined {
  if (query.kind === 'everything' || query.kind === 'nothing') return undefined;
  const printed = textOfQuery(language, query);
  if (printed === undefined) return undefined;
  const same = texts.find((text) => {
    const read = language.queryOf(text);
    return read !== undefined && language.print(read) === printed;
  });
  const value = same ?? printed;
  return isSound(language, before, value) ? { kind, change, value } : undefined;
}

const NO_FIXES = { left: 0, warnings: false };

/** The analysis of rules finds that the text can match, not everything, and has no more clauses without effect than before. */
function isSound(language: Language, before: string, value: string): boolean {
  const codesOf = (text: string) => language.parse(text, { ...NO_FIXES }).diagnostics.map(({ code }) => code);
  const idle = (codes: readonly string[]) => codes.filter((code) => code === 'pointless-clause').length;
  const codes = codesOf(value);
  return !codes.some((code) => USELESS.has(code)) && idle(codes) <= idle(codesOf(before));
}

/** Wider forms of a rule: what recent events that it nearly matched speak for. */

/** A form of a word must be in this many events that were nearly matched. */
const MIN_SEEN = 2;
const MAX_WIDER = 4;

/** `like`: a match of the rule, which says what its relevance rests on. */
export async function widerTexts(
  { language, value, relevance }: { language: Language; value: string; relevance: Pick<Relevance, 'score'> },
  { clauses }: Misses,
  like: StoredMatch | undefined,
  usual: number | undefined,
): Promise<ChangedText[]> {
  const joined = language.clauses(value);
  const wider: ChangedText[] = [];
  for (const [index, { missed, samples }] of clauses.entries()) {
    const clause = joined[index]!;
    const texts = samples.map(({ payload }) => shownText(language.name, payload));
    for (const term of variantsIn(clause, texts)) push(wider, orElse(language, value, joined, { clause, term }));
    if (missed < MIN_SEEN || like === undefined || usual === undefined) continue;
    const scores = await Promise.all(texts.map((text) => relevance.score(like, { traces: tracesOf(text) })));
    const mean = scores.reduce<number>((sum, score) => sum + (score ?? 0), 0) / scores.length;
    if (scores.length >= MIN_SEEN && mean >= usual) push(wider, without(language, value, joined, clause));
  }
  return wider.slice(0, MAX_WIDER);
}

function push(list: ChangedText[], one: ChangedText | undefined): void {
  if (one !== undefined) list.push(one);
}

function variantsIn({ query }: RuleClause, texts: readonly string[]): string[] {
  if (query.kind !== 'term') return [];
  const seen = new Map<string, number>();
  for (const text of texts)
    for (const term of termsOf(text))
      if (!term.includes(' ') && isVariantOf(query.term, term)) seen.set(term, (seen.get(term) ?? 0) + 1);
  return [...seen]
    .filter(([, times]) => times >= MIN_SEEN)
    .toSorted(([one, times], [other, more]) => more - times || (one < other ? -1 : 1))
    .map(([term]) => term)
    .slice(0, 2);
}
