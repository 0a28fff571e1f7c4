import { describe, expect, it } from 'vitest';
import { StoreError } from '../store/error.ts';
import { createReadiness, type NotReady, storeFault } from './readiness.ts';

describe('the readiness of a process', () => {
  const stage = (
    roles: readonly ('api' | 'delivery')[],
    troubles: Partial<Record<string, NotReady>> = {},
    loaded = true,
    clockAhead = 0,
  ) =>
    createReadiness({
      roles,
      matching: { isLoaded: loaded },
      ingest: { trouble: troubles['ingest'] },
      here: { trouble: troubles['here'] },
      follower: { trouble: troubles['follower'], presence: { clockAhead } },
      start: { trouble: troubles['start'] },
    });

  it('is there when nothing is in the way', () => {
    expect(stage(['api']).notReady()).toEqual([]);
  });

  it('is there with a clock that is off by more than a second, and says so', () => {
    expect(
      [-120_000, -1_001, -1_000, 0, 1_000, 1_001].map((ahead) => stage(['api'], {}, true, ahead).warnings()),
    ).toEqual([['clock_off'], ['clock_off'], [], [], [], ['clock_off']]);
    expect(stage(['api'], {}, true, 5_000).notReady()).toEqual([]);
  });

  it('names each thing once, and follows no one before it has its rules', () => {
    const all = { ingest: 'store_away', here: 'disk_full', follower: 'store_away' } as const;
    expect(stage(['api'], all).notReady()).toEqual(['store_away']);
    expect(stage(['api'], { follower: 'node_behind' }).notReady()).toEqual(['node_behind']);
    expect(stage(['api'], { follower: 'node_behind' }, false).notReady()).toEqual(['rules_loading']);
    expect(stage(['api'], { start: 'store_away' }, false).notReady()).toEqual(['rules_loading', 'store_away']);
  });

  it('of a node that only delivers needs neither rules nor events', () => {
    expect(stage(['delivery'], { ingest: 'broker_away', follower: 'node_behind' }, false).notReady()).toEqual([]);
    expect(stage(['delivery'], { here: 'disk_full', follower: 'store_away' }).notReady()).toEqual([
      'disk_full',
      'store_away',
    ]);
    expect(stage(['delivery', 'api'], { ingest: 'broker_away' }).notReady()).toEqual(['broker_away']);
  });

  it('ends when it leaves', () => {
    const readiness = stage(['api']);
    expect(readiness.isLeaving).toBe(false);
    readiness.leave();
    expect([readiness.isLeaving, readiness.notReady()]).toEqual([true, ['stopping']]);
  });

  it('tells a store that is away from a full disk and from others', () => {
    const faults = [
      new StoreError('away', ''),
      new StoreError('full', ''),
      new StoreError('unwritable', ''),
      new Error('x'),
    ];
    expect(faults.map(storeFault)).toEqual(['store_away', 'disk_full', 'store_unwritable', 'store_unwritable']);
  });
});
