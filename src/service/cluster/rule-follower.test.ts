import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Rule } from '../../domain/rule.ts';
import { StoreError } from '../../store/error.ts';
import type { NodeReport, Store } from '../../store/store.ts';
import { createRuleFollower, type RuleFollower } from './rule-follower.ts';

/** A node on a store that other nodes write to, and time that only passes when the test says so. */
function stage({ loaded = Promise.resolve() }: { loaded?: Promise<void> } = {}) {
  const clock = fakeClock();
  const written = { prefix: 'rule_', ruleChange: 0, isAway: false, bells: 0, presentFor: 0, onNews: () => {} };
  const reports: NodeReport[] = [];
  const dropped: string[] = [];
  const alerts: string[] = [];
  const others: NodeReport[] = [];
  const left: Rule[] = [];
  const undone: string[] = [];
  const released: string[] = [];
  const answer = async <T>(value: () => T): Promise<T> => {
    if (written.isAway) throw new StoreError('away', 'the store is away');
    return value();
  };
  const store = {
    isShared: true,
    bell: () =>
      answer(() => {
        written.bells++;
        return async () => {};
      }),
    news: () =>
      answer(() => {
        const news = { latest: 0, ruleChange: written.ruleChange };
        written.onNews();
        return news;
      }),
    ruleChanges: (after: number) =>
      answer(() =>
        Array.from({ length: written.ruleChange - after }, (_, index) => ({
          number: after + index + 1,
          accountId: 'acct_1',
          ruleId: `${written.prefix}${after + index + 1}`,
        })),
      ),
    rule: () => answer(() => undefined),
    alert: (accountId: string, id: string) => answer(() => ({ accountId, id })),
    reportNode: (report: NodeReport, now: Date, milliseconds: number) =>
      answer(() => {
        written.presentFor = milliseconds;
        reports.push(report);
        return now;
      }),
    nodes: () => answer(() => [...others, ...reports.slice(-1)]),
    removeNode: async () => {},
    unfinishedRules: async function* () {
      yield left.filter(({ id }) => !undone.includes(id));
    },
    undoRule: async (_: string, ruleId: string) => undone.push(ruleId) > 0,
  } as unknown as Store;
  const nothing = () => {};
  const follow = createRuleFollower({
    store,
    clock,
    log: { info: nothing, warn: nothing, error: nothing },
    matching: { loaded, put: nothing, drop: (id) => void dropped.push(id) },
    live: { committed: nothing, forget: nothing, endRule: nothing, alert: ({ id }) => void alerts.push(id) },
    dispatcher: { owed: nothing },
    matchSignals: { committedElsewhere: nothing },
    suspensions: { follow: async () => {} },
    registrations: { release: async (texts) => void released.push(...Object.keys(texts)) },
    node: { id: 'node', roles: ['api'] },
    hasRules: true,
  });
  return { clock, written, reports, dropped, alerts, others, left, undone, released, follow };
}

