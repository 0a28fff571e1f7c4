import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

describe('the metrics', () => {
  it('are written one in a turn of the event loop, however many there are', async () => {
    const metrics = createMetrics();
    const read: number[] = [];
    let turn = 0;
    for (let number = 0; number < 50; number++) {
      metrics.count(`test_${number}`, 'A count.', () => {
        read.push(turn);
        return number;
      });
    }
    const printing = metrics.print();
    for (; read.length < 50; turn++) await setImmediate();
    expect(await printing).toMatch(/# TYPE test_49 counter\ntest_49 49\n$/);
    expect(new Set(read).size).toBe(50);
  });

  it('count each event once, however often its rules are judged', () => {
    const metrics = createMetrics();
    metrics.event('x', 3, 1);
    metrics.event('x', 2, 0, true);
    metrics.event('firehose', 1, 0);
    expect(metrics.eventsSoFar()).toBe(2);
  });

  it('wait for none that has to ask, and fail with it', async () => {
    const metrics = createMetrics();
    const asked = Promise.withResolvers<number>();
    let isRead = false;
    metrics.total('test_slow', 'Asked for.', () => asked.promise);
    metrics.count('test_next', 'A count.', () => {
      isRead = true;
      return 1;
    });
    const printing = metrics.print();
    while (!isRead) await setImmediate();
    asked.reject(new Error('away'));
    await expect(printing).rejects.toThrow('away');
  });
});
