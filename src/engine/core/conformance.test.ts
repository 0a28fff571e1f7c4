import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { createScan } from '../../../test/stages/scan.ts';
import type { Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { type CoreEngine, createCoreEngine } from './core-engine.ts';

describe('the core', () => {
  const sorted = (ids: readonly string[]) => ids.toSorted();

  it('finds what a full scan finds, on 20,000 pairs of rule and event', () => {
    let pairs = 0;
    let matching = 0;
    fc.assert(
      fc.property(
        fc.array(anyQuery, { minLength: 20, maxLength: 20 }),
        fc.array(anyEvent, { minLength: 10, maxLength: 10 }),
        (rules, events) => {
          const engine = createCoreEngine({ now });
          const scan = createScan({ now });
          for (const [index, rule] of rules.entries()) {
            engine.put(`rule_${index}`, rule);
            scan.put(`rule_${index}`, rule);
          }
          for (const view of events) {
            const found = engine.match(view);
            const expected = scan.match(view);
            expect(found.failures).toEqual([]);
            expect(sorted(found.matches)).toEqual(sorted(expected.matches));
            pairs += rules.length;
            matching += expected.matches.length;
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(pairs).toBeGreaterThanOrEqual(20_000);
    expect(matching / pairs).toBeGreaterThan(0.3);
  });

  type Step =
    | { do: 'put'; rule: number; query: Query }
    | { do: 'drop'; rule: number }
    | { do: 'reanchor' | 'observe' | 'match'; event: EventView };

  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), rule: fc.nat(9), query: anyQuery }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), rule: fc.nat(9) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('reanchor' as const, 'observe' as const, 'match' as const),
        event: anyEvent,
      }),
    },
  );

  /** Returns what the engine and the scan say after a step. */
  function take(step: Step, engine: CoreEngine, scan: ReturnType<typeof createScan>): [unknown, unknown] {
    if (step.do === 'put') {
      engine.put(`rule_${step.rule}`, step.query);
      scan.put(`rule_${step.rule}`, step.query);
    } else if (step.do === 'drop') {
      return [engine.drop(`rule_${step.rule}`), scan.drop(`rule_${step.rule}`)];
    } else if (step.do === 'reanchor') {
      for (let times = 0; times < 20; times++) engine.observe(step.event);
      engine.reanchor(5);
    } else if (step.do === 'observe') {
      engine.observe(step.event);
    } else {
      return [sorted(engine.match(step.event).matches), sorted(scan.match(step.event).matches)];
    }
    return [engine.size, scan.size];
  }

  it('agrees with the scan however puts, drops, new anchors and matches are mixed, and gives all memory back', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const engine = createCoreEngine({ now });
        const scan = createScan({ now });
        for (const one of steps) {
          const [ours, theirs] = take(one, engine, scan);
          expect(ours).toEqual(theirs);
          expect(engine.size).toBe(scan.size);
        }
        for (let rule = 0; rule < 10; rule++) engine.drop(`rule_${rule}`);
        expect(engine.stats()).toMatchObject({ rules: 0, terms: 0, predicates: 0, slow: 0, used: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
