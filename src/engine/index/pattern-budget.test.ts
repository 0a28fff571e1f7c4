import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { all, any, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { createEngine, type Engine, type MatchReport } from './engine.ts';
import { isSpent, newPatternBudget, type PatternBudget } from './pattern-budget.ts';

/** Matches and settles by turns until nothing is open, with few steps for each call. */
function matchInParts(engine: Engine, event: EventView, steps: number): { report: MatchReport; budget: PatternBudget } {
  const budget = newPatternBudget(steps);
  const whole: MatchReport = { matches: [], evaluated: 0, failures: [] };
  for (const _ of engine.lookUp(event, budget));
  for (;;) {
    const { matches, evaluated, failures } = engine.match(event, budget);
    whole.matches.push(...matches);
    whole.evaluated += evaluated;
    whole.failures.push(...failures);
    if (!isSpent(budget)) return { report: whole, budget };
    for (const _ of engine.settle(event, budget));
    budget.left = steps;
  }
}

it('finds with the smallest budget what it finds without one', () => {
  fc.assert(
    fc.property(fc.array(anyQuery, { maxLength: 8 }), fc.array(anyEvent, { maxLength: 3 }), (queries, events) => {
      const engine = createEngine({ now });
      for (const [index, query] of queries.entries()) engine.put(String(index), query);
      for (const event of events) {
        const { matches } = matchInParts(engine, event, 0).report;
        expect(matches.toSorted()).toEqual(engine.match(event).matches.toSorted());
      }
    }),
    { numRuns: 1_000 },
  );
});

const wildcard = (pattern: string): Query => ({ kind: 'wildcard', field: 'text', pattern });
const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(' ');

it('spends no more steps in one call than it was given, and one pattern', () => {
  const engine = createEngine();
  engine.put('many', any(Array.from({ length: 300 }, (_, index) => wildcard(`*?${index}-`))));
  engine.put('word', { kind: 'term', field: 'text', term: 'w7' });
  const event = textEvent(words);
  const budget = newPatternBudget(10_000);
  expect(engine.match(event, budget).matches).toEqual(['word']);
  expect(budget.left).toBeGreaterThan(-event.words.count * 2);
  expect([budget.open.size, budget.rest]).toEqual([300, ['many']]);
  const steps = [...engine.settle(event, budget)];
  expect(Math.max(...steps)).toBeLessThanOrEqual(event.words.count);
  expect(engine.match(event, budget).matches).toEqual([]);
  expect(isSpent(budget)).toBe(false);
});

it('leads by a pattern that was settled to the rules that are anchored on it', () => {
  const engine = createEngine();
  engine.put('anchored', all([wildcard('*199*'), wildcard('w?9*8')]));
  engine.put('absent', all([wildcard('*199*'), wildcard('*-*')]));
  expect(matchInParts(engine, textEvent(words), 0).report.matches).toEqual(['anchored']);
});

it('reports a rule whose pattern cannot be compiled, within a budget too', () => {
  const engine = createEngine();
  engine.put('broken', any([wildcard('*-'), { kind: 'regex', field: 'text', pattern: '(' }]));
  const { report } = matchInParts(engine, textEvent('a'), 0);
  expect(report.failures.map(({ ruleId }) => ruleId)).toEqual(['broken']);
});

it('makes no pattern wait when there are steps enough', () => {
  const engine = createEngine();
  engine.put('rule', wildcard('*9?'));
  const budget = newPatternBudget();
  expect(engine.match(textEvent(words), budget).matches).toEqual(['rule']);
  expect(budget.settled.size).toBe(0);
});

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
  for (let index = 0; index < 500; index++) engine.put(String(index), wildcard(`abcd*${index}x`));
  const event = textEvent(Array.from({ length: 500 }, (_, index) => `abcd${index}x`).join(' '));
  const budget = newPatternBudget(2_000);
  expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([[], true]);
  expect(matchInParts(engine, event, 2_000).report.matches.toSorted()).toEqual(engine.match(event).matches.toSorted());
});
