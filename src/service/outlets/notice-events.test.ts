import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { newId } from '../../base/ids.ts';
import type { SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Alert } from '../../domain/rule.ts';
import { positionAt } from '../../store/order.ts';
import { gapMessages } from './gap-events.ts';
import { createChallengeCounter } from './mail-outlet.ts';
import { createNoticeEvents } from './notice-events.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
const HOUR = 3_600_000;
const at = (hours: number) => new Date(START + hours * HOUR);

const hook = (id: string, change: object = {}, subscribed: object = {}): SubscribedWebhook =>
  ({
    id,
    accountId: 'a',
    url: 'https://agent.example/',
    events: [],
    format: 'mcp',
    status: 'active',
    ruleIds: undefined,
    platforms: undefined,
    ...change,
    subscription: {
      id: `sub_${id}`,
      ownerId: 'k',
      event: 'gap.opened',
      arguments: '{}',
      start: positionAt(START - HOUR),
      expiresAt: at(24),
      verifiedAt: at(0),
      refreshedAt: at(0),
      isBrief: false,
      ...subscribed,
    },
  }) as unknown as SubscribedWebhook;

const gap = (change: Partial<Gap> = {}): Gap => ({
  platform: 'x',
  from: at(-0.5),
  to: undefined,
  cause: 'down',
  recovered: false,
  ...change,
});
const alert = (change: Partial<Alert> = {}): Alert => ({
  id: newId('alert', at(-0.5)),
  accountId: 'a',
  ruleId: 'r',
  ruleName: 'n',
  platform: 'x',
  kind: 'surge',
  from: at(-2),
  to: undefined,
  rate: 9,
  usualRate: 1,
  ...change,
});

interface Staged {
  readonly hooks?: Record<string, readonly object[]>;
  readonly gaps?: readonly Gap[];
  readonly alerts?: readonly Alert[];
  readonly isShared?: boolean;
}

function stage({ hooks = {}, gaps = [], alerts = [], isShared = false }: Staged = {}) {
  const clock = fakeClock();
  const told: { id: string; webhookId: string; body: string }[] = [];
  const changed: string[] = [];
  const warned: string[] = [];
  const asked = { subscribers: 0, gaps: [] as unknown[], alerts: 0 };
  const state = { hooks, fails: false };
  const events = createNoticeEvents({
    clock,
    log: { info: () => {}, warn: (_, message) => void warned.push(message), error: () => {} },
    cursors: { writePlace: (_: string, __: string, place: number) => `at ${place}` } as never,
    dispatcher: { changed: (id) => void changed.push(id) },
    store: slow({
      isShared,
      subscribers: async (event: string) => {
        if (event === 'gap.opened') asked.subscribers++;
        if (state.fails) throw new Error('away');
        return state.hooks[event] ?? [];
      },
      gaps: async (query: { platform: string; ruleIds?: readonly string[] }) => {
        asked.gaps.push(query);
        const isAsked = (ruleId = '') => ruleId === '' || query.ruleIds?.includes(ruleId) !== false;
        return gaps.filter(({ platform, ruleId }) => platform === query.platform && isAsked(ruleId));
      },
      alerts: async () => {
        asked.alerts++;
        return { alerts };
      },
      rule: async () => ({ platforms: { x: {} } }),
      watermark: async () => 5,
      addNotices: async (list: never[]) => void told.push(...list),
    }) as never,
  });
  const stopping = new AbortController();
  const run = async () => {
    const running = events.run(stopping.signal);
    await clock.pass(1);
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await running;
      },
    };
  };
  const data = () => told.map(({ body }) => JSON.parse(body) as { data?: Record<string, unknown>; type?: string });
  return { clock, told, data, changed, warned, asked, state, events, run };
}

describe('subscribers of gaps', () => {
  it('are told of those that last or ended since they subscribed, by their platform and their rules', async () => {
    const gaps = [
      gap(),
      gap({ to: at(-0.9) }),
      gap({ to: at(-1) }),
      gap({ platform: 'firehose' }),
      gap({ ruleId: 'mine' }),
      gap({ ruleId: 'other' }),
    ];
    const hooks = { 'gap.opened': [hook('x', { platforms: ['x'], ruleIds: ['mine'] })] };
    const { told, data, changed, asked, run } = stage({ gaps, hooks });
    await using _ = await run();
    expect(data().map((one) => [one.data?.['rule_id'], one.data?.['to']])).toEqual([
      [undefined, null],
      [undefined, at(-0.9).toISOString()],
      ['mine', null],
    ]);
    expect(data()[0]!.data).toEqual({ platform: 'x', from: at(-0.5).toISOString(), to: null, cause: 'down' });
    expect([changed, told[0]!.webhookId]).toEqual([['x'], 'x']);
    // Those of other rules take none of the fifty that are read.
    expect(asked.gaps).toEqual([{ platform: 'x', since: at(-24), accountId: 'a', limit: 50, ruleIds: ['mine'] }]);
  });

  it('have one id for one gap, whoever tells it and when', async () => {
    const ids: string[] = [];
    for (let process = 0; process < 2; process++) {
      const { told, run } = stage({ gaps: [gap(), gap({ from: at(-0.4) })], hooks: { 'gap.opened': [hook('x')] } });
      await using _ = await run();
      ids.push(told.map(({ id }) => id).join(' '));
    }
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids[0]!.split(' ')).size).toBe(2);
  });

  it('are told of a gap once, and of it again when they come back', async () => {
    const hooks = { 'gap.opened': [hook('x'), hook('y')] };
    const gaps = [gap(), gap({ from: at(-0.4) })];
    const { clock, told, changed, state, run } = stage({ gaps, hooks });
    await using _ = await run();
    await clock.pass(30_000);
    expect([told.length, changed]).toEqual([4, ['x', 'y']]);
    gaps.push(gap({ from: at(-0.3) }));
    await clock.pass(10_000);
    expect([told.length, changed]).toEqual([6, ['x', 'y', 'x', 'y']]);
    // The store keeps what it has of it.
    state.hooks = { 'gap.opened': [hook('x')] };
    await clock.pass(10_000);
    state.hooks = hooks;
    await clock.pass(10_000);
    expect(told.slice(6).map(({ webhookId }) => webhookId)).toEqual(['y', 'y', 'y']);
  });

  it('share what is read for their account', async () => {
    const hooks = { 'gap.opened': [hook('one'), hook('two')], 'alert.raised': [hook('three'), hook('four')] };
    const { asked, run } = stage({ hooks });
    await using _ = await run();
    expect([asked.gaps.length, asked.alerts]).toEqual([2, 1]);
  });
});

