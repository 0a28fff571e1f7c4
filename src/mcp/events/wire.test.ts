import { describe, expect, it } from 'vitest';
import { subscribeResult } from './wire.ts';

describe('the answer to a subscription', () => {
  const refreshBefore = new Date('2026-11-16T08:00:00Z');
  const made = { id: 'sub_1', refreshBefore, cursor: 'c', truncated: false, health: undefined };
  const told = { id: 'sub_1', refreshBefore: '2026-11-16T08:00:00.000Z', cursor: 'c', truncated: false };

  it('says nothing of deliveries when it is new', () => {
    expect(subscribeResult(made)).toEqual(told);
  });

  it('says how deliveries went when it was there before, with null for what there is not', () => {
    const at = new Date('2026-11-15T08:00:00Z');
    const none = { lastDeliveryAt: undefined, lastError: undefined, failedSince: undefined };
    expect(subscribeResult({ ...made, health: none })).toEqual({
      ...told,
      deliveryStatus: { active: true, lastDeliveryAt: null, lastError: null, failedSince: null },
    });
    const failing = { lastDeliveryAt: at, lastError: 'timeout', failedSince: refreshBefore } as const;
    expect(subscribeResult({ ...made, health: failing })).toMatchObject({
      deliveryStatus: {
        active: true,
        lastDeliveryAt: at.toISOString(),
        lastError: 'timeout',
        failedSince: refreshBefore.toISOString(),
      },
    });
  });
});
