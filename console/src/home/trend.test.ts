import { describe, expect, it } from 'vitest';
import type { Status } from '../data/queries.ts';
import { trendOf } from './trend.ts';

type Platform = NonNullable<Status['platforms']['x']>;

const NOW = Date.parse('2026-11-15T12:27:00.000Z');
const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

const covered = (from: string | null, gaps: Platform['gaps'] = [], rules = 1): Platform => ({
  shape: 'local',
  state: 'live',
  rule_type: 'premium',
  rules,
  rule_limit: 25,
  slow_rules: [],
  gaps,
  sources: [],
  coverage: { complete: true, complete_from: from, complete_through: from && ago(0), reasons: [] },
  complete_through: from && ago(0),
  lag_seconds: null,
});
const status = (x: Platform, firehose = covered(null, [], 0)): Status => ({
  version: '1',
  ready: true,
  account: { id: 'acct_1', name: 'default', plan: 'paid' },
  key: { id: 'key_1', name: 'first', scope: 'full' },
  limits: [],
  retention_days: 30,
  alerts: { open: 0 },
  platforms: { x, firehose },
});
const gap = (hours: number, recovered: boolean): Platform['gaps'][number] => ({
  from: ago(hours),
  to: ago(hours - 1),
  cause: 'dropped',
  recovered,
});
/** The hour that goes on has matches that are in no sum. */
const counts = (before: number, after: number) => [
  { at: '2026-11-14T11:00:00.000Z', count: before },
  { at: '2026-11-15T11:00:00.000Z', count: after },
  { at: '2026-11-15T12:00:00.000Z', count: 900 },
];
const trend = (known: Status, before = 100, after = 112) =>
  trendOf({ status: known, now: NOW, hours: 24, counts: counts(before, after) });

describe('the time before of one rule', () => {
  const trendOfRule = (known: Status, since: string, platforms: readonly ('x' | 'firehose')[]) =>
    trendOf({
      status: known,
      now: NOW,
      hours: 24,
      counts: counts(100, 112),
      rule: { platforms, since: Date.parse(since) },
    });

  it('is compared where its own platforms were listened to and it has not changed', () => {
    const known = status(covered(ago(100)), covered(ago(40)));
    expect(trendOfRule(known, ago(60), ['x'])).toBe('12 % more in the last 24 hours than in the 24 hours before.');
    expect(trendOfRule(known, ago(40), ['x'])).toBeUndefined();
    expect(trendOfRule(known, ago(60), ['x', 'firehose'])).toBeUndefined();
  });
});

describe('the time before', () => {
  it('is compared by whole hours', () => {
    const known = status(covered(ago(100)));
    expect(trend(known)).toBe('12 % more in the last 24 hours than in the 24 hours before.');
    expect(trend(known, 100, 0)).toBe('100 % fewer in the last 24 hours than in the 24 hours before.');
    expect(trend(known, 100, 100)).toBe('As many in the last 24 hours as in the 24 hours before.');
  });

  it('is not spoken of where either time is not known as a whole, or had hardly a match', () => {
    expect(trend(status(covered(ago(40))))).toBeUndefined();
    expect(trend(status(covered(null)))).toBeUndefined();
    expect(trend(status(covered(ago(100)), covered(ago(40))))).toBeUndefined();
    expect(trend(status(covered(ago(100), [gap(30, false)])))).toBeUndefined();
    expect(trend(status(covered(ago(100), [gap(30, true), gap(60, false)])))).toBeDefined();
    expect(trend({ ...status(covered(ago(100))), retention_days: 1 })).toBeUndefined();
    expect(trend(status(covered(ago(100))), 4)).toBeUndefined();
  });
});
