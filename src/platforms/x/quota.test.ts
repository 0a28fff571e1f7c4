import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createQuota } from './quota.ts';

const WINDOW = 900_000;

describe('quota', () => {
  it('never lets more through in any window than it may, whatever the pace', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20_000), { minLength: 60, maxLength: 120 }), async (pauses) => {
        const clock = fakeClock();
        const quota = createQuota({ most: 45, free: 30 }, clock);
        const made: number[] = [];
        for (const pause of pauses) {
          await clock.pass(Math.max(pause, quota.wait));
          quota.spend();
          made.push(clock.elapsed());
          expect(made.filter((at) => at > clock.elapsed() - WINDOW).length).toBeLessThanOrEqual(45);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('spreads what is left when much was used at once', () => {
    const clock = fakeClock();
    const quota = createQuota({ most: 45, free: 30 }, clock);
    for (let call = 0; call < 29; call++) quota.spend();
    expect(quota.wait).toBe(0);
    quota.spend();
    expect(quota.wait).toBe(60_000);
  });

  it('waits for a reset that was stated, by the clock of whoever stated it', () => {
    const quota = createQuota({ most: 10 }, fakeClock());
    const date = new Date('2030-01-01T00:00:00Z');
    const headers = { date: date.toUTCString(), 'x-rate-limit-reset': String(date.getTime() / 1_000 + 120) };
    quota.note({ ...headers, 'x-rate-limit-remaining': '3' }, false);
    expect(quota.wait).toBe(0);
    quota.note({ ...headers, 'x-rate-limit-remaining': '0' }, false);
    expect(quota.wait).toBe(120_000);
  });

  it('is full with as many requests as it allows, until the oldest is 15 minutes old', async () => {
    const clock = fakeClock();
    const quota = createQuota({ most: 2 }, clock);
    quota.spend();
    await clock.pass(1_000);
    expect(quota.wait).toBe(0);
    quota.spend();
    expect(quota.wait).toBe(WINDOW - 1_000);
    await clock.pass(WINDOW - 1_001);
    expect(quota.wait).toBe(1);
    await clock.pass(1);
    expect(quota.wait).toBe(0);
  });

  it('waits for the later of a reset and a stated wait, and notes neither when nothing was refused', () => {
    const quota = createQuota({ most: 10 }, fakeClock());
    const now = Date.parse('2026-11-15T08:30:00.000Z') / 1_000;
    quota.note({ 'retry-after': '300' }, false);
    expect(quota.wait).toBe(0);
    quota.note({ 'retry-after': '300', 'x-rate-limit-reset': String(now + 120) }, true);
    expect(quota.wait).toBe(300_000);
    quota.note({ 'retry-after': '90', 'x-rate-limit-reset': String(now + 400) }, true);
    expect(quota.wait).toBe(400_000);
    quota.note({ 'retry-after': '90' }, true);
    expect(quota.wait).toBe(400_000);
    quota.note({}, true);
    expect(quota.wait).toBe(400_000);
  });

  it('believes no time that cannot be', () => {
    const quota = createQuota({ most: 10 }, fakeClock());
    quota.note({ 'x-rate-limit-reset': 'soon' }, true);
    expect(quota.wait).toBe(0);
    quota.note({ 'x-rate-limit-reset': '0' }, true);
    expect(quota.wait).toBe(60_000);
    quota.note({ 'x-rate-limit-reset': '99999999999' }, true);
    expect(quota.wait).toBe(16 * 60_000);
  });
});
