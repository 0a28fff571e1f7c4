import { describe, expect, it } from 'vitest';
import { readerState, slowest } from './sweep.ts';

describe('the sweep', () => {
  it('sends heartbeats to quiet readers and ends stalled ones', () => {
    const reader = { writer: { blockedSince: undefined, wroteAt: 0 }, coverageAt: 0 };
    expect(readerState(reader, 14_999)).toMatchObject({ isStalled: false, wantsHeartbeat: false });
    expect(readerState(reader, 15_000)).toMatchObject({ isStalled: false, wantsHeartbeat: true });
    const blockedSince = (at: number) => ({ ...reader, writer: { blockedSince: at, wroteAt: 0 } });
    expect(readerState(blockedSince(1), 25_000).isStalled).toBe(false);
    expect(readerState(blockedSince(0), 25_000).isStalled).toBe(true);
  });

  it('tells coverage to busy readers too, and to none that does not read', () => {
    const busy = { writer: { blockedSince: undefined, wroteAt: 15_000 }, coverageAt: 1 };
    expect(readerState(busy, 15_000)).toMatchObject({ wantsHeartbeat: false, wantsCoverage: false });
    expect(readerState(busy, 15_001)).toMatchObject({ wantsHeartbeat: false, wantsCoverage: true });
    const blocked = { ...busy, writer: { ...busy.writer, blockedSince: 15_000 } };
    expect(readerState(blocked, 15_001).wantsCoverage).toBe(false);
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
