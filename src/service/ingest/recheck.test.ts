import { describe, expect, it } from 'vitest';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { createRecheck, type RecheckOutcome } from './recheck.ts';

const language = languages({ level: 'enterprise', local: true }).firehose;
const analyze = newAnalyzer('firehose');
const view = () => analyze({ id: '1', title: 'lava flows north' }) as EventView;
const rules: Readonly<Record<string, Query>> = Object.fromEntries(
  ['lava', 'flows', 'ash', 'smoke'].map((word) => [word, language.queryOf(`title:${word}`)!]),
);

/** Hands over this many events, of which the core is said to have reported these rules. */
function outcomesOf(events: number, reported: readonly string[], queries: Readonly<Record<string, Query>> = rules) {
  const outcomes: RecheckOutcome[] = [];
  const recheck = createRecheck({
    seed: 7,
    sample: () => Object.keys(queries),
    queryOf: (ruleId) => queries[ruleId],
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  for (let number = 0; number < events; number++) {
    recheck({ postId: `post-${number}`, view, reported: () => reported });
  }
  return outcomes;
}

describe('the check of the core in service', () => {
  it('looks at one event in ten thousand, and at the same ones every time', () => {
    const outcomes = outcomesOf(200_000, ['lava', 'flows']);
    expect(outcomes.length).toBeGreaterThanOrEqual(10);
    expect(outcomes.length).toBeLessThanOrEqual(30);
    expect(outcomesOf(200_000, ['lava', 'flows'])).toEqual(outcomes);
  });

  it('finds nothing where core and index agree', () => {
    for (const outcome of outcomesOf(100_000, ['lava', 'flows'])) {
      expect(outcome).toMatchObject({ rules: 4, surplus: [], missing: [] });
    }
  });

  it('names rules that the core reported wrongly, and rules that it did not report', () => {
    for (const outcome of outcomesOf(100_000, ['lava', 'ash'])) {
      expect(outcome).toMatchObject({ rules: 4, surplus: ['ash'], missing: ['flows'] });
    }
  });

  it('leaves out rules that time alone may change, and rules that are gone', () => {
    const recent: Query = { kind: 'all', of: [rules['lava']!, { kind: 'recent', milliseconds: 1 }] };
    for (const outcome of outcomesOf(100_000, ['lava', 'gone'], { recent, lava: rules['lava']! })) {
      expect(outcome).toMatchObject({ rules: 1, surplus: [], missing: [] });
    }
  });

  it('checks at most one event in a thousand, whatever their ids are', () => {
    const looked = outcomesOf(100_000, ['lava', 'flows'])[0]!.postId;
    let checks = 0;
    const recheck = createRecheck({
      seed: 7,
      sample: () => [],
      queryOf: (ruleId) => rules[ruleId],
      onOutcome: () => void checks++,
    });
    for (let number = 0; number < 5_005; number++) recheck({ postId: looked, view, reported: () => ['lava'] });
    expect(checks).toBe(5);
  });

  it('looks at 32 reported rules at most', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`rule-${number}`, rules['lava']!]));
    expect(outcomesOf(100_000, Object.keys(many), many)[0]).toMatchObject({ rules: 32, surplus: [] });
  });
});
