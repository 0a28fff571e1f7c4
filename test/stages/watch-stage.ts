/** A watcher over a real store in virtual time: a rule with two weeks of four matches an hour, and a feed that can break. */
import { newId } from '../../src/base/ids.ts';
import type { Alert } from '../../src/domain/alert.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import { createWatcher, type WatcherDeps } from '../../src/service/alerts/watcher.ts';
import { createCoverage } from '../../src/service/coverage/coverage.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { NewRule, Store } from '../../src/store/store.ts';
import { fakeClock } from './fake-clock.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export async function watchStage({ days = 14, open }: { days?: number; open?: () => Promise<Store> } = {}) {
  const clock = fakeClock('2026-11-15T08:00:00.000Z');
  const store = open === undefined ? await openSqlite(':memory:', { clock }) : await open();
  const begun = new Date(clock.now().getTime() - days * DAY);
  const account = { id: newId('acct', begun), name: 'one', plan: 'paid', xRules: 1_000, createdAt: begun } as const;
  await store.addAccount(account);
  const told: Alert[] = [];
  let posts = 0;

  async function addRule(change: Partial<NewRule> = {}): Promise<NewRule> {
    const platforms = { x: { value: 'storm', flags: {} } };
    const named = { id: newId('rule', begun), accountId: account.id, name: 'Storms', intent: '', createdAt: begun };
    const rule = { ...named, platforms, alerts: { surge: true, silence: true }, ...change };
    await store.addRule(rule, {});
    await store.setRuleStatus(rule.id, 'x', { status: 'active' });
    return rule;
  }

  /** Matches at a time, all at once. */
  async function match(rules: readonly Pick<NewRule, 'id'>[], count: number, at = clock.now(), version = 1) {
    const events = Array.from({ length: count }, () => ({
      event: { platform: 'x' as const, postId: `p${++posts}`, payload: {}, accountId: undefined },
      matches: rules.map(({ id }) => ({ ruleId: id, version, highlights: [] })),
    }));
    await store.commit({ platform: 'x', at, events });
  }

  /** The feed has brought everything up to now. */
  const listen = (at = clock.now()) =>
    store.noteFeeds([{ platform: 'x', kind: 'push', name: '', state: 'live', reason: undefined, through: at, at }]);

  const platforms = { x: localPlatform('x'), firehose: localPlatform('firehose') };
  const coverageOf = (of: Store) =>
    createCoverage({
      store: of,
      clock,
      platforms,
      feeds: { own: () => [] },
      hasRules: () => true,
      isResting: () => false,
      troubles: () => [],
    });
  const counted: string[] = [];
  const logged: string[] = [];
  const log = { info: () => {}, warn: (_: object, line: string) => void logged.push(line), error: () => {} };

  /** A process that watches until it is stopped. */
  function start(id: string, of: Store = store) {
    const stopping = new AbortController();
    const deps: WatcherDeps = {
      store: of,
      clock,
      log,
      metrics: { alert: (platform, kind) => void counted.push(`${platform} ${kind}`) },
      holder: { id, isGone: () => false },
      live: { alert: (alert) => void told.push(alert) },
      dispatcher: { changed: () => {} },
      coverage: coverageOf(of),
    };
    const watcher = createWatcher(deps);
    const running = watcher.run(stopping.signal);
    return {
      watcher,
      async stop() {
        stopping.abort();
        await running;
      },
    };
  }

  /** Minutes pass, with a feed that works and so many matches a quarter of an hour. */
  async function pass(minutes: number, rules: readonly Pick<NewRule, 'id'>[] = [], { heard = true } = {}) {
    for (let minute = 0; minute < minutes; minute++) {
      if (heard) await listen();
      if (rules.length > 0 && Math.floor(clock.now().getTime() / MINUTE) % 15 === 0) await match(rules, 1);
      await clock.pass(MINUTE);
    }
  }

  const rule = await addRule();
  await listen(begun);
  for (let at = begun.getTime(); at < clock.now().getTime(); at += 15 * MINUTE) await match([rule], 1, new Date(at));
  await listen();
  const alerts = async () => (await store.alerts({ accountId: account.id, limit: 50 })).alerts;
  return Object.assign(
    { clock, store, account, rule, addRule, match, listen, pass, start, alerts, told, counted, logged },
    { [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() },
  );
}
