import { describe, expect, it } from 'vitest';
import { readerState, slowest } from './sweep.ts';

describe('the sweep', () => {
  it('sends heartbeats to quiet readers and ends stalled ones', () => {
    expect(readerState({ blockedSince: undefined, wroteAt: 0 }, 14_999)).toEqual({
      isStalled: false,
      wantsHeartbeat: false,
    });
    expect(readerState({ blockedSince: undefined, wroteAt: 0 }, 15_000)).toEqual({
      isStalled: false,
      wantsHeartbeat: true,
    });
    expect(readerState({ blockedSince: 1, wroteAt: 0 }, 25_000).isStalled).toBe(false);
    expect(readerState({ blockedSince: 0, wroteAt: 0 }, 25_000).isStalled).toBe(true);
  });

  it('ends the readers with the longest queues until the rest fits', () => {
    const reader = (queued: number, isBlocked = true) => ({
      subscriber: { writer: { queued, blockedSince: isBlocked ? 0 : undefined } },
    });
    const readers = [reader(10), reader(70), reader(40), reader(500, false)];
    const queues = (limit: number) => slowest(readers, limit).map(({ subscriber }) => subscriber.writer.queued);
    expect(queues(120)).toEqual([]);
    expect(queues(119)).toEqual([70]);
    expect(queues(50)).toEqual([70]);
    expect(queues(49)).toEqual([70, 40]);
    expect(queues(0)).toEqual([70, 40, 10]);
  });
});