describe('receivers of matches', () => {
  const takes = { arguments: '{"control_messages":true}', event: 'match.created' };

  it('that take messages are told of gaps that began since they subscribed', async () => {
    const mine = { events: ['match'], ruleIds: ['mine'] };
    const hooks = { 'match.created': [hook('takes', mine, takes), hook('not', mine)] };
    const gaps = [gap(), gap({ from: at(-1) }), gap({ platform: 'firehose' }), gap({ ruleId: 'other' })];
    const { told, data, run } = stage({ gaps, hooks });
    await using _ = await run();
    expect(data()).toEqual([{ type: 'gap', cursor: `at ${positionAt(START - HOUR)}` }]);
    expect(told).toMatchObject([{ webhookId: 'takes', id: expect.stringMatching(/^msg_gap_[0-9a-f]{16}$/) }]);
  });

  it('without a rule are told of none', async () => {
    const store = { rule: async () => undefined, gaps: async () => [gap()] } as never;
    const reads = <T>(_: string, read: () => Promise<T>) => read();
    expect(await gapMessages(store, hook('x', {}, takes), reads, at(0))).toEqual([]);
  });
});

describe('subscribers of alerts', () => {
  it('are told of those that were found since, of their rules and platforms', async () => {
    const alerts = [
      alert(),
      alert({ id: newId('alert', at(-1)) }),
      alert({ ruleId: 'other' }),
      alert({ platform: 'firehose' }),
    ];
    const hooks = { 'alert.raised': [hook('x', { ruleIds: ['r'], platforms: ['x'] })] };
    const { data, run } = stage({ alerts, hooks });
    await using _ = await run();
    expect(data().map((one) => one.data)).toMatchObject([
      { alert_id: alerts[0]!.id, rule_id: 'r', platform: 'x', kind: 'surge', rate: 9, usual_rate: 1, to: null },
    ]);
  });

  it('are not told of what was found more than a day ago', async () => {
    const hooks = { 'alert.raised': [hook('x', {}, { start: 0 })] };
    const found = (hours: number) => alert({ id: newId('alert', at(hours)) });
    const { told, run } = stage({ alerts: [found(-23.9), found(-24.1)], hooks });
    await using _ = await run();
    expect(told).toHaveLength(1);
  });
});

describe('telling', () => {
  it('is repeated every ten seconds while someone wants to know, and otherwise when asked to', async () => {
    const { clock, asked, state, events, run } = stage();
    await using _ = await run();
    await clock.pass(60_000);
    expect(asked.subscribers).toBe(1);
    state.hooks = { 'gap.opened': [hook('x')] };
    events.look();
    await clock.pass(0);
    expect(asked.subscribers).toBe(2);
    await clock.pass(9_999);
    expect(asked.subscribers).toBe(2);
    await clock.pass(1);
    expect(asked.subscribers).toBe(3);
  });

  it('is done once a second, however many agents subscribe', async () => {
    const { clock, asked, events, run } = stage({ hooks: { 'gap.opened': [hook('x')] } });
    await using _ = await run();
    for (let subscribed = 0; subscribed < 40; subscribed++) {
      events.look();
      await clock.pass(50);
    }
    expect(asked.subscribers).toBe(3);
  });

  it('is repeated on a shared store, where another process may take subscriptions', async () => {
    const shared = stage({ isShared: true });
    await using _ = await shared.run();
    await shared.clock.pass(10_000);
    expect(shared.asked.subscribers).toBe(2);
  });

  it('is repeated after a failure', async () => {
    const failing = stage();
    failing.state.fails = true;
    await using _ = await failing.run();
    await failing.clock.pass(10_000);
    expect([failing.asked.subscribers, failing.warned.length]).toEqual([2, 2]);
  });

  it('passes over what is no subscription', async () => {
    const { told, run } = stage({
      gaps: [gap()],
      hooks: { 'gap.opened': [{ ...hook('x'), subscription: undefined }] },
    });
    await using _ = await run();
    expect(told).toEqual([]);
  });
});

describe('the challenges of a host', () => {
  it('are counted by the span, each host for itself', () => {
    const clock = fakeClock();
    const counter = createChallengeCounter(clock, { most: 2, span: 1_000 });
    const take = (host = 'a') => counter.allow(host);
    expect([take(), take(), take(), take('b')]).toEqual([true, true, false, true]);
    clock.jump(1_000);
    expect([take(), take(), take()]).toEqual([true, true, false]);
  });
});
