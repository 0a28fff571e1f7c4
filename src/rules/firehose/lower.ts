/** From Lucene's lists of required, optional and prohibited clauses to the query that the engine matches. */
import { all, any, EVERYTHING, NOTHING, not, type Predicate, type Query } from '../query.ts';
import type { Built, BuiltList } from './build.ts';

/** `recent` is taken out wherever it stands and asked of the rule as a whole; of several the narrowest counts. */
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
  const clauses = list.clauses.flatMap(({ occur, of }) => {
    const rest = withoutRecent(of, windows);
    return rest === undefined ? [] : [{ occur, of: rest }];
  });
  if (clauses.length === 0) return undefined;
  // `recent:24h AND NOT a` has something positive: every recent page.
  const emptied = windows.length > before && clauses.every(({ occur }) => occur === 'not');
  if (emptied) clauses.unshift({ occur: 'must', of: { kind: 'everything' } });
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

/** Optional clauses beside a required one do not matter; a list of prohibited clauses alone is never true. */
function lowerList({ clauses }: BuiltList): Query {
  const required = clauses.some(({ occur }) => occur === 'must');
  const optional = clauses.filter(({ occur }) => occur === 'should').map(({ of }) => lowerBuilt(of));
  if (!required && optional.length === 0) return NOTHING;
  const parts = clauses.flatMap(({ occur, of }) => {
    if (occur === 'should') return [];
    return occur === 'must' ? [lowerBuilt(of)] : [not(lowerBuilt(of))];
  });
  return all(required ? parts : [any(optional), ...parts]);
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

/** Before the closing slash an escaped backslash would be misread; a quoted one is the same and is not. */
const withoutFinalBackslash = (pattern: string) => (pattern.endsWith('\\\\') ? `${pattern.slice(0, -2)}"\\"` : pattern);
