import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { ASK_AGAIN_MS, createWebhookClaims } from './claims.ts';

/** Two processes on a store that keeps one claim. */
function stage() {
  const clock = fakeClock();
  const claimed = { by: '', until: 0, asked: 0 };
  const outbox = {
    async claimWebhook(_: string, { holder, now, until }: { holder: string; now: Date; until: Date }) {
      claimed.asked++;
      if (claimed.by === holder || claimed.until <= now.getTime())
        Object.assign(claimed, { by: holder, until: until.getTime() });
      return claimed.by;
    },
    releaseWebhooks: async () => {},
  };
  const claimsOf = (id: string) => createWebhookClaims({ outbox, clock, holder: { id, isGone: () => false } });
  return { clock, claimed, one: claimsOf('one'), two: claimsOf('two') };
}

describe('a claim on a webhook', () => {
  it('of a process that froze goes within ten seconds to another that asks', async () => {
    const { clock, one, two } = stage();
    expect(await one.hold('hook')).toBe(true);
    let isTaken = false;
    for (let asked = 0; asked < 10_000 && !isTaken; asked += ASK_AGAIN_MS) {
      await clock.pass(ASK_AGAIN_MS);
      isTaken = await two.hold('hook');
    }
    expect(isTaken).toBe(true);
    expect(await one.hold('hook')).toBe(false);
  });

  it('is kept during an attempt that takes longer than the claim, and given up after it', async () => {
    const { clock, one, two } = stage();
    expect(await one.hold('hook')).toBe(true);
    const ended = new AbortController();
    const keeping = one.keep('hook', ended.signal);
    for (let passed = 0; passed < 15_000; passed += 500) {
      await clock.pass(500);
      expect(await two.hold('hook')).toBe(false);
    }
    ended.abort();
    await keeping;
    await clock.pass(10_000);
    expect(await two.hold('hook')).toBe(true);
  });

  it('is asked for again only when a part of it is over', async () => {
    const { clock, claimed, one } = stage();
    for (let held = 0; held < 100; held++) expect(await one.hold('hook')).toBe(true);
    expect(claimed.asked).toBe(1);
    await clock.pass(3_000);
    expect(await one.hold('hook')).toBe(true);
    expect(claimed.asked).toBe(2);
  });
});
