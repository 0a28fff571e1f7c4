import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { ASK_AGAIN_MS, CLAIM_MS, createWebhookClaims, MOST_KNOWN, RENEW_AFTER_MS } from './claims.ts';

/** Rows of claims in memory, with what was asked of them. */
function stand(gone: readonly string[] = []) {
  const clock = fakeClock();
  const holders = new Map<string, { holder: string; until: Date }>();
  const [asked, released]: [string[], string[]] = [[], []];
  const claims = createWebhookClaims({
    clock,
    holder: { id: 'us', isGone: (id) => gone.includes(id) },
    outbox: {
      async claimWebhook(webhookId, { holder, now, until }) {
        asked.push(webhookId);
        const held = holders.get(webhookId);
        if (held !== undefined && held.holder !== holder && held.until > now) return held.holder;
        holders.set(webhookId, { holder, until });
        return holder;
      },
      async releaseWebhooks(holder) {
        released.push(holder);
        for (const [id, held] of holders) if (held.holder === holder) holders.delete(id);
      },
    },
  });
  const giveTo = (webhookId: string, holder: string) =>
    holders.set(webhookId, { holder, until: new Date(clock.now().getTime() + CLAIM_MS) });
  return { clock, claims, asked, released, giveTo };
}

describe('claims on webhooks', () => {
  it('are asked of the store once, and renewed when a third of their time is over', async () => {
    const { clock, claims, asked } = stand();
    expect(await claims.hold('hook')).toBe(true);
    await clock.pass(RENEW_AFTER_MS - 1);
    expect(await claims.hold('hook')).toBe(true);
    expect(asked).toHaveLength(1);
    await clock.pass(1);
    expect(await claims.hold('hook')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('are forgotten where there were ten thousand since: webhooks are made and deleted without end', async () => {
    const { claims, asked } = stand();
    for (let number = 0; number <= MOST_KNOWN; number++) await claims.hold(`hook_${number}`);
    expect(await claims.hold('hook_1')).toBe(true);
    expect(asked).toHaveLength(MOST_KNOWN + 1);
    expect(await claims.hold('hook_0')).toBe(true);
    expect(asked).toHaveLength(MOST_KNOWN + 2);
  });

  it('are renewed as often when the clock was set back: another process goes by its own', async () => {
    const { clock, claims, asked } = stand();
    await claims.hold('hook');
    clock.set(-3_600_000);
    await clock.pass(RENEW_AFTER_MS);
    expect(await claims.hold('hook')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('are refused while another process works on the webhook, so that no delivery is sent twice', async () => {
    const { clock, claims, giveTo, released } = stand();
    giveTo('hook', 'other');
    expect(await claims.hold('hook')).toBe(false);
    expect(released).toEqual([]);
    await clock.pass(CLAIM_MS);
    expect(await claims.hold('hook')).toBe(true);
  });

  it('that were lost to another process are not taken for held', async () => {
    const { clock, claims, giveTo, released } = stand();
    await claims.hold('hook');
    await clock.pass(RENEW_AFTER_MS);
    giveTo('hook', 'other');
    expect(await claims.hold('hook')).toBe(false);
    expect(await claims.hold('hook')).toBe(false);
    await claims.releaseAll();
    expect(released).toEqual([]);
  });

  it('of a process that was killed are taken over at once', async () => {
    const { claims, giveTo, released } = stand(['killed']);
    giveTo('hook', 'killed');
    expect(await claims.hold('hook')).toBe(true);
    expect(released).toEqual(['killed']);
  });

  it('are released when the process stops, and nothing is asked when it held none', async () => {
    const { claims, released } = stand();
    await claims.releaseAll();
    expect(released).toEqual([]);
    await claims.hold('hook');
    await claims.releaseAll();
    expect(released).toEqual(['us']);
  });
});

/** Two processes on a store that keeps one claim. */
function twoProcesses() {
  const clock = fakeClock();
  const claimed = { by: '', until: 0 };
  const outbox = {
    async claimWebhook(_: string, { holder, now, until }: { holder: string; now: Date; until: Date }) {
      if (claimed.by === holder || claimed.until <= now.getTime())
        Object.assign(claimed, { by: holder, until: until.getTime() });
      return claimed.by;
    },
    releaseWebhooks: async () => {},
  };
  const claimsOf = (id: string) => createWebhookClaims({ outbox, clock, holder: { id, isGone: () => false } });
  return { clock, one: claimsOf('one'), two: claimsOf('two') };
}

describe('a claim on a webhook', () => {
  it('of a process that froze goes within ten seconds to another that asks', async () => {
    const { clock, one, two } = twoProcesses();
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
    const { clock, one, two } = twoProcesses();
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
});
