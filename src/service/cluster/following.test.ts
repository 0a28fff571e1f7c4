import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import type { MatchNews, NodeReport, Store } from '../../store/store.ts';
import { createNodePresence } from './node-presence.ts';
import { createRuleFollower } from './rule-follower.ts';

/** A node that notes what it tells its engines and its ways out. */
function stage({ isShared = true } = {}) {
  const clock = fakeClock();
  const log: { number: number; accountId: string; ruleId: string }[] = [];
  const stored = new Map<string, object>();
  const others: Partial<NodeReport>[] = [];
  const state = {
    latest: 0,
    ahead: 0,
    silence: Promise.resolve(),
    removed: [] as string[],
    listening: 0,
    ring: null as ((news: MatchNews | undefined) => void) | null,
  };
  const told: string[] = [];
  const warned: string[] = [];
  const store = slow({
    isShared,
    bell: async (ring: NonNullable<typeof state.ring>) => {
      state.listening++;
      state.ring = ring;
      return async () => void state.listening--;
    },
    news: async () => {
      await state.silence;
      return { latest: state.latest, ruleChange: log.at(-1)?.number ?? 0 };
    },
    ruleChanges: async (after: number, limit: number) => log.filter(({ number }) => number > after).slice(0, limit),
    // Asked for each of hundreds of changes.
    rule: (_: string, id: string) => Promise.resolve(stored.get(id)),
    alert: async (_: string, id: string) => (id === 'alert_gone' ? undefined : { id }),
    reportNode: async (_: unknown, now: Date) => new Date(now.getTime() - state.ahead),
    nodes: async () => others,
    removeNode: async (id: string) => void state.removed.push(id),
    unfinishedRules: async function* () {
      told.push('sweep');
      yield [];
    },
  }) as unknown as Store;
  const follower = createRuleFollower({
    store,
    clock,
    log: { info: () => {}, warn: (_, message) => void warned.push(message), error: () => {} },
    matching: {
      loaded: Promise.resolve(),
      put: ({ id }) => void told.push(`put ${id}`),
      drop: (id) => void told.push(`drop ${id}`),
    },
    live: {
      committed: (accounts) => void told.push(`committed ${accounts?.join() ?? 'all'}`),
      forget: (account) => void told.push(`forget ${account}`),
      endRule: (id) => void told.push(`end ${id}`),
      alert: ({ id }) => void told.push(`alert ${id}`),
    },
    dispatcher: { owed: (account) => void told.push(`owed ${account ?? 'all'}`) },
    matchSignals: { committedElsewhere: (accounts) => void told.push(`signals ${accounts?.join() ?? 'all'}`) },
    suspensions: { follow: async () => void told.push('accounts') },
    registrations: slow({ release: async () => {} }),
    node: { id: 'me', roles: ['api'] },
    hasRules: true,
  });
  const change = (ruleId: string) => log.push({ number: log.length + 1, accountId: 'a', ruleId });
  const begun = async () => {
    await follower.begin();
    const stopping = new AbortController();
    const running = follower.run(stopping.signal);
    await clock.pass(1);
    told.length = 0;
    return {
      stopping,
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await running;
      },
    };
  };
  return { clock, store, follower, stored, others, state, told, warned, change, begun };
}

describe('a node that follows others', () => {
  it('takes up a rule that is there, once for several changes, and drops one that is gone', async () => {
    const { clock, stored, told, change, begun } = stage();
    await using _ = await begun();
    stored.set('r1', { id: 'r1', accountId: 'a', version: 1, platforms: {}, paused: false });
    for (const id of ['r1', 'r2', 'r1', 'alert alert_1', 'alert alert_gone', 'snapshot x']) change(id);
    await clock.pass(500);
    expect(told).toEqual(['put r1', 'drop r2', 'forget a', 'end r2', 'alert alert_1']);
    told.length = 0;
    await clock.pass(500);
    expect(told).toEqual([]);
  });

  it('does not apply what was changed before it loaded its rules', async () => {
    const { clock, told, change, begun } = stage();
    change('old');
    await using _ = await begun();
    await clock.pass(1_000);
    expect(told).toEqual([]);
  });

  it('goes through more changes than it reads at once', async () => {
    const { clock, told, change, begun } = stage();
    await using _ = await begun();
    for (let at = 0; at < 501; at++) change(`r${at}`);
    await clock.pass(500);
    expect(told.filter((line) => line.startsWith('drop'))).toHaveLength(501);
  });

  const ALL = ['committed all', 'signals all', 'owed all'];

  it('tells the accounts that a notice names, once', async () => {
    const { clock, told, state, begun } = stage();
    await using _ = await begun();
    state.latest = 1;
    state.ring!({ accountIds: ['a', 'b'], spans: [{ before: 0, latest: 1 }] });
    await clock.pass(1);
    expect(told).toEqual(['committed a,b', 'signals a,b', 'owed a', 'owed b']);
    told.length = 0;
    state.ring!(undefined);
    await clock.pass(2_000);
    expect(told).toEqual([]);
  });

  it.each([
    { when: 'the bell stays silent', ring: undefined },
    { when: 'another notice comes', ring: { accountIds: [], spans: [{ before: 1, latest: 2 }] } },
    { when: 'a notice does not say what it is about', ring: { accountIds: [], spans: [] } },
  ])('tells every account of a match whose notice was lost when $when', async ({ ring }) => {
    const { clock, told, state, begun } = stage();
    await using _ = await begun();
    state.latest = 2;
    if (ring !== undefined) state.ring!(ring);
    // The bell rings for a rule: it says nothing of matches.
    state.ring!(undefined);
    await clock.pass(1_000);
    expect(told.slice(-3)).toEqual(ALL);
    told.length = 0;
    await clock.pass(1_000);
    expect(told).toEqual([]);
  });

  it('looks at once when the bell rings, and every half second without it', async () => {
    const { clock, told, state, change, begun } = stage();
    await using _ = await begun();
    change('r1');
    state.ring!(undefined);
    await clock.pass(0);
    expect(told).toContain('drop r1');
    change('r2');
    await clock.pass(499);
    expect(told).not.toContain('drop r2');
    await clock.pass(1);
    expect(told).toContain('drop r2');
  });

  it('sweeps up every thirty seconds', async () => {
    const { clock, told, begun } = stage();
    await using _ = await begun();
    await clock.pass(29_000);
    expect(told).toEqual([]);
    await clock.pass(1_500);
    expect(told).toEqual(['owed all', 'sweep']);
  });

  it('leaves when it stops, and listens no more', async () => {
    const { state, begun } = stage();
    {
      await using _ = await begun();
      expect([state.listening, state.removed]).toEqual([1, []]);
    }
    expect([state.listening, state.removed]).toEqual([0, ['me']]);
  });

  it('knows how far its clock is ahead of that of the store', async () => {
    const { follower, state, begun } = stage();
    state.ahead = 120_000;
    await using _ = await begun();
    expect(follower.presence.clockAhead).toBe(120_000);
  });

  it('is in trouble after four seconds in which the store says nothing, and no more when it answers', async () => {
    const { follower, state, clock, begun } = stage();
    await using _ = await begun();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.silence = promise;
    await clock.pass(4_400);
    expect(follower.trouble).toBeUndefined();
    await clock.pass(1_000);
    expect(follower.trouble).toBe('store_away');
    resolve();
    await clock.pass(1_000);
    expect(follower.trouble).toBeUndefined();
  });

  it('is in trouble while the log lacks what it should have, says so once, and goes on after that', async () => {
    const { clock, store, follower, warned, begun } = stage();
    await using _ = await begun();
    expect([follower.trouble, follower.presence.apis]).toEqual([undefined, 1]);
    const { news } = store;
    Object.assign(store, { news: async () => ({ latest: 0, ruleChange: 7 }) });
    await clock.pass(2_000);
    expect([follower.trouble, warned.length]).toEqual(['node_behind', 1]);
    Object.assign(store, { news });
    await clock.pass(500);
    expect(follower.trouble).toBeUndefined();
  });
});

