/** A watcher over a real store in virtual time: a rule with two weeks of four matches an hour, and a feed that can break. */
import { newId } from '../../src/base/ids.ts';
import type { Alert } from '../../src/domain/rule.ts';
import { localPlatform } from '../../src/platforms/local/local.ts';
import { createWatcher, type WatcherDeps } from '../../src/service/alerts/watcher.ts';
import { createCoverage } from '../../src/service/coverage/coverage.ts';
import { connect, IN_MEMORY } from '../../src/store/sqlite/connection.ts';
import { connectInMemory } from '../../src/store/sqlite/migrate.ts';
import { storeOnConnection } from '../../src/store/sqlite.ts';
import type { NewRule, Store } from '../../src/store/store.ts';
import { fakeClock } from './fake-clock.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const START = Date.parse('2026-11-15T08:00:00.000Z');

const PLATFORMS = { x: { value: 'storm', flags: {} } };

const ruleFrom = (begun: Date, accountId: string): NewRule => ({
  id: newId('rule', begun),
  accountId,
  name: 'Storms',
  intent: '',
  createdAt: begun,
  platforms: PLATFORMS,
  alerts: { surge: true, silence: true },
});

async function addActive(store: Store, rule: NewRule): Promise<NewRule> {
  await store.addRule(rule, {});
  await store.setRuleStatus(rule.id, 'x', { status: 'active' });
  return rule;
}

/** So many matches of each of these rules at a time, all at once. The number of the first post is `from`. */
const matchesAt = (at: Date, rules: readonly Pick<NewRule, 'id'>[], from: number, count: number, version = 1) => ({
  platform: 'x' as const,
  at,
  events: Array.from({ length: count }, (_, index) => ({
    event: { platform: 'x' as const, postId: `p${from + index}`, payload: {}, accountId: undefined },
    matches: rules.map(({ id }) => ({ ruleId: id, version, highlights: [] })),
  })),
});

const listenIn = (store: Store, at: Date) =>
  store.noteFeeds([{ platform: 'x', kind: 'push', name: '', state: 'live', reason: undefined, through: at, at }]);

async function storePast(days: number) {
  const begun = new Date(START - days * DAY);
  const account = { id: newId('acct', begun), name: 'one', plan: 'paid', xRules: 1_000, createdAt: begun } as const;
  const db = connectInMemory();
  await using store = storeOnConnection(db, { clock: fakeClock(new Date(START).toISOString()) });
  await store.addAccount(account);
  const rule = await addActive(store, ruleFrom(begun, account.id));
  await listenIn(store, begun);
  let posts = 0;
  for (let at = begun.getTime(); at < START; at += 15 * MINUTE)
    await store.commit(matchesAt(new Date(at), [rule], ++posts, 1));
  await listenIn(store, new Date(START));
  return { begun, account, rule, posts, image: db.serialize() };
}

/** A past is stored once, by its days; every stage begins with a copy. */
const pasts = new Map<number, ReturnType<typeof storePast>>();

export async function watchStage({ days = 14 }: { days?: number } = {}) {
  const clock = fakeClock(new Date(START).toISOString());
  const stored = pasts.get(days) ?? storePast(days);
  pasts.set(days, stored);
  const past = await stored;
  const { begun, account, rule } = past;
  const store = storeOnConnection(connect(IN_MEMORY, past.image), { clock });
  let { posts } = past;
  const told: Alert[] = [];

  const addRule = (change: Partial<NewRule> = {}): Promise<NewRule> =>
    addActive(store, { ...ruleFrom(begun, account.id), ...change });

  /** Matches at a time, all at once. */
  async function match(rules: readonly Pick<NewRule, 'id'>[], count: number, at = clock.now(), version = 1) {
    await store.commit(matchesAt(at, rules, posts + 1, count, version));
    posts += count;
  }

  /** The feed has brought everything up to now. */
  const listen = (at = clock.now()) => listenIn(store, at);

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

  const alerts = async () => (await store.alerts({ accountId: account.id, limit: 50 })).alerts;
  return Object.assign(
    { clock, store, account, rule, addRule, match, listen, pass, start, alerts, told, counted, logged },
    { [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() },
  );
}
