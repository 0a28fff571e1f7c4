/**
 * The store on SQLite, in one file. `node:sqlite` works synchronously: every read is short, what may be long is cut into
 * slices with a breath between them, and writes run in a thread of their own.
 */
import { systemClock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import type { Rule } from '../domain/rule.ts';
import { textCommit } from './rows/commit.ts';
import { storedSince } from './rows/owed.ts';
import { eventsOf, type RecentLimits } from './rows/recent.ts';
import type { RuleSlice } from './rows/rules.ts';
import { IN_MEMORY, type Keeper, keep } from './sqlite/keeper.ts';
import { breathe, readsOf } from './sqlite/reads.ts';
import { sharedVersion } from './sqlite/version.ts';
import { threadWriter, type Writer } from './sqlite/writer.ts';
import { callByName, type Write, type WriteOptions, writesOf } from './sqlite/writes.ts';
import type { RecentEvent, Store, StoreOptions } from './store.ts';

/** About 64 MiB of recent events a platform. */
const RECENT: RecentLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
/** Recent events parsed between two breaths. */
const RECENT_SLICE = 100;

type Reads = ReturnType<typeof readsOf>;
type Read = Keeper<Reads>['run'];

/** Opens or makes the database at this path; `:memory:` is for tests. */
export async function openSqlite(path: string, options: StoreOptions = {}): Promise<Store> {
  const { clock = systemClock, retentionDays = RETENTION_DAYS, recent } = options;
  const parts = openParts(path, { retentionDays, recent: { ...RECENT, ...recent } });
  const { read } = parts;
  const { version, forget } = sharedVersion(() => read((db) => db.version()));
  const write: Write = (name, ...args) => parts.write(name, ...args).finally(forget);
  await read(() => {});
  return {
    addAccount: (account) => write('addAccount', account),
    account: (idOrName) => read((db) => db.account(idOrName)),
    accounts: () => read((db) => db.accounts()),
    changeAccount: (id, change) => write('changeAccount', id, change),
    addKey: (key, digest) => write('addKey', key, digest),
    keyByDigest: (digest) => read((db) => db.keyByDigest(digest)),
    keys: (accountId) => read((db) => db.keys(accountId)),
    revokeKey: (accountId, keyId) => write('revokeKey', accountId, keyId),
    touchKey: (keyId, at) => write('touchKey', keyId, at),

    addPass: (pass) => write('addPass', pass),
    pass: (digest, now) => read((db) => db.pass(digest, now)),
    usePass: (digest, now) => write('usePass', digest, now),
    takePass: (digest, now) => write('takePass', digest, now),

    addRule: (rule, limits) => write('addRule', rule, limits),
    rule: (accountId, ruleId) => read((db) => db.rule(accountId, ruleId)),
    rules: (accountId) => ruleSlices((after) => read((db) => db.rulesAfter(accountId, after))),
    everyRule: () => ruleSlices((after) => read((db) => db.everyRuleAfter(after))),
    unfinishedRules: () => ruleSlices((after) => read((db) => db.unfinishedRulesAfter(after))),
    countRules: (accountId) => read((db) => db.countRules(accountId)),
    setRuleStatus: (ruleId, platform, state) => write('setRuleStatus', ruleId, platform, state),
    changeRule: (accountId, ruleId, change) => write('changeRule', accountId, ruleId, change),
    deleteRule: (accountId, ruleId) => write('deleteRule', accountId, ruleId),
    countHolders: (platform, value, flags) => read((db) => db.countHolders(platform, value, flags)),

    instance: (offered) => write('instance', offered),
    registrations: (platform) => read((db) => db.registrations(platform)),
    changeRegistrations: (change) => write('changeRegistrations', change),

    remembered: (accountId, key) => read((db) => db.remembered(accountId, key, clock.now())),
    claimAnswer: (claim) => write('claimAnswer', claim, clock.now()),
    remember: (accountId, key, digest, answer) => write('remember', accountId, key, digest, answer, clock.now()),

    commit: async (batch) => write('commit', textCommit(batch)),
    cursor: (name) => read((db) => db.cursor(name)),
    matches: (query) => read((db) => db.matches(query)),
    match: (accountId, matchId) => read((db) => db.match(accountId, matchId)),
    matchesAfter: (query) => read((db) => db.matchesAfter(query)),
    latest: () => read((db) => db.latest()),
    oldest: () => read((db) => db.oldest()),
    matchCounts: (query) => read((db) => db.matchCounts(query)),
    deleteMatches: (accountId, platform, postId) => erase(write, accountId, platform, postId),

    addWebhook: (webhook, limit) => write('addWebhook', webhook, limit),
    webhooks: (accountId) => read((db) => db.webhooks(accountId)),
    webhook: (accountId, webhookId) => read((db) => db.webhook(accountId, webhookId)),
    changeWebhook: (accountId, webhookId, change) => write('changeWebhook', accountId, webhookId, change),
    deleteWebhook: (accountId, webhookId) => write('deleteWebhook', accountId, webhookId),
    deliveries: (query) => read((db) => db.deliveries(query)),
    delivery: (accountId, deliveryId) => read((db) => db.delivery(accountId, deliveryId)),
    redeliver: (accountId, deliveryId, now) => write('redeliver', accountId, deliveryId, now),
    redeliverSince: (accountId, webhookId, since, now) => redeliverSince(write, accountId, webhookId, since, now),

    agenda: (of) => read((db) => db.agenda(of)),
    claimWebhook: (webhookId, claim) => write('claimWebhook', webhookId, claim),
    releaseWebhooks: (holder) => write('releaseWebhooks', holder),
    owedMatches: (webhookId, until, limit, bytes) => read((db) => db.owedMatches(webhookId, until, limit, bytes)),
    freeze: (batch) => write('freeze', batch),
    pendingDeliveries: (webhookId, limit) => read((db) => db.pendingDeliveries(webhookId, limit)),
    pendingBody: (deliveryId) => read((db) => db.pendingBody(deliveryId)),
    recordAttempt: (record) => write('recordAttempt', record),

    takeLease: (wish) => write('takeLease', wish),
    releaseLease: (lease) => write('releaseLease', lease),
    gaps: (query) => read((db) => db.gaps(query)),
    coverage: (platform) => read((db) => db.coverage(platform)),
    broken: (platform, limit) => read((db) => db.broken(platform, limit)),
    usage: (accountId, platform, month) => read((db) => db.usage(accountId, platform, month)),
    ruleUsage: (accountId, platform, month, limit) => read((db) => db.ruleUsage(accountId, platform, month, limit)),

    isShared: false,
    // One process serves from a file, and knows what it writes.
    bell: async () => async () => {},
    news: () => read((db) => db.news()),
    ruleChanges: (after, limit) => read((db) => db.ruleChanges(after, limit)),
    reportNode: (node, now, milliseconds) => write('reportNode', node, now, milliseconds),
    removeNode: (id) => write('removeNode', id),
    nodes: (now) => read((db) => db.nodes(now)),

    recentEvents: (accountId, platform, limit) => recentSlices(read, accountId, platform, limit),
    recentTotals: (platform) => read((db) => db.recentTotals(platform)),

    version,
    removeSlice: (now) => write('removeSlice', now),
    backup: parts.backup,
    check: () => write('check', clock.now()),
    [Symbol.asyncDispose]: parts.close,
  };
}

interface OpenParts extends Writer {
  readonly read: Read;
  readonly backup: Store['backup'];
}

function openParts(path: string, options: WriteOptions): OpenParts {
  if (path === IN_MEMORY) return openInMemory(options);
  const { run, close } = keep(path, readsOf);
  const writer = threadWriter({ path, options });
  return {
    read: run,
    write: writer.write,
    async backup(to) {
      const copier = threadWriter({ path, options });
      try {
        await copier.write('backup', to);
      } finally {
        await copier.close();
      }
    },
    async close() {
      await writer.close();
      close();
    },
  };
}

/** One connection is all there is to a database in memory, so everything happens where it was asked for. */
function openInMemory(options: WriteOptions): OpenParts {
  const { run, close } = keep(IN_MEMORY, (db) => ({ reads: readsOf(db), writes: writesOf(db, options) }));
  const call = (name: string, ...args: readonly unknown[]) => run(({ writes }) => callByName(writes, name, args));
  const write = call as Write;
  return {
    read: (work) => run(({ reads }, db) => work(reads, db)),
    write,
    backup: (to) => write('backup', to),
    close: async () => close(),
  };
}

async function* ruleSlices(next: (after: number) => Promise<RuleSlice>): AsyncIterable<Rule[]> {
  for (let slice = await next(0); slice.last !== undefined; slice = await next(slice.last)) {
    yield slice.rules;
    await breathe();
  }
}

async function* recentSlices(
  read: Read,
  accountId: string,
  platform: Platform,
  limit: number,
): AsyncIterable<RecentEvent[]> {
  const rowBefore = (number: number) => read((db) => db.recentBefore(platform, number));
  /** A post that came again, or in parts, is shown once. */
  const seen = new Set<string>();
  let slice: RecentEvent[] = [];
  for (let row = await rowBefore(Number.MAX_SAFE_INTEGER); row !== undefined; row = await rowBefore(row.number)) {
    for (const recent of eventsOf(row, platform, accountId)) {
      if (seen.has(recent.event.postId)) continue;
      if (seen.size === limit) break;
      seen.add(recent.event.postId);
      slice.push(recent);
      if (slice.length < RECENT_SLICE) continue;
      yield slice;
      slice = [];
      await breathe();
    }
    if (seen.size === limit) break;
    await breathe();
  }
  if (slice.length > 0) yield slice;
}

async function erase(write: Write, accountId: string, platform: Platform, postId: string): Promise<number> {
  const gone = await write('eraseMatches', accountId, platform, postId);
  let after: number | undefined = 0;
  while (after !== undefined) after = await write('eraseRecent', accountId, platform, postId, after);
  await write('emptyLog');
  return gone;
}

async function redeliverSince(
  write: Write,
  accountId: string,
  webhookId: string,
  since: Date,
  now: Date,
): Promise<{ deliveries: number; matches: number }> {
  let [deliveries, matches] = [0, 0];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const { queued, next }: { queued: number; next: number | undefined } = await write(
      'redeliverSlice',
      accountId,
      webhookId,
      since,
      now,
      from,
    );
    deliveries += queued;
    from = next;
  }
  for (const { platform, after: first } of storedSince(since)) {
    let after: number | undefined = first;
    while (after !== undefined) {
      const { owed, next }: { owed: number; next: number | undefined } = await write(
        'oweStored',
        accountId,
        webhookId,
        platform,
        after,
      );
      matches += owed;
      after = next;
    }
  }
  return { deliveries, matches };
}
