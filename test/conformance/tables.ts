/** What is left in the tables after things have gone: what no answer of the store would show. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease, Store, StoreOptions } from '../../src/store/store.ts';
import { addOther, at, DAY, eventOf, MINUTE, range, removeAll, ruleOf, START, stage } from './store/stage.ts';
import { subscriptionOf } from './store/subscriptions.ts';
import { webhookOf } from './store/webhooks.ts';

/** A store, and a way to its rows. */
export interface StoreWithTables {
  readonly store: Store;
  rows<Row>(text: string): Promise<Row[]>;
}

type OpenTables = (options?: StoreOptions) => Promise<StoreWithTables>;

/** Retention is 30 days: what is before `OLD` may go. */
const NOW = START + 100 * DAY;
const OLD = NOW - 30 * DAY;
const HUNDREDS = 2_300;

interface Kind {
  readonly table: string;
  /** Columns with their values; `i` is the number of the row, `t` its time. */
  readonly columns: Readonly<Record<string, string>>;
  /** The last time at which a row goes, and the first at which it stays. */
  readonly goes: number;
  readonly stays: number;
  readonly rows?: number;
}

const endsNow = { goes: NOW, stays: NOW + 1 };
const past = { goes: OLD - 1, stays: OLD };
const ACCOUNT = '(SELECT number FROM accounts)';

const KINDS: readonly Kind[] = [
  { table: 'passes', columns: { digest: 'name', account: `'a'`, key: `'k'`, ends_at: 't', used_at: '0' }, ...endsNow },
  {
    table: 'access_tokens',
    columns: { digest: 'name', grant_id: 'name', scopes: `'[]'`, ends_at: 't' },
    ...endsNow,
  },
  {
    table: 'grants',
    columns: {
      ...{ id: 'name', account: `'a'`, client: `'""'`, client_name: `'""'`, redirect_uri: `'""'`, resource: `'""'` },
      ...{ scopes: `'[]'`, created_at: '0', ends_at: 't', expires_at: 't', code: 'name', challenge: `''` },
    },
    ...endsNow,
  },
  {
    table: 'oauth_clients',
    columns: { id: 'name', name: `'""'`, redirect_uris: `'[]'`, created_at: '0', ends_at: 't' },
    ...endsNow,
  },
  {
    table: 'answers',
    columns: { account: ACCOUNT, key: 'name', body_digest: `''`, answer: `'{}'`, kept_at: 't' },
    goes: NOW - DAY,
    stays: NOW - DAY + 1,
  },
  { table: 'tombstones', columns: { digest: 'name', account: '0', until: 't' }, goes: NOW - 1, stays: NOW },
  {
    table: 'changes',
    columns: { account: ACCOUNT, at: 't', made_by: `'{}'`, kind: `'rule'`, what: `'rule.changed'`, subject: 'name' },
    ...past,
  },
  {
    table: 'alerts',
    columns: {
      ...{ id: 'name', account: ACCOUNT, rule: '1', platform: `'x'`, kind: `'surge'`, from_at: '0', to_at: 't' },
      ...{ rate: '1', usual_rate: '1' },
    },
    ...past,
  },
  {
    table: 'readings',
    columns: { source: 'name', minute: `t / ${MINUTE}`, events: '1', first_mark: `'""'`, last_mark: `'""'` },
    ...past,
  },
  {
    table: 'rehearsals',
    columns: {
      ...{ id: 'name', account: ACCOUNT, status: `'done'`, created_at: '0', ended_at: 't', due_at: '0' },
      ...{ events: '0', request: `'{}'` },
    },
    rows: 50,
    ...past,
  },
  { table: 'wake_stories', columns: { webhook: '1', story: 'name', woke: '0', seen: 't' }, ...past },
  {
    table: 'gaps',
    columns: {
      ...{ platform: `'x'`, owner: `''`, rule: `''`, source: 'name', from_at: '0', to_at: 't', cause: `'""'` },
      recovered: '0',
    },
    ...past,
  },
  { table: 'broken', columns: { platform: `'x'`, at: 't', reason: `'""'`, sample: `'""'` }, ...past },
  {
    table: 'deliveries',
    columns: {
      ...{ id: 'name', webhook: '1', account: ACCOUNT, created_at: 't', matches: '0', status: `'failed'`, made: '1' },
    },
    ...past,
  },
];

