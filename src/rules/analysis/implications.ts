/**
 * Relations between two predicates: one holds whenever the other does, or the two never hold of one event. Words,
 * phrases, patterns and ranges are compared here; what only a platform's operators imply comes from its table.
 */
import { compileFuzzy } from '../pattern/fuzzy.ts';
import { compileWildcard } from '../pattern/wildcard.ts';
import { all, any, type Bound, not, type Predicate, type Query } from '../query.ts';

export interface Relations {
  /** The predicates that hold of every event that has this one, by the table of the platform's operators. */
  implied(predicate: Predicate): readonly Predicate[];
  /** Predicates that hold too and are often added to be sure: `etna OR #etna` is no mistake, `#etna -etna` is one. */
  also?(predicate: Predicate): readonly Predicate[];
  /** The name of the thing that an event has at most one of, by field. */
  single(field: string): string | undefined;
  /** Whether a value of this field is one of its own kind: `www.a.com` and `a.com` hold together, `a.com` and `b.com` never. */
  apart?(one: Predicate, other: Predicate): boolean;
}

type Of<K extends Predicate['kind']> = Extract<Predicate, { kind: K }>;

/** Whether every event that has `one` has `other`. */
export function implies(one: Predicate, other: Predicate, relations: Relations): boolean {
  return saysMore(one, other) || isAmong(relations.implied(one), other);
}

/** Whether `one` leaves nothing when `other` is excluded. */
export const impliesExcluded = (one: Predicate, other: Predicate, relations: Relations): boolean =>
  implies(one, other, relations) || isAmong(relations.also?.(one) ?? [], other);

function isAmong(known: readonly Predicate[], other: Predicate): boolean {
  const key = keyOf(other);
  return known.some((part) => keyOf(part) === key || saysMore(part, other));
}

/** Whether no event has both. */
export function neverBoth(one: Predicate, other: Predicate, relations: Relations): boolean {
  if (one.kind === 'number' && other.kind === 'number') return one.field === other.field && areDisjoint(one, other);
  if (one.kind === 'range' && other.kind === 'range')
    return one.field === other.field && relations.single(one.field) !== undefined && areDisjoint(one, other);
  if (relations.apart?.(one, other) || relations.apart?.(other, one)) return true;
  if (one.kind !== 'term' || other.kind !== 'term' || one.field !== other.field || one.term === other.term)
    return false;
  return relations.single(one.field) !== undefined && formOf(one.term) === formOf(other.term);
}

/** An account has a name and a number, and what a post was sent with has a name and an address: one thing in two forms. */
export const formOf = (term: string): 'number' | 'address' | 'name' =>
  /^\d+$/.test(term) ? 'number' : /^https?:/.test(term) ? 'address' : 'name';

const keyOf = (predicate: Predicate): string => JSON.stringify(predicate);

function saysMore(one: Predicate, other: Predicate): boolean {
  if (!('field' in one) || !('field' in other))
    return one.kind === 'recent' && other.kind === 'recent' && one.milliseconds <= other.milliseconds;
  if (one.field !== other.field) return false;
  if (other.kind === 'exists') return true;
  switch (one.kind) {
    case 'term':
      return fitsTerm(one.term, other);
    case 'phrase':
      return (
        one.terms.some((term) => term !== null && fitsTerm(term, other)) ||
        (other.kind === 'phrase' && isWithin(one, other))
      );
    case 'literal':
      return literalSays(one, other);
    case 'prefix':
      return other.kind === 'prefix' && one.prefix.startsWith(other.prefix);
    case 'contains':
      return other.kind === 'contains' && one.text.includes(other.text);
    case 'number':
      return other.kind === 'number' && isInside(one, other, (value) => value);
    case 'range':
      return other.kind === 'range' && isInside(one, other, (value) => value);
    default:
      return false;
  }
}

/** Whether a field that holds the term has what is asked. */
function fitsTerm(term: string, other: Predicate): boolean {
  if (other.kind === 'term') return term === other.term;
  if (other.kind === 'prefix') return term.startsWith(other.prefix);
  if (other.kind === 'fuzzy') return compileFuzzy(other.term, other.edits)(term, 0, term.length);
  return other.kind === 'wildcard' && compileWildcard(other.pattern).test(term, 0, term.length);
}

/** The words stand side by side wherever the text does. */
function literalSays(one: Of<'literal'>, other: Predicate): boolean {
  if (other.kind === 'literal') return standsIn(one.text, other.text);
  if (other.kind === 'phrase') return isWithin({ ...one, kind: 'phrase', slop: 0 }, other);
  // The first and last word may be parts of longer ones only where a sign stands between them.
  return one.terms.some((term) => fitsTerm(term, other));
}

function standsIn(text: string, part: string): boolean {
  const at = text.indexOf(part);
  if (at < 0) return false;
  return !/[\p{L}\p{N}]/u.test(`${text.charAt(at - 1)}${text.charAt(at + part.length)}`);
}

/** Whether the words of `other` stand side by side in `one`, or are the same with more room. */
function isWithin(one: Of<'phrase'>, other: Of<'phrase'>): boolean {
  if (other.terms.includes(null) || one.terms.includes(null)) return false;
  const [longer, shorter] = [one.terms.join(' '), other.terms.join(' ')];
  if (longer === shorter) return one.slop <= other.slop;
  return one.slop === 0 && ` ${longer} `.includes(` ${shorter} `);
}

interface Bounded<T> {
  readonly from?: Bound<T>;
  readonly to?: Bound<T>;
}

function isInside<T extends string | number>(one: Bounded<T>, other: Bounded<T>, value: (bound: T) => T): boolean {
  const isAbove = (inner: Bound<T> | undefined, outer: Bound<T> | undefined, sign: 1 | -1) => {
    if (outer === undefined) return true;
    if (inner === undefined) return false;
    const [a, b] = [value(inner.value), value(outer.value)];
    if (a === b) return outer.inclusive || !inner.inclusive;
    return sign === 1 ? a > b : a < b;
  };
  return isAbove(one.from, other.from, 1) && isAbove(one.to, other.to, -1);
}

function areDisjoint<T extends string | number>(one: Bounded<T>, other: Bounded<T>): boolean {
  const isBefore = (left: Bounded<T>, right: Bounded<T>) => {
    if (left.to === undefined || right.from === undefined) return false;
    if (left.to.value !== right.from.value) return left.to.value < right.from.value;
    return !(left.to.inclusive && right.from.inclusive);
  };
  return isBefore(one, other) || isBefore(other, one);
}

/** Comparing each with each takes time: so many are compared. */
export const MOST_COMPARED = 32;

/** The relations between the predicates of these queries, as a query that holds of every event. */
export function knownOf(queries: readonly Query[], relations: Relations): Query {
  const found = new Map<string, Predicate>();
  for (const query of queries) collect(query, found);
  const list = [...found.values()].slice(0, MOST_COMPARED);
  return all(
    list.flatMap((one) =>
      list.flatMap((other) => {
        if (one === other) return [];
        if (implies(one, other, relations)) return [any([not(one), other])];
        return neverBoth(one, other, relations) ? [any([not(one), not(other)])] : [];
      }),
    ),
  );
}

function collect(query: Query, found: Map<string, Predicate>): void {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) collect(part, found);
  else if (query.kind === 'not') collect(query.query, found);
  else if (query.kind !== 'everything' && query.kind !== 'nothing') found.set(keyOf(query), query);
}
