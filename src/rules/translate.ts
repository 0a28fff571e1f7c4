/**
 * Translation: a query of one language as text in the other, with a report that says, clause by clause, what was kept.
 * A clause that cannot be said is left out and named, and its effect on the whole is stated; a clause that would be
 * read otherwise than it is meant counts as one that cannot be said.
 */
import type { Platform } from '../domain/platform.ts';
import { firehoseLanguage } from './firehose/language.ts';
import type { Language } from './language.ts';
import { all, any, not, type Query } from './query.ts';
import { toFirehose } from './translate-to-firehose.ts';
import { toX } from './translate-to-x.ts';
import {
  type Direction,
  joined,
  opposite,
  type Rendering,
  type TranslatedClause,
  type Translation,
  type TranslationVerdict,
  type Unit,
} from './translation.ts';
import { xLanguage } from './x/language.ts';

/**
 * Each clause is proven by reading it again, so a rule of a thousand of them takes a while: `checkpoint` throws to end the work.
 * How long a rule of X may be depends on the level of `x`.
 */
export function translate(
  query: Query,
  to: Platform,
  checkpoint: () => void = () => {},
  x: Language = xLanguage(),
): Translation {
  const [source, target, render] =
    to === 'firehose'
      ? ([xLanguage({ level: 'enterprise+embedding' }), firehoseLanguage, toFirehose] as const)
      : ([firehoseLanguage, x, toX] as const);
  const made = walk(query, false, { source, target, render, checkpoint });
  const clauses = made.clauses.map((draft) => draft.clause);
  if (made.query === undefined) return { text: undefined, query: undefined, verdict: 'impossible', clauses };
  const translated = to === 'x' ? pushedDown(made.query) : made.query;
  const text = isConstant(translated) ? '' : target.print(translated);
  // The whole is read once more.
  const { query: read, diagnostics } = target.parse(text);
  if (read !== undefined && sameQuery(read, translated)) {
    return { text, query: translated, verdict: verdictOf(clauses), clauses };
  }
  const error = diagnostics.find((one) => one.severity === 'error');
  const reason = `what is left is no valid rule there: ${error?.message ?? 'it would be read as another rule'}`;
  const whole = leftOut(source.print(query), reason, query);
  return { text: undefined, query: undefined, verdict: 'impossible', clauses: [...clauses, whole] };
}

const isConstant = (query: Query) => query.kind === 'everything' || query.kind === 'nothing';

const leftOut = (written: string, reason: string, source: Query): TranslatedClause => ({
  clause: written,
  becomes: undefined,
  verdict: 'impossible',
  leftOut: undefined,
  reason,
  source,
  target: undefined,
});

/** A clause counts by its verdict, and one that was left out by what that does to the whole. */
const verdictOf = (clauses: readonly TranslatedClause[]): TranslationVerdict =>
  joined(clauses.map(({ verdict, leftOut: effect }) => (effect ?? verdict) as Direction));

interface Languages {
  readonly source: Language;
  readonly target: Language;
  readonly render: (unit: Unit) => Rendering;
  readonly checkpoint: () => void;
}

interface Made {
  /** It is undefined when nothing of the part is left. */
  readonly query: Query | undefined;
  readonly clauses: readonly Draft[];
}

/** A clause whose effect is not known before it is known how much of what it stands in is left. */
interface Draft {
  readonly clause: TranslatedClause;
  readonly isOpen: boolean;
}

function walk(query: Query, negated: boolean, to: Languages): Made {
  switch (query.kind) {
    case 'all':
    case 'any':
      return standsForTwo(query) ? clause(query, negated, to) : group(query.kind, query.of, negated, to);
    case 'not': {
      const inner = walk(query.query, !negated, to);
      return { query: inner.query && not(inner.query), clauses: inner.clauses };
    }
    case 'everything':
    case 'nothing':
      return { query, clauses: [] };
    default:
      return clause(query, negated, to);
  }
}

/** Leaving out some parts of a group widens an `all` and narrows an `any`; a negation turns that round. */
function group(kind: 'all' | 'any', of: readonly Query[], negated: boolean, to: Languages): Made {
  const made = unitsOf(of).map((part) => walk(part, negated, to));
  const kept = made.flatMap(({ query }) => (query === undefined ? [] : [query]));
  if (kept.length === 0) return { query: undefined, clauses: made.flatMap(({ clauses }) => clauses) };
  const effect = (kind === 'all') === negated ? 'narrower' : 'wider';
  const clauses = made.flatMap((part) =>
    part.query === undefined ? part.clauses.map(closedBy(effect)) : part.clauses,
  );
  return { query: kind === 'all' ? allOf(kept) : anyOf(kept), clauses };
}

