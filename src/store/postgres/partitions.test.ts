/** Partitions come and go beside readers: nothing waits behind the housekeeping. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, eventOf, START, stage } from '../../../test/conformance/store/stage.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { openPostgres } from '../postgres.ts';
import type { Store } from '../store.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const PARTITIONS = `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'matches'::regclass AND NOT i.inhdetachpending ORDER BY c.relname`;

async function client(url: string): Promise<pg.Client & AsyncDisposable> {
  const one = new pg.Client({ connectionString: url });
  await one.connect();
  return Object.assign(one, { [Symbol.asyncDispose]: () => one.end() });
}

async function names(one: pg.Client, sql: string): Promise<string[]> {
  const { rows } = await one.query<{ name: string }>(sql);
  return rows.map(({ name }) => name);
}

/** A store with a match on the first day, and a moment at which that day is past retention. */
async function staged() {
  const url = await server!.newDatabase();
  const stand = await stage(() => openPostgres(url, { retentionDays: 2 }));
  await stand.store.commit({ platform: 'x', at: new Date(START), events: [eventOf('old', [stand.rule])] });
  await stand.store.commit({ platform: 'x', at: new Date(START + 3 * DAY), events: [eventOf('new', [stand.rule])] });
  return { url, ...stand, later: new Date(START + 4 * DAY) };
}

const removeAll = async (store: Store, now: Date) => {
  while ((await store.removeSlice(now)).more);
};

/** Asks until it is so; every question is a round trip to the server. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

describe('partitions', () => {
  it('are there a week before they are needed', async () => {
    const { url, store } = await staged();
    await store.removeSlice(new Date(START));
    await using one = await client(url);
    const days = await names(one, PARTITIONS);
    expect(days[0]).toBe('matches_20261115');
    expect(days).toContain('matches_20261122');
    await store[Symbol.asyncDispose]();
  });

  it('are made and dropped while a long read goes on, and nothing waits behind it', async () => {
    const { url, store, rule, later } = await staged();
    await using reader = await client(url);
    await using asking = await client(url);
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM matches');
    const waits = `SELECT pid::text AS name FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%DETACH%'`;
    let isDone = false;
    const removal = removeAll(store, later).finally(() => {
      isDone = true;
    });
    await until(async () => isDone || (await names(asking, waits)).length > 0);
    // The old day waits for the reader. A reader or a writer that had to wait behind it would fail at once.
    expect(isDone).toBe(false);
    await asking.query(`SET lock_timeout = '1ms'`);
    await asking.query('SELECT count(*) FROM matches');
    expect(
      await names(
        asking,
        `SELECT l.mode AS name FROM pg_locks l WHERE l.relation = 'matches'::regclass AND l.mode = 'AccessExclusiveLock'`,
      ),
    ).toEqual([]);
    expect(await store.commit({ platform: 'x', at: later, events: [eventOf('during', [rule])] })).toMatchObject({
      added: 1,
    });
    // Its lock times out; the next round goes on from where it was.
    await removal;
    await reader.query('COMMIT');
    await removeAll(store, later);
    expect(await names(asking, PARTITIONS)).not.toContain('matches_20261115');
    expect(await names(asking, `SELECT relname AS name FROM pg_class WHERE relname LIKE '%\\_20261115'`)).toEqual([]);
    await store[Symbol.asyncDispose]();
  });

  it('that were made but not attached are attached later', async () => {
    const { url, store, rule } = await staged();
    await using one = await client(url);
    await one.query('CREATE TABLE matches_20261201 (LIKE matches INCLUDING ALL)');
    const at = new Date('2026-12-01T12:00:00Z');
    expect(await store.commit({ platform: 'x', at, events: [eventOf('far', [rule])] })).toMatchObject({ added: 1 });
    expect(await names(one, PARTITIONS)).toContain('matches_20261201');
    await store[Symbol.asyncDispose]();
  });
});
