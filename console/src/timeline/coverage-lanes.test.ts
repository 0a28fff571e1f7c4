import { describe, expect, it } from 'vitest';
import type { ListedSource, Status } from '../data/queries.ts';
import { coverageLanes } from './coverage-lanes.ts';
import { spanPlace } from './range.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR = 3_600_000;
const DAY = { from: NOW - 24 * HOUR, to: NOW };
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

const source = (state: ListedSource['status'], lastGood: string | null): ListedSource => ({
  id: 'source_1',
  name: 'Town news',
  kind: 'feeds',
  options: {},
  secrets: [],
  platforms: ['x'],
  owner: 'account',
  status: state,
  last_good_at: lastGood,
  last_error: null,
  next_at: null,
  rate: null,
  events: 3,
  created_at: ago(30),
});

function status(): Status {
  const gaps = [
    { from: ago(5), to: ago(4), cause: 'source_down:source_1', recovered: false, source: 'source_1' },
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
        sources: ['source_1'],
        gaps,
        coverage: { complete: false, complete_from: ago(10), complete_through: ago(0), reasons: ['gap'] },
        complete_through: ago(0),
        lag_seconds: 0,
      },
    },
  };
}

describe('the lanes of platforms and sources', () => {
  it('has what was listened to, with the gaps of the shown time over it', () => {
    const [x] = coverageLanes(status(), [], DAY);
    expect(x!.spans.map(({ tone }) => tone)).toEqual(['ok', 'bad', 'warn']);
    expect(x!.words).toBe('1 gap, 1 h missing; 1 gap recovered.');
  });

  it('claims nothing of a time before the oldest gap that is listed', () => {
    const all = status();
    const one = { from: ago(1), to: ago(0), cause: 'dropped', recovered: true };
    const x = { ...all.platforms.x!, gaps: [...Array.from({ length: 99 }, () => one), { ...one, from: ago(2) }] };
    const [lane, feed] = coverageLanes({ ...all, platforms: { x } }, [source('ok', ago(0))], DAY);
    expect(lane!.spans[0]).toMatchObject({ tone: 'ok', from: Date.parse(ago(2)) });
    expect(lane!.words).toMatch(/There may be gaps before the newest 100\.$/);
    expect(feed!.words).toBe('There may be gaps before the newest 100.');
  });

  it('claims nothing good of a source: only its gaps, and its trouble since it was last good', () => {
    const [, failing] = coverageLanes(status(), [source('failing', ago(1))], DAY);
    expect(failing!.spans.map(({ tone, from }) => [tone, (NOW - from) / HOUR])).toEqual([
      ['bad', 5],
      ['bad', 1],
    ]);
    expect(failing!.words).toContain('Failing for 1 h.');
    // The lane has its name; the id in the cause says nothing more.
    expect(failing).toMatchObject({ name: 'Town news' });
    expect(failing!.spans[0]!.words).toBe('Missing: 1 h. A source cannot be reached.');
    const [, live] = coverageLanes(status(), [source('ok', ago(0))], DAY);
    expect(live!.spans).toHaveLength(1);
    const [, unknown] = coverageLanes(status(), [source('failing', null)], DAY);
    expect(unknown!.spans.map(({ from }) => (NOW - from) / HOUR)).toEqual([5, 30]);
  });

  it('draws a gap that has just begun inside the row, wide enough to be seen', () => {
    const place = spanPlace({ from: NOW - 1_000, to: NOW }, NOW - 24 * HOUR, NOW);
    expect(place.left + place.width).toBeLessThanOrEqual(100);
    expect(place.width).toBeGreaterThan(0.3);
  });
});
