import { describe, expect, it } from 'vitest';
import { statsDrawn, successWords } from './webhook-stats.ts';

const bucket = (delivered: number, failed: number, p50: number | null = null) => ({
  start: '2026-11-15T08:00:00.000Z',
  delivered,
  failed,
  attempts: delivered + failed,
  p50_ms: p50,
  p95_ms: p50,
});

describe('the success of a webhook', () => {
  it('is of all attempts, and never rounded up to all', () => {
    expect(successWords({ buckets: [bucket(2_999, 1)] })).toBe('99.9 % of 3,000 attempts succeeded');
    expect(successWords({ buckets: [bucket(1, 0)] })).toBe('100 % of 1 attempt succeeded');
  });

  it('is unknown where nothing was attempted, and so is how long it took', () => {
    expect(successWords({ buckets: [bucket(0, 0)] })).toBeUndefined();
    const { latency, attempts } = statsDrawn({ buckets: [bucket(0, 0), bucket(3, 1, 84)] });
    expect(latency[0]!.values).toEqual([null, 84]);
    expect(attempts.map(({ values }) => values)).toEqual([
      [0, 3],
      [0, 1],
    ]);
  });
});