describe('a change of a rule', () => {
  it('is waited for until every other node has applied it, longer each time', async () => {
    const { clock, store, follower, others, change } = stage();
    change('r1');
    others.push({ id: 'me', applied: 0 }, { id: 'other', applied: 0 });
    const waits: number[] = [];
    const { nodes } = store;
    let last = clock.elapsed();
    Object.assign(store, {
      nodes: (...now: Parameters<typeof nodes>) => {
        waits.push(clock.elapsed() - last);
        last = clock.elapsed();
        return nodes(...now);
      },
    });
    let isDone = false;
    const waiting = (async () => {
      await follower.caughtUp();
      isDone = true;
    })();
    await clock.pass(400);
    expect([isDone, waits]).toEqual([false, [0, 5, 10, 20, 40, 80, 100, 100]]);
    others[1] = { id: 'other', applied: 1 };
    await clock.pass(100);
    await waiting;
    expect(isDone).toBe(true);
  });

  it('concerns no one where the store is not shared', async () => {
    const { follower, others, state, change, begun } = stage({ isShared: false });
    change('r1');
    others.push({ id: 'other', applied: 0 });
    await follower.caughtUp();
    await follower.current();
    await using _ = await begun();
    expect([state.listening, follower.trouble]).toEqual([0, undefined]);
  });
});

describe('a node that ends', () => {
  it('refuses whoever waits for it to be current, and whoever asks later', async () => {
    const { clock, follower, state, begun } = stage();
    await using running = await begun();
    await follower.current();
    const silence = Promise.withResolvers<void>();
    state.silence = silence.promise;
    await clock.pass(11_000);
    const refusals: unknown[] = [];
    const ask = () => follower.current().catch((error: { code: string }) => refusals.push(error.code));
    void ask();
    await clock.pass(0);
    expect([refusals, follower.trouble]).toEqual([[], 'store_away']);
    running.stopping.abort();
    silence.resolve();
    await clock.pass(0);
    expect(refusals).toEqual(['unavailable']);
    void ask();
    await clock.pass(0);
    expect(refusals).toEqual(['unavailable', 'unavailable']);
  });
});

describe('the presence of a node', () => {
  it('is reported every two seconds, at once when there is news, and lasts for seven', async () => {
    const clock = fakeClock();
    const reports: unknown[] = [];
    let nodes = [{ id: 'me', roles: ['api'] }];
    const presence = createNodePresence(
      {
        async reportNode(report, at, milliseconds) {
          reports.push([report, at, milliseconds]);
          return at;
        },
        nodes: async () => nodes as never,
      },
      clock,
      { id: 'me', roles: ['api'] },
    );
    await presence.report(3, false);
    expect(reports).toEqual([[{ id: 'me', roles: ['api'], applied: 3 }, clock.now(), 7_000]]);
    expect([presence.presentUntil, presence.apis]).toEqual([clock.elapsed() + 7_000, 1]);
    clock.jump(1_999);
    nodes = [...nodes, { id: 'other', roles: ['api'] }, { id: 'third', roles: ['matcher'] }];
    await presence.report(3, false);
    expect([reports.length, presence.apis]).toEqual([1, 1]);
    await presence.report(4, true);
    expect(reports).toHaveLength(2);
    clock.jump(1);
    await presence.report(4, false);
    expect([reports.length, presence.apis]).toEqual([2, 2]);
    clock.jump(1_999);
    await presence.report(4, false);
    expect(reports).toHaveLength(3);
  });
});
