/** The promises of a commit, although it does little under its lock: other nodes come between its two round trips. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOther, at, eventOf, listed, range, stage } from '../../../test/conformance/store/stage.ts';
import { expectOneBook, FIRE, inOrder, VOTE } from '../../../test/conformance/store/stories.ts';
import { webhookOf } from '../../../test/conformance/store/webhooks.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { createToldMatches } from '../../service/cluster/told-matches.ts';
import type { Db } from '../db.ts';
import { matchKey, timeOf } from '../order.ts';
import { storeOn } from '../postgres.ts';
import type { Store } from '../store.ts';
import { connectPostgres, type Database, each } from './connection.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const WAITS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** The first round trip of a commit ends with this. */
const READ = /pg_current_xact_id/;

/** A database on which `act` happens between the two round trips of the next commit. */
function interrupted(database: Database) {
  const state = { act: undefined as (() => Promise<unknown>) | undefined, reads: 0 };
  const inside = (db: Db): Db =>
    each(db, async (statement, text) => {
      const result = await statement();
      if (!READ.test(text)) return result;
      const { act } = state;
      state.act = undefined;
      state.reads++;
      await act?.();
      return result;
    });
  const pipelined: Database['pipelined'] = (work) => database.pipelined((db, commit) => work(inside(db), commit));
  return { state, database: { ...database, pipelined } };
}

/** Two nodes on one database with two accounts; what one of them does can be interrupted. */
async function nodes() {
  const url = await server!.newDatabase();
  const database = connectPostgres(url);
  const { state, database: between } = interrupted(connectPostgres(url));
  const stand = await stage(async () => storeOn(between));
  const other = await addOther(stand.store);
  const store = storeOn(database);
  const commit = (on: Store, seconds: number, ...events: ReturnType<typeof eventOf>[]) =>
    on.commit({ platform: 'x', at: at(seconds * 1_000), events });
  await commit(stand.store, 1, eventOf('first', [stand.rule], { text: 'alpha beta' }));
  state.reads = 0;
  return {
    ...stand,
    elsewhere: store,
    database,
    other,
    state,
    commit,
    async [Symbol.asyncDispose]() {
      await stand.store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

describe('the round trips of a commit', () => {
  /** Statements that are asked for while others are under way share their round trip. */
  function counting(database: Database) {
    const seen = { roundTrips: 0, statements: 0, underWay: 0 };
    async function count<T>(statement: () => Promise<T>): Promise<T> {
      seen.statements++;
      if (seen.underWay++ === 0) seen.roundTrips++;
      return statement().finally(() => seen.underWay--);
    }
    const pipelined: Database['pipelined'] = (work) =>
      database.pipelined((db, commit) =>
        work(
          each(db, (statement) => count(statement)),
          () => count(commit),
        ),
      );
    return { seen, database: { ...database, pipelined } };
  }

  it('are two, whatever it has to store', async () => {
    const { seen, database } = counting(connectPostgres(await server!.newDatabase()));
    await using stand = await stage(async () => storeOn(database));
    const { store, account, rule, commit } = stand;
    await store.addWebhook(webhookOf(account), 100);
    await commit(eventOf('first', [rule]));
    await store.recentKept();
    Object.assign(seen, { roundTrips: 0, statements: 0 });
    await commit(eventOf('a', [rule]), eventOf('b', [rule], { earlier: ['first'] }), eventOf('none', []));
    expect(seen.roundTrips).toBe(2);
    // Without BEGIN. A statement more is CPU time of the server in every commit.
    expect(seen.statements).toBeLessThanOrEqual(16);
    await store.recentKept();
  });
});

describe('a commit whose positions another node has taken', () => {
  it('stands after that one, with all that belongs to it', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, state, commit } = stand;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 100);
    state.act = () => commit(elsewhere, 5, eventOf('between', [other.rule]));
    const done = await commit(
      store,
      2,
      eventOf('a', [rule], { text: FIRE[0]! }),
      eventOf('a/2', [rule], { text: FIRE[1]!, earlier: ['a'] }),
      eventOf('v', [rule], { text: VOTE[0]! }),
    );
    expect([state.reads, done.added, done.latest]).toEqual([1, 3, await store.latest()]);
    expect(timeOf(done.latest)).toBeGreaterThan(at(5_000).getTime());
    const matches = await inOrder(store, account.id);
    const [, first, edit, vote] = matches;
    expect(matches.map(({ platformPostId }) => platformPostId)).toEqual(['first', 'a', 'a/2', 'v']);
    expect([edit!.editOf, edit!.storyId, vote!.storyFirst]).toEqual([first!.id, first!.storyId, true]);
    expect(await store.match(account.id, first!.id)).toMatchObject({ platformPostId: 'a' });
    expect((await store.owedMatches(webhook.id, at(60_000), 9)).map(({ id }) => id)).toEqual(
      [first, edit, vote].map((match) => match!.id),
    );
    expect((await store.rule(account.id, rule.id))!.platforms.x!.lastMatchAt).toEqual(vote!.createdAt);
    // This node goes on with its books, and the other with what is logged.
    await commit(store, 9, eventOf('b', [rule], { text: FIRE[2]! }));
    await commit(elsewhere, 10, eventOf('w', [rule], { text: VOTE[1]! }));
    const stories = (await inOrder(elsewhere, account.id)).slice(1).map(({ storyId }) => storyId);
    expect(stories).toEqual([first, first, vote, first, vote].map((match) => match!.storyId));
  });

  it('begins again when it would stand in another minute than it was counted in', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, state, commit } = stand;
    state.act = () => commit(elsewhere, 65, eventOf('between', [other.rule]));
    await commit(store, 2, eventOf('a', [rule]));
    expect(state.reads).toBe(2);
    const span = { accountId: account.id, from: at(0), to: at(180_000), seconds: 60 };
    expect((await store.matchCounts(span)).map(({ count }) => count)).toEqual([1, 1]);
    const [, match] = await inOrder(store, account.id);
    expect((await store.matchCounts(span))[1]!.at).toEqual(
      new Date(Math.floor(match!.createdAt.getTime() / 60_000) * 60_000),
    );
  });
});

