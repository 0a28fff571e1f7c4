import { describe, expect, it } from 'vitest';
import type { Status } from '../data/queries.ts';
import type { Source } from '../status/health.ts';
import { coverageLanes } from './coverage-lanes.ts';
import { spanPlace } from './lanes.tsx';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

const source = (state: Source['state'], lastGood: string | null): Source => ({
  name: 'bluesky',
  kind: 'jetstream',
  platforms: ['x'],
  state,
  lag_seconds: null,
  events_per_minute: 0,
  usual_events_per_minute: 40,
  pace: 'silent',
  last_good_at: lastGood,
  unread: 0,
  errors: 3,
  last_event_at: null,
  last_error: null,
});

function status(sources: Source[]): Status {
  const gaps = [
    { from: ago(5), to: ago(4), cause: 'dropped', recovered: false, source: 'bluesky' },
    { from: ago(3), to: ago(2), cause: 'dropped', recovered: true },
    { from: ago(8), to: ago(7), cause: 'paused', recovered: false, rule_id: 'rule_1' },
    { from: ago(60), to: ago(50), cause: 'dropped', recovered: false },
  ];
  return {
    version: '1',
    ready: true,
    account: { id: 'a', name: 'a', plan: 'paid' },
    key: { id: 'k', name: 'k', scope: 'full' },
    limits: [],
    retention_days: 30,
    alerts: { open: 0 },
    platforms: {
      x: {
        shape: 'local',
        state: 'ready',
        rule_type: 'premium',
        rules: 1,
        rule_limit: 25,
        slow_rules: [],
        sources: ['bluesky'],
        gaps,
        coverage: { complete: false, complete_from: ago(10), complete_through: ago(0), reasons: ['gap'] },
        complete_through: ago(0),
        lag_seconds: 0,
      },
    },
    sources,
  };
}

describe('the lanes of platforms and sources', () => {
  it('has what was listened to, with the gaps of the shown time over it', () => {
    const [x] = coverageLanes(status([]), NOW - 24 * HOUR, NOW);
    expect(x!.spans.map(({ tone }) => tone)).toEqual(['ok', 'bad', 'warn']);
    expect(x!.words).toBe('1 gap, 1 h 0 min missing; 1 gap recovered.');
  });

  it('claims nothing good of a source: only its gaps, and its trouble since it was last good', () => {
    const [, waiting] = coverageLanes(status([source('waiting', ago(1))]), NOW - 24 * HOUR, NOW);
    expect(waiting!.spans.map(({ tone, from }) => [tone, (NOW - from) / HOUR])).toEqual([
      ['bad', 5],
      ['bad', 1],
    ]);
    expect(waiting!.words).toContain('Retrying for 1 h 0 min.');
    const [, live] = coverageLanes(status([source('live', ago(0))]), NOW - 24 * HOUR, NOW);
    expect(live!.spans).toHaveLength(1);
    const [, unknown] = coverageLanes(status([source('waiting', null)]), NOW - 24 * HOUR, NOW);
    expect(unknown!.spans).toHaveLength(1);
  });

  it('draws a gap that has just begun inside the row, wide enough to be seen', () => {
    const place = spanPlace({ from: NOW - 1_000, to: NOW }, NOW - 24 * HOUR, NOW);
    expect(place.left + place.width).toBeLessThanOrEqual(100);
    expect(place.width).toBeGreaterThan(0.3);
  });
});
