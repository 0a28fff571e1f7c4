import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../test/conformance/engines.ts';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { all, any, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import type { Engine, MatchReport } from './engine.ts';
import { isSpent, newPatternBudget, type PatternBudget } from './pattern-budget.ts';

describe.each(ENGINES)('%s', (_name, createEngine) => {
  /** Matches and settles by turns until nothing is open, with few steps for each call. */
  function matchInParts(
    engine: Engine,
    event: EventView,
    steps: number,
  ): { report: MatchReport; budget: PatternBudget } {
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
    const found = [...engine.match(event, budget).matches];
    expect(budget.left).toBeGreaterThan(-event.words.count * 2);
    expect([budget.open.size, budget.rest]).toEqual([300, ['many']]);
    const steps = [...engine.settle(event, budget)];
    expect(Math.max(...steps)).toBeLessThanOrEqual(event.words.count);
    found.push(...engine.match(event, budget).matches);
    expect([found, isSpent(budget)]).toEqual([['word'], false]);
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
});