const closedBy =
  (effect: 'wider' | 'narrower') =>
  (draft: Draft): Draft => {
    if (!draft.isOpen) return draft;
    const reason = `${draft.clause.reason}; left out, which makes the whole ${effect}`;
    return { clause: { ...draft.clause, leftOut: effect, reason }, isOpen: false };
  };

/** `place:` and `lang:zh-CN` each became two alternatives that are one clause. */
const isFirstOfTwo = (query: Query | undefined): boolean =>
  query?.kind === 'term' &&
  (query.field === 'place_id' || (query.field === 'lang' && /^zh-(?:cn|tw)$/.test(query.term)));

const standsForTwo = (query: Query): query is Extract<Unit, { kind: 'any' }> =>
  query.kind === 'any' && query.of.length === 2 && isFirstOfTwo(query.of[0]);

function unitsOf(of: readonly Query[]): Query[] {
  const units: Query[] = [];
  for (let index = 0; index < of.length; index++) {
    const one = of[index]!;
    units.push(isFirstOfTwo(one) && of.length > 2 ? { kind: 'any', of: [one, of[++index]!] } : one);
  }
  return units;
}

/** Joins in which nothing stands twice, as the languages read them: two clauses may become one and the same. */
function allOf(parts: readonly Query[]): Query {
  const whole = all(parts);
  return whole.kind === 'all' ? all(distinct(whole.of)) : whole;
}

function anyOf(parts: readonly Query[]): Query {
  const whole = any(parts);
  return whole.kind === 'any' ? any(distinct(unitsOf(whole.of))) : whole;
}

const distinct = (parts: readonly Query[]): Query[] => [
  ...new Map(parts.map((part) => [JSON.stringify(part), part])).values(),
];

function clause(unit: Unit, negated: boolean, { source, target, render, checkpoint }: Languages): Made {
  checkpoint();
  const sign = (query: Query) => (negated ? not(query) : query);
  const written = source.print(sign(unit));
  const rendering = render(unit);
  if ('impossible' in rendering) return gone(written, rendering.impossible, sign(unit));
  const { query, excluded } = rendering;
  const reason = negated && excluded !== undefined ? excluded : rendering.reason;
  if (!isConstant(query) && !readsAsMeant(query, target)) {
    return gone(written, 'it cannot be written there so that it is read as it is meant', sign(unit));
  }
  const verdict = negated ? opposite(rendering.verdict) : rendering.verdict;
  const becomes = isConstant(query) ? '' : target.print(target.name === 'x' ? pushedDown(sign(query)) : sign(query));
  const kept: TranslatedClause = {
    clause: written,
    becomes,
    verdict,
    leftOut: undefined,
    reason,
    source: sign(unit),
    target: sign(query),
  };
  return { query, clauses: [{ clause: kept, isOpen: false }] };
}

const gone = (written: string, reason: string, source: Query): Made => ({
  query: undefined,
  clauses: [{ clause: leftOut(written, reason, source), isOpen: true }],
});

/** X advises against `-(a OR b)`, and reads it as `-a -b`. Each part is visited once, however deep negations are nested. */
function pushedDown(query: Query, negated = false): Query {
  if (query.kind === 'not') return pushedDown(query.query, !negated);
  if (standsForTwo(query)) return negated ? not(query) : query;
  if (query.kind === 'any') {
    const parts = unitsOf(query.of).map((part) => pushedDown(part, negated));
    return negated ? allOf(parts) : anyOf(parts);
  }
  if (query.kind !== 'all') return negated ? not(query) : query;
  if (!negated) return allOf(query.of.map((part) => pushedDown(part)));
  if (query.of.every((part) => part.kind === 'not')) return anyOf(query.of.map((part) => pushedDown(part.query)));
  return not(allOf(query.of.map((part) => pushedDown(part))));
}

/** A word that no rule asks for, so that a clause which cannot stand alone has company. */
const COMPANY = 'qqzq';

/** Whether the query, printed as a clause of a rule, is read as that query. */
export function readsAsMeant(query: Query, language: Language): boolean {
  const field = language.name === 'x' ? 'text' : 'added';
  const rule = all([{ kind: 'term', field, term: COMPANY }, query]);
  const read = language.parse(language.print(rule)).query;
  return read !== undefined && sameQuery(read, rule);
}

/** Whether two queries are the same tree. */
function sameQuery(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => sameQuery(one[key as keyof typeof one], other[key as keyof typeof other]))
  );
}
