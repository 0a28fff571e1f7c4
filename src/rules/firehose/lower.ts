/** From Lucene's lists of required, optional and prohibited clauses to the query that the engine matches. */
import type { PlacedQuery } from '../analysis/placed-query.ts';
import type { Span } from '../diagnostic.ts';
import { all, any, EVERYTHING, NOTHING, not, type Predicate, type Query } from '../query.ts';
import type { Built, BuiltClause, BuiltList } from './build.ts';

/** `recent` is taken out wherever it is written and applies to the whole rule. Of several, the narrowest counts. */
export function lower(built: Built | undefined): Query {
  const windows: number[] = [];
  const rest = built === undefined ? undefined : withoutRecent(built, windows);
  if (windows.length === 0) return rest === undefined ? NOTHING : lowerBuilt(rest);
  const recent: Query = { kind: 'recent', milliseconds: Math.min(...windows) };
  return all([recent, rest === undefined ? EVERYTHING : lowerBuilt(rest)]);
}

function withoutRecent(built: Built, windows: number[]): Built | undefined {
  if (built.kind === 'boost') return withoutRecent(built.of, windows);
  if (built.kind === 'list') return listWithoutRecent(built, windows);
  if (built.kind !== 'recent') return built;
  windows.push(built.milliseconds);
  return undefined;
}

function listWithoutRecent(list: BuiltList, windows: number[]): BuiltList | undefined {
  const before = windows.length;
  const clauses: BuiltClause[] = [];
  for (const clause of list.clauses) {
    const rest = withoutRecent(clause.of, windows);
    if (rest !== undefined) clauses.push({ ...clause, of: rest });
  }
  if (windows.length === before) return list;
  if (clauses.length === 0) return undefined;
  // `recent:24h AND NOT a` has a positive part: every recent page.
  const emptied = clauses.every(({ occur }) => occur === 'not');
  if (emptied) clauses.unshift({ ...clauses[0]!, occur: 'must', of: { kind: 'everything' } });
  return { kind: 'list', clauses };
}

function lowerBuilt(built: Built): Query {
  switch (built.kind) {
    case 'list':
      return lowerList(built);
    case 'boost':
      return lowerBuilt(built.of);
    case 'everything':
      return EVERYTHING;
    case 'recent':
      return { kind: 'recent', milliseconds: built.milliseconds };
    case 'term':
    case 'prefix':
    // Any number will do where it has no bounds; it is among the numbers of a page and never among its words.
    case 'number':
      return built;
    case 'phrase':
      return { ...built, terms: built.terms.slice(built.terms.findIndex((term) => term !== null)) };
    case 'wildcard':
      return /^\*+$/.test(built.pattern) ? { kind: 'exists', field: built.field } : built;
    case 'regex':
      return { ...built, pattern: withoutFinalBackslash(built.pattern) };
    case 'fuzzy':
      return built.edits === 0 ? { kind: 'term', field: built.field, term: built.term } : built;
    case 'range':
      return lowerRange(built);
  }
}

/** Optional clauses beside a required one have no effect. A list of only prohibited clauses is never true. */
function lowerList({ clauses }: BuiltList): Query {
  const optional: Query[] = [];
  const parts: Query[] = [];
  let required = false;
  for (const { occur, of } of clauses) {
    const query = lowerBuilt(of);
    if (occur === 'should') optional.push(query);
    else parts.push(occur === 'must' ? query : not(query));
    required ||= occur === 'must';
  }
  if (required) return all(parts);
  return optional.length === 0 ? NOTHING : all([any(optional), ...parts]);
}

function lowerRange({ field, range }: Extract<Built, { kind: 'range' }>): Predicate {
  const { from, to, fromInclusive, toInclusive } = range;
  if (from === undefined && to === undefined) return { kind: 'exists', field };
  return {
    kind: 'range',
    field,
    ...(from !== undefined && { from: { value: from, inclusive: fromInclusive } }),
    ...(to !== undefined && { to: { value: to, inclusive: toInclusive } }),
  };
}

/** Lucene misreads an escaped backslash before the closing slash. A quoted backslash means the same and is read correctly. */
const withoutFinalBackslash = (pattern: string) => (pattern.endsWith('\\\\') ? `${pattern.slice(0, -2)}"\\"` : pattern);

/** A rule as Lucene reads it, in the form that the analysis needs: each part with its place in the text. */
interface LocatedRule {
  /** It is undefined if only `recent` is left. */
  readonly root: PlacedQuery | undefined;
  /** Optional clauses beside a required one, which have no effect. */
  readonly ignored: readonly Span[];
}

export function locate(built: Built, { start, end }: Span): LocatedRule {
  const ignored: Span[] = [];
  const recents: PlacedQuery[] = [];
  const root = placedQueryOf(built, { start, end }, ignored, recents);
  if (recents.length === 0) return { root, ignored };
  return { root: { kind: 'all', of: root === undefined ? recents : [...recents, root], start, end }, ignored };
}

/** `recent` applies to the whole rule, wherever it is written. */
function placedQueryOf(built: Built, span: Span, ignored: Span[], recents: PlacedQuery[]): PlacedQuery | undefined {
  const { start, end } = span;
  if (built.kind === 'boost') return placedQueryOf(built.of, span, ignored, recents);
  if (built.kind === 'list') return placedListOf(built, span, ignored, recents);
  const leaf: PlacedQuery = { kind: 'leaf', query: lower(built), start, end };
  if (built.kind !== 'recent') return leaf;
  recents.push(leaf);
  return undefined;
}

function placedListOf(
  { clauses }: BuiltList,
  { start, end }: Span,
  ignored: Span[],
  recents: PlacedQuery[],
): PlacedQuery | undefined {
  const required: PlacedQuery[] = [];
  const optional: PlacedQuery[] = [];
  let excludes = false;
  const before = recents.length;
  for (const { occur, of, ...span } of clauses) {
    const piece = placedQueryOf(of, span, ignored, recents);
    if (piece === undefined) continue;
    excludes ||= occur === 'not';
    if (occur === 'should') optional.push(piece);
    else required.push(occur === 'must' ? piece : { kind: 'not', of: piece, ...span });
  }
  const hasRequired = clauses.some(({ occur, of }) => occur === 'must' && of.kind !== 'recent');
  if (hasRequired) ignored.push(...optional);
  else if (optional.length > 0)
    required.unshift({ kind: 'any', of: optional, start: optional[0]!.start, end: optional.at(-1)!.end });
  else if (excludes && recents.length === before)
    return { kind: 'leaf', query: { kind: 'nothing' }, dead: ONLY_EXCLUSIONS, start, end };
  return required.length === 0 ? undefined : { kind: 'all', of: required, start, end };
}

const ONLY_EXCLUSIONS = { why: 'exclusions alone match nothing; say what they are taken from.' } as const;
