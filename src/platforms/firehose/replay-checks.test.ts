import { describe, expect, it } from 'vitest';
import { isCutShort, isNew, mustOverlap, type Replay, replayedThrough } from './arrivals.ts';
import { firstPosition } from './stream-position.ts';

const DATE = Date.parse('2026-11-15T08:00:00Z');
const MINUTE = 60_000;
const replay = (minutes: number, changes: Partial<Replay> = {}): Replay => ({
  resume: { kind: 'since', minutes },
  date: DATE,
  skew: 0,
  ...changes,
});
const NEXT = { isKnown: false, isNewEpoch: false };

describe('the first events of a connection', () => {
  it('end the replay when one was matched after the second in which we connected', () => {
    expect(isNew(replay(5), { matchedAt: DATE + 999 })).toBe(false);
    expect(isNew(replay(5), { matchedAt: DATE + 1_000 })).toBe(true);
    expect(isNew(replay(5, { date: undefined }), { matchedAt: DATE + 1_000 })).toBe(false);
    expect(isNew(replay(5), { matchedAt: undefined })).toBe(false);
  });

  it('have to begin with what we know where the replay goes back behind it', () => {
    expect(mustOverlap(replay(5), { latest: DATE - 4 * MINUTE })).toBe(true);
    expect(mustOverlap(replay(5), { latest: DATE - 5 * MINUTE + 10_000 })).toBe(false);
    expect(mustOverlap(replay(5), { latest: DATE - 5 * MINUTE + 10_001 })).toBe(true);
    expect(mustOverlap(replay(5, { date: undefined }), { latest: DATE })).toBe(false);
    expect(mustOverlap(replay(5), { latest: undefined })).toBe(false);
    expect(mustOverlap(replay(5, { resume: { kind: 'live' } }), { latest: DATE })).toBe(false);
  });

  it('show that the replay was cut short, unless we know them or the ids began again', () => {
    const position = { ...firstPosition(DATE - 10 * MINUTE), latest: DATE - 4 * MINUTE };
    const known = { position, isInGap: true };
    const update = { matchedAt: DATE - MINUTE };
    expect(isCutShort(replay(5), known, update, NEXT)).toBe(true);
    expect(isCutShort(replay(5), known, update, { ...NEXT, isKnown: true })).toBe(false);
    expect(isCutShort(replay(5), known, update, { ...NEXT, isNewEpoch: true })).toBe(false);
  });

  it('show it for a long replay that begins later than our position', () => {
    const position = firstPosition(DATE - 100 * MINUTE);
    const later = { matchedAt: DATE - 90 * MINUTE };
    expect(isCutShort(replay(120), { position, isInGap: true }, later, NEXT)).toBe(true);
    expect(isCutShort(replay(120), { position, isInGap: false }, later, NEXT)).toBe(false);
    expect(isCutShort(replay(60), { position, isInGap: true }, later, NEXT)).toBe(false);
    const nearby = (after: number) => ({ matchedAt: position.through + after });
    expect(isCutShort(replay(120), { position, isInGap: true }, nearby(2_000), NEXT)).toBe(false);
    expect(isCutShort(replay(120), { position, isInGap: true }, nearby(2_001), NEXT)).toBe(true);
    expect(isCutShort(replay(61), { position, isInGap: true }, later, undefined)).toBe(true);
    expect(isCutShort(replay(120), { position, isInGap: true }, { matchedAt: DATE + 1_000 }, NEXT)).toBe(false);
    expect(isCutShort(replay(120), { position, isInGap: true }, { matchedAt: undefined }, NEXT)).toBe(false);
    const byId = replay(120, { resume: { kind: 'id', id: '0-1' } });
    expect(isCutShort(byId, { position, isInGap: true }, later, NEXT)).toBe(false);
    const behind = replay(120, { skew: -20 * MINUTE });
    expect(isCutShort(behind, { position, isInGap: true }, later, NEXT)).toBe(false);
  });

  it('move the position to their own time, never back and never ahead of us', () => {
    const at = new Date(DATE);
    expect(replayedThrough(replay(5), DATE - 9_000, { matchedAt: DATE - 5_000 }, at)).toBe(DATE - 5_000);
    expect(replayedThrough(replay(5), DATE - 2_000, { matchedAt: DATE - 5_000 }, at)).toBe(DATE - 2_000);
    expect(replayedThrough(replay(5, { skew: 60_000 }), 0, { matchedAt: DATE }, at)).toBe(DATE);
    expect(replayedThrough(replay(5), DATE - 9_000, { matchedAt: undefined }, at)).toBe(DATE - 9_000);
  });
});