const insert = ({ table, columns }: Kind, from: number, to: number, time: number): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   WITH RECURSIVE n (i, t) AS (SELECT ${from}, CAST(${time} AS bigint) UNION ALL SELECT i + 1, t FROM n WHERE i < ${to}),
     named AS (SELECT i, t, 'name ' || i AS name FROM n)
   SELECT ${Object.values(columns).join(', ')} FROM named`;

export function tableCases(open: OpenTables): void {
  describe('what is past its time', () => {
    let opened: StoreWithTables;
    beforeAll(async () => {
      opened = await open({ retentionDays: 30 });
      await opened.store.addAccount({ id: 'acct_1', name: 'one', plan: 'paid', xRules: 1, createdAt: at(0) });
    });
    afterAll(() => opened.store[Symbol.asyncDispose]());

    it.each(KINDS)('leaves $table in slices, to the last row, and the next row stays', async (kind) => {
      const { store, rows } = opened;
      const { table, goes, stays, rows: many = HUNDREDS } = kind;
      await rows(insert(kind, 1, many, goes));
      await rows(insert(kind, many + 1, many + 2, stays));
      expect(await removeAll(store, new Date(NOW))).toBeGreaterThan(1);
      expect(await rows(`SELECT count(*) AS left FROM ${table}`)).toEqual([{ left: 2 }]);
      expect(await store.removeSlice(new Date(NOW))).toEqual({ more: false });
    });
  });

  describe('a deleted rule', () => {
    it('leaves nothing behind but what its account has used', async () => {
      const opened = await open({ retentionDays: 30 });
      await using stand = await stage(async () => opened.store);
      const { store, account, rule } = stand;
      await addOther(store);
      const before = await counted(opened);
      const full = ruleOf(account, { alerts: { surge: true, silence: true } });
      await store.addRule(full, {});
      await fill(store, account.id, full.id);
      const filled = await counted(opened);
      const grown = Object.keys(filled).filter((table) => filled[table]! > before[table]!);
      expect(grown).toEqual(expect.arrayContaining(OF_RULE));
      await store.deleteRule(account.id, full.id, undefined, { at: at(DAY), until: at(2 * DAY) });
      await removeAll(store, at(2 * DAY));
      const after = await counted(opened);
      const left = OF_RULE.filter((table) => after[table] !== before[table]);
      expect(left).toEqual(['usage']);
      expect(await store.usage(account.id, 'x', 202_611)).toEqual({ reads: 3, matches: 3 });
      expect(await store.rule(account.id, rule.id)).toBeDefined();
    });
  });

  describe('a delivery of very many matches', () => {
    it('leaves with few others at a time', async () => {
      const { store, rows } = await open({ retentionDays: 30 });
      await using _ = store;
      await store.addAccount({ id: 'acct_1', name: 'one', plan: 'paid', xRules: 1, createdAt: at(0) });
      const kind = KINDS.find(({ table }) => table === 'deliveries')!;
      await rows(insert({ ...kind, columns: { ...kind.columns, matches: '100000' } }, 1, 3, kind.goes));
      expect(await removeAll(store, new Date(NOW))).toBeGreaterThanOrEqual(4);
      expect(await rows('SELECT 1 AS one FROM deliveries')).toEqual([]);
    });
  });

  describe('the log of what was told', () => {
    it('is put into the book of its account from time to time', async () => {
      const opened = await open();
      await using stand = await stage(async () => opened.store);
      const { rule, commit } = stand;
      const kept = async () => [
        (await opened.rows('SELECT account FROM story_books')).length,
        (await opened.rows('SELECT account FROM story_log')).length,
      ];
      const events = (from: number, to: number) =>
        range(to - from).map((index) => eventOf(`${from + index}`, [rule], { text: `alpha${from + index}` }));
      await commit(...events(0, 250));
      expect(await kept()).toEqual([0, 1]);
      await commit(...events(250, 499));
      expect(await kept()).toEqual([0, 2]);
      await commit(...events(499, 500));
      expect(await kept()).toEqual([1, 0]);
      await commit(...events(500, 501));
      expect(await kept()).toEqual([1, 1]);
    });
  });

  describe('what a subscription was given up for', () => {
    it('leaves no attempt behind when it is sent again', async () => {
      const opened = await open();
      await using stand = await stage(async () => opened.store);
      const { store, account, rule, commit } = stand;
      const [matches, gaps] = [
        subscriptionOf(account, rule.id),
        { ...subscriptionOf(account, rule.id, { id: 'sub_2', event: 'gap.opened' }), events: [] },
      ];
      for (const one of [matches, gaps]) await store.saveSubscription(one, { ofAccount: 9, ofOwner: 9, ended: 9 });
      await commit(eventOf('1', [rule]));
      const [owed] = await store.owedMatches(matches.id, at(DAY), 10);
      const batch = { id: 'evt_1', webhookId: matches.id, positions: [owed!.position], body: 'b', at: at(1) };
      await store.freeze(batch);
      await store.addNotices([{ id: 'evt_2', webhookId: gaps.id, body: 'b', at: at(1) }]);
      const outcome = { status: 'failed', reason: 'refused' } as const;
      for (const id of ['evt_1', 'evt_2']) await store.recordAttempt({ ...attempted(id), outcome });
      expect(await opened.rows('SELECT delivery FROM attempts')).toHaveLength(2);
      for (const { id } of [matches, gaps]) await store.replay(id, 0, 10);
      for (const table of ['attempts', 'deliveries'])
        expect(await opened.rows(`SELECT 1 AS one FROM ${table}`), table).toEqual([]);
    });
  });

  describe('a deleted webhook', () => {
    it('leaves nothing behind, however much it was owed and was sent', async () => {
      const opened = await open();
      await using stand = await stage(async () => opened.store);
      const { store, account, rule, commit } = stand;
      const kept = webhookOf(account);
      await store.addWebhook(kept, 10);
      const webhook = webhookOf(account);
      await store.addWebhook(webhook, 10);
      await commit(...range(1_700).map((index) => eventOf(`${index}`, [rule])));
      const owed = await store.owedMatches(webhook.id, at(DAY), 600);
      for (const [index, { position }] of owed.slice(0, 5).entries()) {
        const batch = { id: `dlv_${index}`, webhookId: webhook.id, positions: [position], body: 'b', at: at(DAY) };
        expect(await store.freeze(batch)).toBe(true);
        await store.recordAttempt(attempted(`dlv_${index}`));
      }
      const mine = `webhook = (SELECT number FROM webhooks WHERE id = '${kept.id}')`;
      await store.deleteWebhook(account.id, webhook.id);
      expect(await removeAll(store, at(DAY))).toBeGreaterThan(2);
      for (const table of ['owed', 'deliveries', 'attempts', 'wake_stories'])
        expect(await opened.rows(`SELECT 1 AS one FROM ${table} WHERE NOT (${mine})`), table).toEqual([]);
      expect(await opened.rows('SELECT id FROM webhooks')).toEqual([{ id: kept.id }]);
      expect(await opened.rows('SELECT count(*) AS owed FROM owed')).toEqual([{ owed: 1_700 }]);
    });
  });
}

/** Tables that have something of a rule. */
const OF_RULE = [
  'rules',
  'rule_platforms',
  'matches',
  'events',
  'tallies',
  'minutes',
  'story_parts',
  'watches',
  'alerts',
  'gaps',
  'usage',
  'agreement',
  'ratings',
  'suggestions',
  'shared_feeds',
  'owed',
];

async function counted({ rows }: StoreWithTables): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of OF_RULE)
    counts[table] = (await rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]!.count;
  return counts;
}

const attempted = (deliveryId: string) => ({
  deliveryId,
  attempt: { at: at(5), milliseconds: 1, statusCode: 200, error: undefined, response: '' },
  outcome: { status: 'delivered' as const },
  health: { lastFailureAt: undefined, failingSince: undefined },
  recovered: false,
  disable: undefined,
  notices: [],
});

/** Something of a rule in each table. */
async function fill(store: Store, accountId: string, ruleId: string): Promise<void> {
  const lease = (await store.takeLease({ name: 'x', holder: 'n', now: at(0), milliseconds: 1 })) as Lease;
  await store.addWebhook(webhookOf({ id: accountId } as Parameters<typeof webhookOf>[0]), 10);
  const events = range(3).map((index) => {
    const event = eventOf(`of rule ${index}`, [{ id: ruleId }]);
    return { ...event, matches: event.matches.map((match) => ({ ...match, verdict: 'agreed' as const })) };
  });
  const upstream = { lease, gaps: [], broken: [] };
  await store.commit({ platform: 'x', at: at(1_000), events, upstream });
  const { matches } = await store.matches({ accountId, ruleId, limit: 1 });
  const rating = { accountId, position: matches[0]!.position, rating: 'relevant' as const, at: at(0), by: 'k' };
  await store.rateMatch({ ...rating, traces: '' }, 10);
  const suggested = (id: string, value: string) => ({
    ...{ id, at: at(0), kind: 'narrow' as const, was: 'storm', value, share: 0.5 },
  });
  await store.keepSuggestions(accountId, ruleId, 'x', [suggested('sug_1', 'storm'), suggested('sug_2', 'other')]);
  const note = { at: at(1), by: { kind: 'system' as const }, what: 'rule.changed' as const, id: ruleId };
  await store.changeRule(accountId, ruleId, { platforms: { x: { value: 'storm', flags: {} } } }, note);
  const gap = { platform: 'x' as const, accountId, ruleId, from: at(0), to: at(1), cause: 'c', recovered: false };
  await store.noteGaps([gap]);
  const feed = { id: 'feed_1', accountId, ruleId, contents: 'matches' as const, name: 'n', createdAt: at(0) };
  await store.addSharedFeed(feed, 'digest');
  const watches = (await store.dueWatches(at(0), 0, 10)).filter((watch) => watch.ruleId === ruleId);
  const alert = { id: 'alert_1', kind: 'surge' as const, from: at(0), to: undefined, rate: 1, usualRate: 1 };
  const next = { dueAt: at(DAY), now: 'now' };
  const changes = watches.map((watch) => ({ watch, next, alerts: [alert], deliveries: [] }));
  await store.keepWatches(lease, changes);
}
