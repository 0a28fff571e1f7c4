/** A node that freezes, wherever it does, does not stop the others. No test here waits for a time: the other node goes on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOther, eventOf, listed, stage } from '../../../test/conformance/store/stage.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import type { Db } from '../db.ts';
import { storeOn } from '../postgres.ts';
import type { Store } from '../store.ts';
import { connectPostgres, type Database, each } from './connection.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const never = new Promise<never>(() => {});

/**
 * A database whose transactions stop after a statement, by its number or its text, and go on no more. What was asked for together with
 * that statement is done all the same: the server has it.
 */
function freezing(
  database: Database,
  after: number | RegExp,
): { database: Database; frozen: Promise<void>; statements(): number } {
  let statements = 0;
  const { promise: frozen, resolve } = Promise.withResolvers<void>();
  async function step<T>(text: string, work: Promise<T>): Promise<T> {
    const result = await work;
    statements++;
    if (typeof after === 'number' ? statements !== after : !after.test(text)) return result;
    resolve();
    return never;
  }
  const inside = (db: Db): Db => each(db, (statement, text) => step(text, statement()));
  return {
    frozen,
    statements: () => statements,
    database: {
      ...database,
      transaction: (work) => database.transaction((db) => work(inside(db))),
      pipelined: (work) => database.pipelined((db, commit) => work(inside(db), commit)),
    },
  };
}

async function newStage() {
  const url = await server!.newDatabase();
  const stand = await stage(async () => storeOn(connectPostgres(url)));
  await stand.commit(eventOf('first', [stand.rule]));
  return { url, ...stand };
}

const at = new Date('2026-11-15T09:00:00Z');
const commitOf = (store: Store, ruleId: string) =>
  store.commit({ platform: 'x', at, events: [eventOf('a', [{ id: ruleId }])], cursor: { name: 'x', value: '1' } });

describe('a node that freezes', () => {
  it.each([
    { when: 'between the two round trips of a commit', after: /FOR SHARE OF r/, added: 1 },
    { when: 'before it hears that its commit is done', after: /INSERT INTO matches/, added: 0 },
  ])('$when lets another node store the same match', async ({ after, added }) => {
    const { url, store, account, rule } = await newStage();
    const { database, frozen } = freezing(connectPostgres(url), after);
    void commitOf(storeOn(database), rule.id);
    await frozen;
    expect(await commitOf(store, rule.id)).toMatchObject({ added });
    expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['a', 'first']);
    expect((await store.rule(account.id, rule.id))!.platforms.x!.matchCount).toBe(2);
    await store[Symbol.asyncDispose]();
  });

  it('with several transactions that wait for each other lets another go on', async () => {
    const { url, store, rule } = await newStage();
    const lock = (db: Db) => db.rows(`SELECT value FROM state WHERE name = 'latest' FOR UPDATE`);
    const first = freezing(connectPostgres(url), 1);
    const waiting = freezing(connectPostgres(url), 1);
    const held = [first.database.transaction(lock)];
    await first.frozen;
    held.push(waiting.database.transaction(lock), waiting.database.transaction(lock));
    for (const one of held) one.catch(() => {});
    expect(await commitOf(store, rule.id)).toMatchObject({ added: 1 });
    await store[Symbol.asyncDispose]();
  });

  it('while it deletes a rule, changes a webhook or keeps house lets another commit', async () => {
    const works: ((store: Store, accountId: string, ruleId: string) => Promise<unknown>)[] = [
      (store, accountId, ruleId) => store.changeRule(accountId, ruleId, { name: 'other' }),
      (store, accountId) => store.deleteMatches(accountId, 'x', 'first'),
      (store) => store.removeSlice(new Date(at.getTime() + 40 * 24 * 60 * 60_000)),
    ];
    await Promise.all(
      works.map(async (work) => {
        const { url, store, account, rule } = await newStage();
        const { rule: other } = await addOther(store);
        const { database, frozen } = freezing(connectPostgres(url), 3);
        void work(storeOn(database), account.id, rule.id);
        await frozen;
        for (const id of [other.id, rule.id]) expect(await commitOf(store, id)).toMatchObject({ added: 1 });
        await store[Symbol.asyncDispose]();
      }),
    );
  });
});

describe('a change of a rule', () => {
  it('waits for the commits before it alone, however many come after it', async () => {
    const { url, store, account, rule } = await newStage();
    const database = connectPostgres(url);
    const holding = freezing(database, /FOR SHARE OF r/);
    void commitOf(storeOn(holding.database), rule.id);
    await holding.frozen;
    const deleted = store.deleteRule(account.id, rule.id);
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await database.rows(waits)).length === 0);
    // Without a line this commit would share the rule with the first one, and the deletion would wait for both.
    expect(await commitOf(store, rule.id)).toMatchObject({ added: 0 });
    expect(await deleted).toBe(true);
    await store[Symbol.asyncDispose]();
  });
});

describe('every session', () => {
  const settings = async (db: Db) => {
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'tcp_user_timeout'];
    const values: (string | undefined)[] = [];
    for (const name of [...names, 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'])
      values.push((await db.rows<{ value: string }>('SELECT current_setting($1) AS value', [name]))[0]?.value);
    return values;
  };

  it('has limits under which the last lock of a frozen node is gone within ten seconds', async () => {
    const database = connectPostgres(await server!.newDatabase());
    const [statement, lock, idle, ...tcp] = await settings(database);
    const seconds = (value: string | undefined) => Number(/^(\d+)s$/.exec(value ?? '')?.[1]);
    expect(seconds(lock) + seconds(idle)).toBeLessThan(10);
    expect(seconds(lock)).toBeGreaterThan(seconds(idle));
    expect(seconds(statement)).toBeGreaterThan(seconds(lock));
    expect(tcp).toEqual(['9000', '5', '1', '4']);
    const patient = await database.patiently(settings, { lockMs: 0 });
    expect(patient).toEqual(['0', '0', idle, ...tcp]);
    await database.close();
  });
});
