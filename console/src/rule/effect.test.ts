import { describe, expect, it } from 'vitest';
import type { Change } from '../data/queries.ts';
import { type Counted, effectOf, versionsOn } from './effect.ts';
import { pairOf } from './versions.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 1);
const at = (hour: number) => START + hour * HOUR;

/** Ten matches an hour up to hour 100, two an hour from then on. */
const counts = Array.from({ length: 400 }, (_, hour) => ({
  at: new Date(at(hour)).toISOString(),
  count: hour < 100 ? 10 : 2,
}));
const known = (part: Partial<Counted> = {}): Counted => ({ counts, missing: [], from: at(0), to: at(400), ...part });
const versions = [at(0), at(100)];

describe('the effect of a version', () => {
  it('is its matches a day before and after it, with the hours that were counted', () => {
    expect(effectOf(at(100), versions, known())).toEqual({
      before: { hours: 100, perDay: 240 },
      // No more than a week.
      after: { hours: 168, perDay: 48 },
    });
  });

  it('is counted in whole hours alone, on its own side of the change', () => {
    const { before, after } = effectOf(at(99.5), [at(99.5)], known());
    expect(before).toEqual({ hours: 99, perDay: 240 });
    expect(after.perDay).toBe(48);
  });

  it('ends where the next version begins, and begins where the one before does', () => {
    const { before, after } = effectOf(at(100), [at(90), at(100), at(110)], known());
    expect([before.hours, after.hours]).toEqual([10, 10]);
  });

  it('leaves out the hours of gaps, which say nothing', () => {
    const missing = [{ from: at(110.5), to: at(120) }];
    const silent = counts.map((one, hour) => (hour >= 110 && hour < 120 ? { ...one, count: 0 } : one));
    expect(effectOf(at(100), versions, known({ counts: silent, missing })).after).toEqual({ hours: 158, perDay: 48 });
  });

  it('is not known where fewer than six hours can be counted', () => {
    expect(effectOf(at(100), versions, known({ to: at(105) })).after).toEqual({ hours: 5, perDay: null });
    expect(effectOf(at(100), versions, known({ to: at(106) })).after).toEqual({ hours: 6, perDay: 48 });
    expect(effectOf(at(100), versions, known({ from: at(95) })).before).toEqual({ hours: 5, perDay: null });
    expect(effectOf(at(100), versions, known({ from: at(200), to: at(50) }))).toEqual({
      before: { hours: 0, perDay: null },
      after: { hours: 0, perDay: null },
    });
  });
});

const change = (what: string, states: Pick<Change, 'before' | 'after'>): Change => ({
  at: '2026-11-01T00:00:00.000Z',
  what,
  id: 'rule_1',
  by: { kind: 'key' },
  ...states,
});

it('a version has two texts to compare only where a text replaced another', () => {
  const [storm, gale] = [
    { value: 'storm', options: { quality: true } },
    { value: 'gale', options: {} },
  ];
  const changed = change('rule.changed', { before: { firehose: storm }, after: { firehose: gale } });
  expect(pairOf(changed, 'firehose')).toEqual({
    before: { value: 'storm', flags: { quality: true } },
    after: { value: 'gale', flags: {} },
  });
  expect(pairOf(changed, 'x')).toBeUndefined();
  const added = change('rule.changed', { before: { x: null }, after: { x: gale } });
  expect(pairOf(added, 'x')).toBeUndefined();
  expect(pairOf(change('rule.created', { after: { x: gale } }), 'x')).toBeUndefined();
  // A text that came or went bounds the time of its neighbours all the same.
  const log = [added, change('rule.changed', { before: { name: 'A' }, after: { name: 'B' } })];
  expect(versionsOn('x', log)).toHaveLength(1);
});