describe('two nodes with matches of one account', () => {
  it('take turns, and decide the same stories as one would; another account waits for neither', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, database, state, commit } = stand;
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    state.act = () => {
      reached.resolve();
      return gate.promise;
    };
    const one = commit(store, 2, eventOf('a', [rule], { text: FIRE[0]! }));
    await reached.promise;
    const next = commit(elsewhere, 3, eventOf('b', [rule], { text: FIRE[1]! }));
    while ((await database.rows(WAITS)).length === 0);
    await using third = storeOn(connectPostgres(await sameDatabase(database)));
    expect(await commit(third, 4, eventOf('c', [other.rule]))).toMatchObject({ added: 1 });
    gate.resolve();
    expect([(await one).added, (await next).added]).toEqual([1, 1]);
    const matches = await inOrder(store, account.id);
    expect(matches.map(({ platformPostId }) => platformPostId)).toEqual(['first', 'a', 'b']);
    expect(matches[2]!.storyId).toBe(matches[1]!.storyId);
  });

  it('store each match once and tell one book, however many commits come at once', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, commit } = stand;
    await Promise.all(
      range(40).map((index) =>
        commit(
          index % 2 === 0 ? store : elsewhere,
          2 + index,
          eventOf(`p${index >> 1}`, [rule, other.rule], { text: [...FIRE, ...VOTE][(index >> 1) % 5]! }),
        ),
      ),
    );
    for (const { id } of [account, other.account]) {
      const matches = await inOrder(store, id);
      expect(matches.filter(({ platformPostId }) => platformPostId.startsWith('p'))).toHaveLength(20);
      expectOneBook(matches);
    }
  });
});

describe('a commit that waits while its account is suspended', () => {
  it('stores no match of it', async () => {
    await using stand = await nodes();
    const { store, account, rule, database, commit } = stand;
    let waiting: ReturnType<typeof commit> | undefined;
    const begun = (tx: Db): Db =>
      each(tx, async (statement, text) => {
        const result = await statement();
        if (!text.startsWith('UPDATE accounts')) return result;
        waiting = commit(store, 2, eventOf('a', [rule]));
        while ((await database.rows(WAITS)).length === 0);
        return result;
      });
    const transaction: Database['transaction'] = (work) => database.transaction((tx) => work(begun(tx)));
    const suspending = storeOn({ ...database, transaction });
    expect(await suspending.suspendAccount(account.id, { at: at(0), reason: '' })).toBe(true);
    expect((await waiting!).added).toBe(0);
    expect(await listed(store, { accountId: account.id })).toEqual(['first']);
  });
});

