/**
 * Whether two queries mean the same for every event: both are evaluated for assignments of true and false to their
 * predicates. With few predicates all assignments are tried, with many a fixed number of them, to bound the cost.
 */
import type { Query } from './query.ts';

const MAX_EXHAUSTIVE = 10;
const MAX_SAMPLED = 192;

export function sameMeaning(one: Query, other: Query): boolean {
  const numbers = new Map<string, number>();
  const [left, right] = [formulaOf(one, numbers), formulaOf(other, numbers)];
  for (const assignment of assignments(numbers.size)) {
    if (evaluate(left, assignment) !== evaluate(right, assignment)) return false;
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

function evaluate(formula: Formula, assignment: (number: number) => boolean): boolean {
  switch (formula.kind) {
    case 'all':
      return formula.of.every((part) => evaluate(part, assignment));
    case 'any':
      return formula.of.some((part) => evaluate(part, assignment));
    case 'not':
      return !evaluate(formula.of, assignment);
    case 'constant':
      return formula.value;
    case 'predicate':
      return assignment(formula.number);
  }
}

function* assignments(count: number): Generator<(number: number) => boolean> {
  if (count <= MAX_EXHAUSTIVE) {
    for (let bits = 0; bits < 1 << count; bits++) yield (number) => ((bits >> number) & 1) === 1;
    return;
  }
  for (const value of [false, true]) {
    yield () => value;
    for (let lone = 0; lone < Math.min(count, MAX_SAMPLED / 3); lone++) yield (number) => (number === lone) !== value;
  }
  // The same seeds at each call: a verdict does not depend on when it is asked for.
  for (let seed = 1; seed <= MAX_SAMPLED / 3; seed++) yield (number) => isHeads(seed, number);
}

/** One bit of a mixed number. */
function isHeads(seed: number, number: number): boolean {
  let mixed = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) & 1) === 1;
}
