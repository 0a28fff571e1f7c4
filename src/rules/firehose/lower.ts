/** From Lucene's lists of required, optional and prohibited clauses to the query that the engine matches. */
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
    case 'number':
      return built.from === undefined && built.to === undefined ? { kind: 'exists', field: built.field } : built;
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