describe('a commit with an event whose other match is being removed with its rule', () => {
  it('has its match, with the event', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, database, state, commit } = stand;
    await store.deleteRule(account.id, rule.id);
    let removal: Promise<unknown> | undefined;
    state.act = async () => {
      let isDone = false;
      removal = (async () => {
        while ((await elsewhere.removeSlice(at(0))).more);
      })().finally(() => {
        isDone = true;
      });
      while (!isDone && (await database.rows(WAITS)).length === 0);
    };
    expect(await commit(store, 2, eventOf('first', [other.rule], { text: 'alpha beta' }))).toMatchObject({ added: 1 });
    await removal;
    expect(await listed(store, { accountId: other.account.id })).toEqual(['first']);
    expect(await listed(store, { accountId: account.id })).toEqual([]);
  });
});

/** The address is known by its connection alone. */
async function sameDatabase(database: Database): Promise<string> {
  const row = await database.row<{ name: string }>('SELECT current_database() AS name');
  const address = new URL(await server!.newDatabase());
  address.pathname = `/${row!.name}`;
  return address.href;
}

describe('a match that is stored although nobody had its turn', () => {
  it('is not stored again', async () => {
    await using stand = await nodes();
    const { store, account, rule, database, state, commit } = stand;
    const key = matchKey(rule.id, 'x', 'a');
    state.act = () => database.run('INSERT INTO match_keys (tail, position) VALUES ($1, 1)', [key]);
    const both = [eventOf('a', [rule]), eventOf('b', [rule])];
    await expect(commit(store, 2, ...both)).rejects.toMatchObject({ reason: 'exists' });
    expect(await commit(store, 3, ...both)).toMatchObject({ addedByEvent: [0, 1] });
    expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['b', 'first']);
  });
});

describe('what follows a commit', () => {
  it('keeps out of the ring what was erased between the two', async () => {
    const database = connectPostgres(await server!.newDatabase());
    const gate = Promise.withResolvers<void>();
    let transactions = 0;
    const pipelined: Database['pipelined'] = async (work) => {
      // The first is the commit, the second its ring.
      if (++transactions === 2) await gate.promise;
      return database.pipelined(work);
    };
    await using stand = await stage(async () => storeOn({ ...database, pipelined }));
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule], { accountId: account.id }), eventOf('b', [], { accountId: account.id }));
    await store.deleteMatches(account.id, 'x', 'a');
    gate.resolve();
    await store.recentKept();
    const rows = await database.rows<{ lines: string }>('SELECT lines FROM recent');
    expect(rows.map(({ lines }) => lines).join('\n')).toContain('post b');
    expect(rows.map(({ lines }) => lines).join('\n')).not.toContain('post a');
  });

  it('tells other nodes of every position', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, rule, other, commit } = stand;
    const begin = await store.latest();
    const accounts = new Set<string>();
    const told = createToldMatches(begin);
    const done = Promise.withResolvers<void>();
    const stop = await elsewhere.bell((news) => {
      if (news === undefined) return;
      for (const id of news.accountIds) accounts.add(id);
      told.heard(news);
      if (news.accountIds.includes(other.account.id)) done.resolve();
    });
    for (const index of range(20)) await commit(store, 2 + index, eventOf(`n${index}`, [rule]));
    const { latest } = await commit(store, 30, eventOf('last', [other.rule]));
    await done.promise;
    await stop();
    expect([told.isBehind(latest), told.isBehind(latest)]).toEqual([false, false]);
    expect(accounts).toEqual(new Set([account.id, other.account.id]));
  });

  it('tells other nodes that matches of the past are owed to a webhook', async () => {
    await using stand = await nodes();
    const { store, elsewhere, account, other, commit } = stand;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 1);
    const heard = new Set<string>();
    const done = Promise.withResolvers<void>();
    const stop = await elsewhere.bell((news) => {
      for (const id of news?.accountIds ?? []) heard.add(id);
      if (news?.accountIds.includes(other.account.id)) done.resolve();
    });
    expect(await store.redeliverSince(account.id, webhook.id, at(0), at(9))).toMatchObject({ matches: 1 });
    await commit(store, 30, eventOf('last', [other.rule]));
    await done.promise;
    await stop();
    expect(heard).toEqual(new Set([account.id, other.account.id]));
  });
});
