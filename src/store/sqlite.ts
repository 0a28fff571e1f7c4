/**
 * The store on SQLite, in one file. `node:sqlite` works synchronously: every call below is short, and what may be long
 * is cut into slices with a breath between them.
 */
import { systemClock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import type { Rule } from '../domain/rule.ts';
import { payloadTexts } from './sqlite/commit.ts';
import { breathe, type Database, database } from './sqlite/database.ts';
import { eventsOf, type RecentLimits } from './sqlite/recent.ts';
import type { RuleSlice } from './sqlite/rules.ts';
import type { RecentEvent, Store, StoreOptions } from './store.ts';

/** About 64 MiB of recent events a platform. */
const RECENT: RecentLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
/** Recent events parsed between two breaths. */
const RECENT_SLICE = 100;

/** Opens or makes the database at this path; `:memory:` is for tests. */
export async function openSqlite(path: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = systemClock, retentionDays = RETENTION_DAYS, recent } = options;
  const db = database(path, { now: () => clock.now().getTime(), retentionDays, recent: { ...RECENT, ...recent } });
  const { run } = db;
  await run(() => {});
  return {
    addAccount: (account) => run((parts) => parts.addAccount(account)),
    account: (idOrName) => run((parts) => parts.account(idOrName)),
    accounts: () => run((parts) => parts.accounts()),
    changeAccount: (id, change) => run((parts) => parts.changeAccount(id, change)),
    addKey: (key, digest) => run((parts) => parts.addKey(key, digest)),
    keyByDigest: (digest) => run((parts) => parts.keyByDigest(digest)),
    keys: (accountId) => run((parts) => parts.keys(accountId)),
    revokeKey: (accountId, keyId) => run((parts) => parts.revokeKey(accountId, keyId)),
    touchKey: (keyId, at) => run((parts) => parts.touchKey(keyId, at)),

    addRule: (rule, limits) => run((parts) => parts.addRule(rule, limits)),
    rule: (accountId, ruleId) => run((parts) => parts.rule(accountId, ruleId)),
    rules: (accountId) => ruleSlices((after) => run((parts) => parts.rulesAfter(accountId, after))),
    everyRule: () => ruleSlices((after) => run((parts) => parts.everyRuleAfter(after))),
    countRules: (accountId) => run((parts) => parts.countRules(accountId)),
    setRuleStatus: (ruleId, platform, state) => run((parts) => parts.setRuleStatus(ruleId, platform, state)),
    changeRule: (accountId, ruleId, change) => run((parts) => parts.changeRule(accountId, ruleId, change)),
    deleteRule: (accountId, ruleId) => run((parts) => parts.deleteRule(accountId, ruleId)),
    countHolders: (platform, value, flags) => run((parts) => parts.countHolders(platform, value, flags)),

    remembered: (accountId, key) => run((parts) => parts.remembered(accountId, key)),
    remember: (accountId, key, digest, answer) => run((parts) => parts.remember(accountId, key, digest, answer)),

    commit: (batch) => run((parts) => parts.commit(batch, payloadTexts(batch.events))),
    cursor: (platform) => run((parts) => parts.cursor(platform)),
    matches: (query) => run((parts) => parts.matches(query)),
    match: (accountId, matchId) => run((parts) => parts.match(accountId, matchId)),
    matchesAfter: (query) => run((parts) => parts.matchesAfter(query)),
    latest: () => run((parts) => parts.latest()),
    oldest: () => run((parts) => parts.oldest()),
    matchCounts: (query) => run((parts) => parts.matchCounts(query)),
    deleteMatches: (accountId, platform, postId) => erase(db, accountId, platform, postId),

    recentEvents: (accountId, platform, limit) => recentSlices(db, accountId, platform, limit),
    recentTotals: (platform) => run((parts) => parts.recentTotals(platform)),

    removeSlice: (now) => run((parts) => parts.removeSlice(now)),
    backup: db.backup,
    check: () => run((parts) => parts.check()),
    [Symbol.asyncDispose]: db.close,
  };
}

async function* ruleSlices(next: (after: number) => Promise<RuleSlice>): AsyncIterable<Rule[]> {
  for (let slice = await next(0); slice.last !== undefined; slice = await next(slice.last)) {
    yield slice.rules;
    await breathe();
  }
}

async function* recentSlices(
  { run }: Database,
  accountId: string,
  platform: Platform,
  limit: number,
): AsyncIterable<RecentEvent[]> {
  let left = limit;
  const rowBefore = (number: number) => run((parts) => parts.recentBefore(platform, number));
  for (let row = await rowBefore(Number.MAX_SAFE_INTEGER); row !== undefined; row = await rowBefore(row.number)) {
    let slice: RecentEvent[] = [];
    for (const event of eventsOf(row, platform, accountId)) {
      if (left-- === 0) {
        yield slice;
        return;
      }
      slice.push(event);
      if (slice.length < RECENT_SLICE) continue;
      yield slice;
      slice = [];
      await breathe();
    }
    if (slice.length > 0) yield slice;
    await breathe();
  }
}

async function erase({ run }: Database, accountId: string, platform: Platform, postId: string): Promise<number> {
  const gone = await run((parts) => parts.eraseMatches(accountId, platform, postId));
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    after = await run((parts) => parts.eraseRecent(accountId, platform, postId, from));
    await breathe();
  }
  await run((parts) => parts.emptyLog());
  return gone;
}
