/** The rows that are left in the tables after things have gone: no answer of the store would show them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease, Store, StoreOptions } from '../../src/store/store.ts';
import { HUNDREDS, insert, KINDS, NOW } from './aging-rows.ts';
import { textOf, unshownOf } from './store/past-texts.ts';
import { addOther, at, DAY, eventOf, range, removeAll, ruleOf, stage } from './store/stage.ts';
import { subscriptionOf } from './store/subscriptions.ts';
import { webhookOf } from './store/webhooks.ts';

/** A store, and a way to its rows. */
export interface StoreWithTables {
  readonly store: Store;
  rows<Row>(text: string): Promise<Row[]>;
}

type OpenTables = (options?: StoreOptions) => Promise<StoreWithTables>;

const ACCOUNT = { id: 'acct_1', name: 'one', plan: 'paid' as const, xRules: 1, createdAt: at(0) };

export function tableCases(open: OpenTables): void {
  describe('what is past its time', () => {
    let opened: StoreWithTables;
    beforeAll(async () => {
      opened = await open({ retentionDays: 30 });
      await opened.store.addAccount(ACCOUNT);
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

  describe('the texts of earlier versions', () => {
    it('are kept of versions that matched something, as long as a match of them is there', async () => {
      const opened = await open({ retentionDays: 30 });
      await using stand = await stage(async () => opened.store);
      const { store, account, rule } = stand;
      const versions = async () =>
        (await opened.rows<{ version: number }>('SELECT version FROM past_texts ORDER BY version')).map(
          ({ version }) => version,
        );
      const change = (value: string) => store.changeRule(account.id, rule.id, textOf(value));
      const commit = (postId: string, version: number, time: number) =>
        store.commit({ platform: 'x', at: at(time), events: [unshownOf(postId, [rule], version)] });
      for (const index of range(5)) await change(`unmatched ${index}`);
      expect(await versions()).toEqual([]);
      await commit('1', 6, 0);
      await change('seventh');
      await commit('2', 7, 20 * DAY);
      for (const index of range(5)) await change(`later ${index}`);
      expect(await versions()).toEqual([6, 7]);
      await removeAll(store, at(40 * DAY));
      await change('after the first match has gone');
      expect(await versions()).toEqual([7]);
      await removeAll(store, at(60 * DAY));
      await change('after the last has gone');
      expect(await versions()).toEqual([]);
    });
  });

  describe('the check of a database', () => {
    it('writes to it, and leaves the room free that it tried', async () => {
      const { store, rows } = await open();
      await using _ = store;
      const checked = async () => (await rows<{ value: number }>(`SELECT value FROM state WHERE name = 'checked'`))[0]!;
      const before = (await checked()).value;
      await store.check();
      const after = (await checked()).value;
      expect(after).toBeGreaterThan(before);
      await store.check(100_000);
      expect((await checked()).value).toBeGreaterThanOrEqual(after);
    });
  });

  describe('the answers of an account', () => {
    it('are ten thousand at most; those of another account have room', async () => {
      const { store, rows } = await open();
      await using _ = store;
      for (const id of ['acct_1', 'acct_2']) await store.addAccount({ ...ACCOUNT, id, name: id });
      const kind = KINDS.find(({ table }) => table === 'answers')!;
      const account = `(SELECT number FROM accounts WHERE id = 'acct_1')`;
      const full = { ...kind, columns: { ...kind.columns, account } };
      const claim = (accountId: string) =>
        store.claimAnswer({ accountId, idempotencyKey: 'new', bodyDigest: 'd', answer: {} });
      await rows(insert(full, 1, 10_000, Date.now()));
      expect([await claim('acct_1'), await claim('acct_2')]).toEqual(['full', 'claimed']);
      await rows(`DELETE FROM answers WHERE key = 'name 1'`);
      expect(await claim('acct_1')).toBe('claimed');
    });
  });

  describe('a delivery of very many matches', () => {
    it('leaves with few others at a time', async () => {
      const { store, rows } = await open({ retentionDays: 30 });
      await using _ = store;
      await store.addAccount(ACCOUNT);
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
      expect(await kept()).toEqual([0, 3]);
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
      await store.addNotices([
        { id: 'evt_2', webhookId: gaps.id, subject: 'webhook_failing' as const, body: 'b', at: at(1) },
      ]);
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
  'past_texts',
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
    id,
    at: at(0),
    kind: 'narrow' as const,
    was: 'storm',
    value,
    share: 0.5,
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
