/** Long events, and rules that are made to take long on them: no call of `match` does more than its budget allows. */
import { expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { any, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { createEngine } from './engine.ts';
import { isSpent, newPatternBudget } from './pattern-budget.ts';

const phrase = (...terms: string[]): Query => ({ kind: 'phrase', field: 'text', terms, slop: 0 });
/** More words than are matched in one go, with every pair of words of the phrases but no phrase. */
const nearly = (phrases: number): EventView =>
  textEvent(`${Array.from({ length: phrases }, (_, index) => `x z q${index} x`).join(' ')} ${'z '.repeat(9_000)}`);

it.each([
  ['many rules of one phrase', (queries: Query[]) => queries],
  ['one rule of many phrases', (queries: Query[]) => [any(queries)]],
])('spends no more steps in one call than it was given, and one phrase: %s', (_, rules) => {
  const engine = createEngine();
  const queries = Array.from({ length: 50 }, (__, index) => phrase('z', 'z', `q${index}`));
  for (const [index, query] of rules([...queries, phrase('z', 'q7')]).entries()) engine.put(String(index), query);
  const event = nearly(50);
  const budget = newPatternBudget(10_000);
  const found: string[] = [];
  let calls = 0;
  do {
    budget.left = 10_000;
    found.push(...engine.match(event, budget).matches);
    expect(budget.left).toBeGreaterThan(-event.words.count);
    calls++;
  } while (isSpent(budget));
  expect(found).toEqual(engine.match(event).matches);
  expect(found).toHaveLength(1);
  expect(calls).toBeGreaterThan(1);
});

it('goes on with rules that were changed or dropped between two calls', () => {
  const engine = createEngine();
  for (let index = 0; index < 30; index++) engine.put(String(index), phrase('z', 'z', `q${index}`));
  const event = nearly(30);
  const budget = newPatternBudget(10_000);
  engine.match(event, budget);
  const [changed, dropped] = budget.rest as [string, string];
  engine.put(changed, phrase('z', 'q1'));
  engine.drop(dropped);
  const found: string[] = [];
  while (isSpent(budget)) {
    budget.left = 10_000;
    found.push(...engine.match(event, budget).matches);
  }
  expect(found).toEqual([changed]);
});

it('asks no word of a field for each of very many patterns that begin alike', () => {
  const engine = createEngine();
  for (let index = 0; index < 500; index++)
    engine.put(String(index), { kind: 'wildcard', field: 'text', pattern: `abcd*${index}x` });
  const event = textEvent(Array.from({ length: 500 }, (_, index) => `abcd${index}x`).join(' '));
  const budget = newPatternBudget(2_000);
  expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([[], true]);
  for (const _ of engine.settle(event, budget));
  expect(engine.match(event, budget).matches.toSorted()).toEqual(engine.match(event).matches.toSorted());
});
