/** The conditions that clauses joined by AND set, by keys: each new clause is compared with all before it at once. */
import type { Bound, Predicate } from '../query.ts';
import { formOf } from './implications.ts';
import type { EventFacts, PlacedLeaf, PlacedQuery } from './placed-query.ts';

export type Clash =
  | { readonly kind: 'repeated' | 'opposite' | 'numbers'; readonly before: PlacedQuery }
  | { readonly kind: 'single'; readonly before: PlacedQuery; readonly noun: string };

interface Interval {
  readonly from: Bound<number>;
  readonly to: Bound<number>;
  readonly piece: PlacedQuery;
}

/** Equal for pieces that mean the same, with a dash before what is excluded; undefined for what is no single clause. */
export function keyOfPlaced(piece: PlacedQuery): string | undefined {
  if (piece.kind === 'leaf') return keyOf(piece);
  const [only] = piece.kind === 'not' ? [] : piece.of;
  if (piece.kind !== 'not') return piece.of.length === 1 ? keyOfPlaced(only!) : undefined;
  const key = keyOfPlaced(piece.of);
  return key === undefined ? undefined : key.startsWith('-') ? key.slice(1) : `-${key}`;
}

function keyOf(piece: PlacedLeaf): string {
  piece.key ??= JSON.stringify(piece.query);
  return piece.key;
}

export class Conditions {
  readonly #facts: EventFacts;
  readonly #seen = new Map<string, PlacedQuery>();
  readonly #values = new Map<string, PlacedQuery>();
  readonly #intervals = new Map<string, Interval>();

  constructor(facts: EventFacts) {
    this.#facts = facts;
  }

  /** Says how the piece clashes with what came before it. */
  add(piece: PlacedQuery): Clash | undefined {
    const key = keyOfPlaced(piece);
    if (key === undefined) return undefined;
    const repeated = this.#seen.get(key);
    if (repeated !== undefined) return { kind: 'repeated', before: repeated };
    const before = this.#seen.get(key.startsWith('-') ? key.slice(1) : `-${key}`);
    if (before !== undefined) return { kind: 'opposite', before };
    this.#seen.set(key, piece);
    const query = leafOf(piece);
    if (query === undefined) return undefined;
    return query.kind === 'number' ? this.#number(query, piece) : this.#single(query, piece);
  }

  requires(piece: PlacedQuery): boolean {
    return this.#seen.has(keyOfPlaced(piece) ?? '');
  }

  excludes(piece: PlacedQuery): boolean {
    const key = keyOfPlaced(piece);
    return key !== undefined && this.#seen.has(key.startsWith('-') ? key.slice(1) : `-${key}`);
  }

  #single(query: Predicate, piece: PlacedQuery): Clash | undefined {
    if (query.kind !== 'term') return undefined;
    const noun = this.#facts.relations.single(query.field);
    if (noun === undefined) return undefined;
    const key = `${query.field} ${formOf(query.term)}`;
    const before = this.#values.get(key);
    this.#values.set(key, piece);
    return before && { kind: 'single', before, noun };
  }

  #number(query: Extract<Predicate, { kind: 'number' }>, piece: PlacedQuery): Clash | undefined {
    const open: Interval = {
      from: { value: Number.NEGATIVE_INFINITY, inclusive: true },
      to: { value: Number.POSITIVE_INFINITY, inclusive: true },
      piece,
    };
    const before = this.#intervals.get(query.field) ?? open;
    const from = later(before.from, query.from ?? open.from, 1);
    const to = later(before.to, query.to ?? open.to, -1);
    this.#intervals.set(query.field, { from, to, piece });
    const isEmpty = from.value > to.value || (from.value === to.value && !(from.inclusive && to.inclusive));
    // A range that is empty by itself is the business of the facts.
    return isEmpty && before.piece !== piece ? { kind: 'numbers', before: before.piece } : undefined;
  }
}

/** The narrower of two bounds on the same side. */
function later(one: Bound<number>, other: Bound<number>, sign: 1 | -1): Bound<number> {
  if (one.value === other.value) return one.inclusive ? other : one;
  return (one.value - other.value) * sign > 0 ? one : other;
}

function leafOf(piece: PlacedQuery): Predicate | undefined {
  if (piece.kind === 'not') return undefined;
  if (piece.kind !== 'leaf') return piece.of.length === 1 ? leafOf(piece.of[0]!) : undefined;
  const { query } = piece;
  const isConstant = query.kind === 'everything' || query.kind === 'nothing';
  return isConstant || query.kind === 'all' || query.kind === 'any' || query.kind === 'not' ? undefined : query;
}
