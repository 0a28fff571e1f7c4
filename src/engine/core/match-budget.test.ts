import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { all, any, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { type CoreEngine, createCoreEngine } from './core-engine.ts';
import { isLong, isSpent, MANY_WORDS, newMatchBudget, renew } from './match-budget.ts';

describe('the core', () => {
  /** Matches and decides open patterns by turns until none is open, with few steps for each call. */
  function matchInParts(engine: CoreEngine, event: EventView, steps: number) {
    const budget = newMatchBudget(steps);
    for (const _ of engine.prepare(event, budget));
    for (;;) {
      const report = engine.match(event, budget);
      if (!isSpent(budget)) return report;
      for (const _ of engine.decideOpen(event, budget));
      budget.left = steps;
    }
  }

  it('finds with the smallest budget what it finds without one', () => {
    fc.assert(
      fc.property(fc.array(anyQuery, { maxLength: 8 }), fc.array(anyEvent, { maxLength: 3 }), (queries, events) => {
        const engine = createCoreEngine({ now });
        for (const [index, query] of queries.entries()) engine.put(String(index), query);
        for (const event of events) {
          const { matches } = matchInParts(engine, event, 0);
          expect(matches.toSorted()).toEqual(engine.match(event).matches.toSorted());
        }
      }),
      { numRuns: 1_000 },
    );
  });

  const wildcard = (pattern: string): Query => ({ kind: 'wildcard', field: 'text', pattern });
  const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(' ');

  it('spends no more steps in one call than it was given, and one pattern', () => {
    const engine = createCoreEngine();
    engine.put('many', any(Array.from({ length: 300 }, (_, index) => wildcard(`*?${index}-`))));
    engine.put('word', { kind: 'term', field: 'text', term: 'w7' });
    const event = textEvent(words);
    const budget = newMatchBudget(10_000);
    expect(engine.match(event, budget).matches).toEqual([]);
    expect(budget.left).toBeGreaterThan(-event.words.count * 2);
    expect([budget.open.size, isSpent(budget)]).toEqual([300, true]);
    const steps = [...engine.decideOpen(event, budget)];
    expect(Math.max(...steps)).toBeLessThanOrEqual(event.words.count);
    expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([['word'], false]);
  });

  it('decides one long wildcard in a call on a page of the longest words, and leaves the others open', () => {
    const engine = createCoreEngine();
    for (let rule = 0; rule < 30; rule++) engine.put(`rule ${rule}`, wildcard(`*${'a?'.repeat(660 - rule)}*b`));
    const event = textEvent(Array.from({ length: 128 }, (_, index) => `${index}`.padStart(250, 'a')).join(' '));
    const budget = newMatchBudget();
    expect([isLong(event), engine.match(event, budget).matches]).toEqual([false, []]);
    expect(budget.open.size).toBe(29);
  });

  it('leads by a pattern that was decided to the rules that are anchored on it', () => {
    const engine = createCoreEngine();
    engine.put('anchored', all([wildcard('*199*'), wildcard('w?9*8')]));
    engine.put('absent', all([wildcard('*199*'), wildcard('*-*')]));
    expect(matchInParts(engine, textEvent(words), 0).matches).toEqual(['anchored']);
  });

  it('reports a rule whose pattern cannot be compiled, within a budget too', () => {
    const engine = createCoreEngine();
    engine.put('broken', any([wildcard('*-'), { kind: 'regex', field: 'text', pattern: '(' }]));
    const { failures } = matchInParts(engine, textEvent('a'), 0);
    expect(failures.map(({ ruleId }) => ruleId)).toEqual(['broken']);
  });

  it('makes no pattern wait when there are steps enough', () => {
    const engine = createCoreEngine();
    engine.put('rule', wildcard('*9?'));
    const budget = newMatchBudget();
    expect(engine.match(textEvent(words), budget).matches).toEqual(['rule']);
    expect(budget.decided.size).toBe(0);
  });

  it('goes on with the rules as they are by then, where they change while patterns are open', () => {
    const engine = createCoreEngine();
    for (const id of ['stays', 'goes', 'changes']) engine.put(id, wildcard('*?7'));
    const event = textEvent(Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' '));
    const budget = newMatchBudget();
    for (const _ of engine.prepare(event, budget));
    expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([[], true]);
    for (const _ of engine.decideOpen(event, budget));
    engine.drop('goes');
    engine.put('changes', wildcard('*?x'));
    engine.put('comes', { kind: 'term', field: 'title', term: 'w7' });
    expect(engine.match(event, budget).matches).toEqual([]);
    for (const _ of engine.decideOpen(event, budget));
    expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([['stays'], false]);
  });

  it('is as new for another event', () => {
    const engine = createCoreEngine();
    engine.put('rule', wildcard('*?7'));
    const budget = newMatchBudget();
    const [first, second] = ['w7', 'other'].map((word) => textEvent(`${word} ${'calm '.repeat(5_000)}`));
    for (const [event, expected] of [
      [first, ['rule']],
      [second, []],
    ] as const) {
      for (const _ of engine.prepare(event!, budget));
      engine.match(event!, budget);
      for (const _ of engine.decideOpen(event!, budget));
      expect(engine.match(event!, budget).matches).toEqual(expected);
      renew(budget);
    }
  });
});

it('an event of many words is long, and one of much text', () => {
  const areLong = (...texts: string[]) => texts.map((text) => isLong(textEvent(text)));
  expect(areLong('w '.repeat(MANY_WORDS), 'w '.repeat(MANY_WORDS + 1))).toEqual([false, true]);
  expect(areLong('w'.repeat(32_768), 'w'.repeat(32_769))).toEqual([false, true]);
});
