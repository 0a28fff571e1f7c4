import { describe, expect, it } from 'vitest';
import type { FeedState } from '../../domain/coverage.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { upstreamStatus } from './upstream-status.ts';

const NOW = new Date('2026-11-15T08:30:00.000Z');

function stage(stream?: Partial<FeedState>) {
  const asked: unknown[][] = [];
  const context = {
    clock: { now: () => NOW },
    feeds: { own: () => [] },
    upstreams: { status: () => ({ state: 'stalled', reason: 'none came', lastEventAt: NOW }) },
    registrations: { figures: () => ({ held: 3, packs: 1, used: 4, limit: undefined }) },
    settings: { currency: 'EUR' },
    budgets: { cost: (_: string, reads: number) => reads * 0.000_123_4 },
    store: {
      feeds: async () =>
        stream === undefined
          ? [{ kind: 'audit', at: NOW, state: 'live' }]
          : [
              { kind: 'audit', at: NOW, state: 'live' },
              { kind: 'stream', name: 'x', at: NOW, state: 'live', ...stream },
            ],
      usage: async (...of: unknown[]) => {
        asked.push(of);
        return { reads: 10, matches: 7 };
      },
      ruleUsage: async (...of: unknown[]) => {
        asked.push(of);
        return [{ ruleId: 'r', reads: 4, matches: 2 }];
      },
    },
  } as unknown as Context;
  const callerOf = (change: object = {}) =>
    ({ account: { id: 'a', name: 'alice', xBudget: 2.5 }, key: { scope: 'full' }, ...change }) as unknown as Caller;
  const status = (change: object = {}, name: 'x' | 'firehose' = 'x') => upstreamStatus(context, callerOf(change), name);
  return { status, asked };
}

describe('the status of a stream', () => {
  it('is as the node that reads it reports, with the reason', async () => {
    expect(await stage({ state: 'degraded', reason: 'auth' }).status()).toMatchObject({
      state: 'degraded',
      reason: 'auth',
    });
    expect(await stage({}).status()).not.toHaveProperty('reason');
    expect(await stage({ state: 'a word of a later version' }).status()).toMatchObject({ state: 'connecting' });
  });

  it('is connecting when no process has reported for fifteen seconds', async () => {
    const ago = (milliseconds: number) => ({ at: new Date(NOW.getTime() - milliseconds) });
    expect(await stage(ago(15_000)).status()).toMatchObject({ state: 'live' });
    expect(await stage(ago(15_001)).status()).toMatchObject({
      state: 'connecting',
      reason: 'no process reads the stream',
    });
  });

  it('is what is known here before any report', async () => {
    expect(await stage().status()).toMatchObject({
      state: 'stalled',
      reason: 'none came',
      last_event_at: NOW.toISOString(),
    });
  });

  it('shows the slots to the operator alone', async () => {
    const { status } = stage({});
    expect(await status()).not.toHaveProperty('slots');
    expect(await status({ account: { id: 'd', name: 'default' } })).toMatchObject({
      registered: 3,
      slots: { used: 4, limit: null, packs: 1 },
    });
  });

  it('has what the account used this month, rounded to hundredths of a cent, and its budget on X', async () => {
    const { status, asked } = stage({});
    const used = { month: '2026-11', reads: 10, matches: 7, cost: 0.0012, currency: 'EUR', budget: 2.5 };
    const rules = [{ rule_id: 'r', reads: 4, matches: 2, cost: 0.0005 }];
    expect(await status()).toMatchObject({ usage: { ...used, rules } });
    expect(await status({}, 'firehose')).toMatchObject({ usage: { budget: null } });
    expect(await status({ account: { id: 'a' } })).toMatchObject({ usage: { budget: null } });
    const [ofAccount, ofRules] = asked;
    expect([ofAccount!.slice(0, 2), ofRules!.slice(0, 2), ofRules![3]]).toEqual([['a', 'x'], ['a', 'x'], 20]);
  });

  it('hides what the account costs from an agent that is limited to some rules', async () => {
    const { status } = stage({});
    expect(await status({ grant: { ruleIds: ['r'] } })).not.toHaveProperty('usage');
    expect(await status({ grant: { ruleIds: undefined } })).toHaveProperty('usage');
  });
});