/** Follows until it is disposed. */
function following(follow: RuleFollower): AsyncDisposable {
  const stopping = new AbortController();
  const running = follow.run(stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

describe('a node among others', () => {
  it('matches at once as long as the others wait for it', async () => {
    const { clock, follow, written, reports } = stage();
    await follow.begin();
    await using _ = following(follow);
    await follow.current();
    await clock.pass(60_000);
    written.ruleChange = 2;
    await follow.current();
    await clock.pass(500);
    expect(reports.at(-1)).toMatchObject({ applied: 2 });
  });

  it('tells its own streams of alerts that another node found, and drops no rule for them', async () => {
    const { clock, follow, written, alerts, dropped } = stage();
    await follow.begin();
    await using _ = following(follow);
    await clock.pass(1_000);
    written.prefix = 'alert alert_';
    written.ruleChange = 2;
    await clock.pass(1_000);
    expect([alerts, dropped]).toEqual([['alert_1', 'alert_2'], []]);
  });

  it('is waited for by the others for less than ten seconds after it froze, and for longer than between two reports', async () => {
    const { clock, follow, written, reports } = stage();
    await follow.begin();
    await using _ = following(follow);
    await clock.pass(60_000);
    expect(written.presentFor).toBeLessThan(10_000);
    // Two of three reports may be lost.
    expect(reports.length).toBeGreaterThan((3 * 60_000) / written.presentFor);
  });

  it('writes of itself every two seconds while nothing changes, although it looks more often, and at once when it has applied a change', async () => {
    const { clock, follow, written, reports } = stage();
    await follow.begin();
    await using _ = following(follow);
    await clock.pass(20_000);
    expect(reports).toHaveLength(11);
    written.ruleChange = 1;
    await clock.pass(500);
    expect([reports.length, reports.at(-1)!.applied]).toEqual([12, 1]);
  });

  it('goes on when the store is away at the moment it starts to listen', async () => {
    const { clock, follow, written } = stage();
    await follow.begin();
    written.isAway = true;
    await using _ = following(follow);
    await clock.pass(1_000);
    expect(follow.trouble).toBe('store_away');
    written.isAway = false;
    await clock.pass(1_000);
    expect(follow.trouble).toBeUndefined();
  });

  it('does not match after it was cut off before it has caught up', async () => {
    const { clock, follow, written, dropped } = stage();
    await follow.begin();
    expect(follow.trouble).toBe('node_behind');
    await using _ = following(follow);
    await follow.current();
    expect(follow.trouble).toBeUndefined();
    written.isAway = true;
    await clock.pass(11_000);
    expect(follow.trouble).toBe('store_away');
    await expect(follow.current()).rejects.toMatchObject({ code: 'unavailable' });
    written.ruleChange = 3;
    written.isAway = false;
    await clock.pass(500);
    await follow.current();
    expect(dropped).toEqual(['rule_1', 'rule_2', 'rule_3']);
  });

  it('goes on when the store is away at the moment it begins to listen', async () => {
    const { clock, follow, written } = stage();
    await follow.begin();
    written.isAway = true;
    await using _ = following(follow);
    await clock.pass(1_000);
    expect([follow.trouble, written.bells]).toEqual(['store_away', 0]);
    written.isAway = false;
    await clock.pass(5_000);
    expect([follow.trouble, written.bells]).toEqual([undefined, 1]);
  });

  it('looks again when it was frozen during a look, since the others no longer waited for it', async () => {
    const { clock, follow, written, dropped } = stage();
    await follow.begin();
    await using _ = following(follow);
    await follow.current();
    // The node reads the log, is frozen for eleven seconds, and rules change meanwhile.
    written.onNews = () => {
      written.onNews = () => {};
      clock.jump(11_000);
      written.ruleChange = 1;
    };
    await clock.pass(500);
    await follow.current();
    expect(dropped).toEqual(['rule_1']);
  });

  it('ends when it is told to, though a start that was cut short never loads the rules', async () => {
    const { follow, written } = stage({ loaded: new Promise(() => {}) });
    const stopping = new AbortController();
    const running = follow.run(stopping.signal);
    stopping.abort();
    await running;
    expect(written.bells).toBe(0);
  });

  it('knows how many others answer requests', async () => {
    const { clock, follow, others } = stage();
    await follow.begin();
    await using _ = following(follow);
    await follow.current();
    expect(follow.presence.apis).toBe(1);
    others.push({ id: 'a', roles: ['api', 'matcher'], applied: 0 }, { id: 'b', roles: ['delivery'], applied: 0 });
    await clock.pass(4_000);
    expect(follow.presence.apis).toBe(2);
    others.length = 0;
    await clock.pass(4_000);
    expect(follow.presence.apis).toBe(1);
  });

  it('undoes the rule of a node that died, once it cannot be under way any more', async () => {
    const { clock, follow, left, undone, released } = stage();
    const stopping = new AbortController();
    await follow.begin();
    const running = follow.run(stopping.signal);
    await clock.pass(1_000);
    const createdAt = clock.now();
    const rule = { id: 'rule_1', accountId: 'acct_1', createdAt, platforms: { x: { status: 'pending' } } } as Rule;
    left.push(rule);
    await clock.pass(59_000);
    expect(undone).toEqual([]);
    await clock.pass(31_000);
    expect(undone).toEqual(['rule_1']);
    expect(released).toEqual(['x']);
    stopping.abort();
    await clock.pass(1_000);
    await running;
  });
});
