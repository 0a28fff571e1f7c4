/**
 * Whether two queries mean the same for every event: both are evaluated for assignments of true and false to their
 * predicates. With few predicates all assignments are tried, with many a fixed number of them, to bound the cost.
 */
import type { Query } from './query.ts';

const MAX_EXHAUSTIVE = 10;
/** Of many predicates, each of the first ones is tried alone against all others; then come mixed assignments. */
const MAX_LONE = 64;
const MIXED_BATCHES = 4;

/** 32 assignments at once: one bit of the number that it gives for a predicate is the predicate's truth in one of them. */
type Batch = (predicate: number) => number;
const BATCH = 32;

export function sameMeaning(one: Query, other: Query): boolean {
  const numbers = new Map<string, number>();
  const [left, right] = [formulaOf(one, numbers), formulaOf(other, numbers)];
  for (const batch of batches(numbers.size)) {
    if (evaluate(left, batch) !== evaluate(right, batch)) return false;
  }
  return true;
}

/** A query with its predicates numbered, equal ones alike. */
type Formula =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Formula[] }
  | { readonly kind: 'not'; readonly of: Formula }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'predicate'; readonly number: number };

function formulaOf(query: Query, numbers: Map<string, number>): Formula {
  switch (query.kind) {
    case 'all':
    case 'any':
      return { kind: query.kind, of: query.of.map((part) => formulaOf(part, numbers)) };
    case 'not':
      return { kind: 'not', of: formulaOf(query.query, numbers) };
    case 'everything':
    case 'nothing':
      return { kind: 'constant', value: query.kind === 'everything' };
    default: {
      const key = JSON.stringify(query);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return { kind: 'predicate', number };
    }
  }
}

function evaluate(formula: Formula, batch: Batch): number {
  switch (formula.kind) {
    case 'all':
      return formula.of.reduce((bits, part) => (bits === 0 ? 0 : bits & evaluate(part, batch)), -1);
    case 'any':
      return formula.of.reduce((bits, part) => (bits === -1 ? -1 : bits | evaluate(part, batch)), 0);
    case 'not':
      return ~evaluate(formula.of, batch);
    case 'constant':
      return formula.value ? -1 : 0;
    case 'predicate':
      return batch(formula.number);
  }
}

/** The truth of the first five predicates in the 32 ways to choose it. */
const FIRST_FIVE = [0xaaaaaaaa | 0, 0xcccccccc | 0, 0xf0f0f0f0 | 0, 0xff00ff00 | 0, 0xffff0000 | 0];

function* batches(count: number): Generator<Batch> {
  if (count <= MAX_EXHAUSTIVE) {
    const ways = Math.max(1, 2 ** (count - FIRST_FIVE.length));
    for (let way = 0; way < ways; way++) yield (number) => FIRST_FIVE[number] ?? -((way >> (number - 5)) & 1);
    return;
  }
  for (const flip of [0, -1]) {
    yield () => flip;
    for (let from = 0; from < Math.min(count, MAX_LONE); from += BATCH)
      yield (number) => flip ^ (number >= from && number < from + BATCH ? 1 << (number - from) : 0);
  }
  // The same seeds at each call: a verdict does not depend on when it is asked for.
  for (let seed = 1; seed <= MIXED_BATCHES; seed++) yield (number) => mixedBits(seed, number);
}

function mixedBits(seed: number, number: number): number {
  let mixed = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return mixed ^ (mixed >>> 15);
}
