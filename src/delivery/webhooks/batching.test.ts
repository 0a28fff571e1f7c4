import { describe, expect, it } from 'vitest';
import { batchDue, type Owed } from './batching.ts';

const NOW = new Date('2026-11-15T08:07:00.500Z');
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);
const health = { lastFailureAt: undefined, failingSince: undefined };
const owedOf = (change: Partial<Owed> = {}, webhook: Partial<Owed['webhook']> = {}): Owed => ({
  webhook: { format: 'json', every: undefined, health, ...webhook },
  owedSince: ago(200),
  owed: 1,
  pending: 0,
  ...change,
});
const MINUTE = 60_000;

describe('when a batch is due', () => {
  it('is a second after its first match, or as soon as it is full', () => {
    expect(batchDue(owedOf(), NOW, MINUTE)).toEqual({ at: new Date(NOW.getTime() + 800) });
    expect(batchDue(owedOf({ owedSince: ago(1_000) }), NOW, MINUTE)).toHaveProperty('until');
    expect(batchDue(owedOf({ owed: 100 }), NOW, MINUTE)).toHaveProperty('until');
    expect(batchDue(owedOf({ owed: 10 }, { format: 'discord' }), NOW, MINUTE)).toHaveProperty('until');
    expect(batchDue(owedOf({ owedSince: undefined, owed: 0 }), NOW, MINUTE)).toBeUndefined();
  });

  it('is later while the webhook fails, and never with a thousand deliveries under way', () => {
    const failing = { health: { lastFailureAt: NOW, failingSince: NOW } };
    expect(batchDue(owedOf({ owedSince: ago(2_000) }, failing), NOW, MINUTE)).toEqual({
      at: new Date(NOW.getTime() + 58_000),
    });
    expect(batchDue(owedOf({ owed: 100, pending: 1_000 }), NOW, MINUTE)).toBeUndefined();
  });

  it('is not before a subscriber had a second to store the answer', () => {
    const subscribed = (refreshedAt: Date) => ({
      format: 'mcp' as const,
      subscription: {
        id: 's',
        ownerId: 'k',
        event: 'match.created' as const,
        arguments: '{}',
        start: 0,
        isBrief: false,
        expiresAt: NOW,
        verifiedAt: NOW,
        refreshedAt,
      },
    });
    expect(batchDue(owedOf({}, subscribed(ago(400))), NOW, MINUTE)).toEqual({ at: new Date(NOW.getTime() + 600) });
    expect(batchDue(owedOf({}, subscribed(ago(1_000))), NOW, MINUTE)).toHaveProperty('until');
  });

  it('is on the quarter hour for a digest, full or not, and takes only what came before', () => {
    const digest = { every: 15 * MINUTE };
    expect(batchDue(owedOf({ owed: 100 }, digest), NOW, MINUTE)).toEqual({ at: new Date('2026-11-15T08:15:00Z') });
    expect(batchDue(owedOf({ owedSince: ago(10 * MINUTE) }, digest), NOW, MINUTE)).toEqual({
      until: new Date('2026-11-15T08:00:00Z'),
    });
  });

  it('does not wait for a clock that was set back after its first match was stored', () => {
    const ahead = ago(-60 * MINUTE);
    const untilOf = (owed: Owed) => (batchDue(owed, NOW, MINUTE) as { until: Date }).until;
    for (const owed of [1, 100]) expect(untilOf(owedOf({ owedSince: ahead, owed })) > ahead).toBe(true);
    // A lead of less than a second is none: it comes from many matches at once.
    expect(batchDue(owedOf({ owedSince: ago(-50) }), NOW, MINUTE)).toEqual({ at: new Date(NOW.getTime() + 1_050) });
    expect(untilOf(owedOf({ owedSince: ago(-50), owed: 100 })) > ago(-50)).toBe(true);
  });

  it('keeps to the quarter hour for a digest also when the clock was set back', () => {
    const digest = owedOf({ owedSince: new Date('2026-12-15T08:07:00Z') }, { every: 15 * MINUTE });
    const quarter = new Date('2026-11-15T08:15:00Z');
    expect(batchDue(digest, NOW, MINUTE)).toEqual({ at: quarter });
    expect(batchDue(digest, quarter, MINUTE)).toEqual({ until: new Date('2026-12-15T08:22:00Z') });
  });

  it('holds back no event of a subscription that was refreshed before the clock was set back', () => {
    const refreshedAt = ago(-60 * MINUTE);
    const subscription = { refreshedAt } as NonNullable<Owed['webhook']['subscription']>;
    expect(batchDue(owedOf({ owedSince: ago(2_000) }, { subscription }), NOW, MINUTE)).toHaveProperty('until');
  });
});
