/** The promises of a transaction: all or nothing, tried again when others stood in its way, and no failure unheard. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/stages/postgres.ts';
import type { Db } from '../db.ts';
import { checkServer, checkSpace } from '../postgres.ts';
import { connectPostgres, type Database } from './connection.ts';

let server: TestPostgres | undefined;
let url = '';
let database: Database;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.newDatabase();
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => {
  database = connectPostgres(url);
  await database.run('DROP TABLE IF EXISTS notes');
  await database.run('CREATE TABLE notes (text text PRIMARY KEY)');
});
afterEach(() => database.close());

const add = (db: Db, text: string) => db.run('INSERT INTO notes VALUES ($1)', [text]);
const notes = async (db: Db): Promise<string[]> =>
  (await db.rows<{ text: string }>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text);
const ofServer = (code: string): Error => Object.assign(new pg.DatabaseError('as told', 7, 'error'), { code });

describe('a transaction in one piece', () => {
  it('keeps all of it, and answers what the work answered', async () => {
    const changed = await database.pipelined(async (db, commit) => {
      const [one, other] = await Promise.all([add(db, 'a'), add(db, 'b'), commit()]);
      return one + other;
    });
    expect([changed, await notes(database)]).toEqual([2, ['a', 'b']]);
  });

  it('keeps nothing when a statement fails, and says which one did', async () => {
    const work = database.pipelined(async (db, commit) => {
      // The later ones are answered before the first is heard of.
      await Promise.all([commitLater(add(db, 'a')), commitLater(add(db, 'a')), add(db, 'b'), commit()]);
    });
    await expect(work).rejects.toMatchObject({ reason: 'exists' });
    expect([await notes(database), database.connections.idle]).toEqual([[], database.connections.open]);
  });

  const commitLater = async (work: Promise<unknown>): Promise<unknown> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    return work;
  };

  it('keeps nothing of work that does not commit, and takes no statement after its end', async () => {
    await expect(
      database.pipelined(async (db) => {
        await add(db, 'a');
        throw new TypeError('a slip');
      }),
    ).rejects.toThrow('a slip');
    await database.pipelined(async (db, commit) => {
      await Promise.all([add(db, 'b'), commit()]);
      expect(() => add(db, 'c')).toThrow('after the end');
    });
    expect(await notes(database)).toEqual(['b']);
  });

  it.each(['BEGIN', 'INSERT'])('whose connection ends at %s is told once, and nothing fails unheard', async (first) => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    const { query } = pg.Client.prototype;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...asked) {
      const [config] = asked as unknown as [string | { text: string }];
      const isFirst = (typeof config === 'string' ? config : config.text).startsWith(first);
      return Reflect.apply(query, this, isFirst ? ['SELECT pg_terminate_backend(pg_backend_pid())'] : asked);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const work = database.pipelined(async (db, commit) => {
      const written = add(db, 'a');
      const [found] = await Promise.all([notes(db), commit()]);
      await written;
      return found;
    });
    await expect(work).rejects.toMatchObject({ reason: 'away', retryable: true });
    await new Promise(setImmediate);
    expect(unheard).toEqual([]);
  });
});

describe('a transaction', () => {
  it('keeps all of it, and answers what the work answered', async () => {
    const changed = await database.transaction(async (db) => (await add(db, 'a')) + (await add(db, 'b')));
    expect([changed, await notes(database)]).toEqual([2, ['a', 'b']]);
  });

  it('keeps nothing of work that fails, and gives its connection back', async () => {
    const failure = new TypeError('a slip');
    const work = database.transaction(async (db) => {
      await add(db, 'a');
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await notes(database)).toEqual([]);
    expect(database.connections).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it.each([
    ['another statement', (db: Db) => notes(db)],
    ['its end', async () => []],
  ])('refuses a statement that is not awaited before %s, and keeps nothing', async (_, then) => {
    const work = database.transaction((db) => {
      void add(db, 'lost');
      return then(db);
    });
    await expect(work).rejects.toMatchObject({ reason: 'defect', message: /was not awaited/ });
    expect(await notes(database)).toEqual([]);
  });

  it.each([
    ['asks for more', (db: Db) => db.run('SELECT 1'), { reason: 'defect', cause: { code: '25P02' } }],
    ['ends', async () => 1, { reason: 'defect', message: 'A statement failed: nothing of the transaction is kept.' }],
  ])('fails when a statement failed and the work %s all the same', async (_, then, failure) => {
    const work = database.transaction(async (db) => {
      await add(db, 'a');
      await expect(db.run('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
      return then(db);
    });
    await expect(work).rejects.toMatchObject(failure);
    expect(await notes(database)).toEqual([]);
    expect(database.connections).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it.each([
    ['a deadlock five times', '40P01', 5],
    ['a conflict five times', '40001', 5],
    ['a lock that takes too long twice', '55P03', 2],
    ['a statement that takes too long once', '57014', 1],
  ])('meets %s before it says that the database is busy', async (_, code, tries) => {
    let met = 0;
    const work = database.transaction(async (db) => {
      met++;
      await add(db, 'a');
      throw ofServer(code);
    });
    await expect(work).rejects.toMatchObject({ name: 'StoreError', reason: 'busy', retryable: true });
    expect([met, await notes(database)]).toEqual([tries, []]);
  });

  it.each([
    ['a conflict', '40001', 4],
    ['a lock that took too long', '55P03', 1],
  ])('succeeds when %s was the last', async (_, code, failures) => {
    let met = 0;
    await database.transaction(async (db) => {
      await add(db, 'a');
      if (met++ < failures) throw ofServer(code);
    });
    expect([met, await notes(database)]).toEqual([failures + 1, ['a']]);
  });

  it('does not use a connection again that broke', async () => {
    const work = database.transaction(async (db) => {
      const [own] = await db.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.rows('SELECT pg_terminate_backend($1, 10000)', [own!.pid]);
      await add(db, 'a');
    });
    await expect(work).rejects.toMatchObject({ reason: 'away', retryable: true });
    expect(database.connections.open).toBe(1);
    expect(await notes(database)).toEqual([]);
  });
});

describe('a statement', () => {
  it('that fails outside of a transaction is told in our words', async () => {
    await add(database, 'a');
    await expect(add(database, 'a')).rejects.toMatchObject({ reason: 'exists', retryable: false });
    await expect(database.rows('SELECT none')).rejects.toMatchObject({ reason: 'defect' });
  });

  it('has a NUL in a text replaced, which PostgreSQL does not take', async () => {
    await add(database, 'a\0b\0');
    expect(await notes(database)).toEqual(['a\ufffdb\ufffd']);
    expect(await database.rows('SELECT text FROM notes WHERE text = $1', ['a\0b\0'])).toHaveLength(1);
  });

  it('that changes nothing answers 0, and reads numbers beyond 32 bits', async () => {
    expect(await database.run('DELETE FROM notes')).toBe(0);
    expect(await database.run('CREATE TEMPORARY TABLE one (number bigint)')).toBe(0);
    expect(await database.rows('SELECT 9007199254740991::bigint AS number')).toEqual([
      { number: Number.MAX_SAFE_INTEGER },
    ]);
  });
});

describe('a patient connection', () => {
  it('has no limit on statements, waits for locks as long as it is told, and ends', async () => {
    const settings = await database.patiently(
      async (db) => {
        const rows = await db.rows<{ value: string }>(
          `SELECT current_setting(name) AS value FROM unnest(ARRAY['statement_timeout', 'lock_timeout']) AS s (name)`,
        );
        return rows.map(({ value }) => value);
      },
      { lockMs: 1_234 },
    );
    expect(settings).toEqual(['0', '1234ms']);
    await expect(database.patiently((db) => db.run('nonsense'), { lockMs: 1 })).rejects.toMatchObject({
      reason: 'defect',
    });
  });
});

describe('a listener', () => {
  it('hears what is told on its channel, also after its connection broke, until it is stopped', async () => {
    const heard: string[] = [];
    let hear = Promise.withResolvers<void>();
    const stop = await database.listen('news', (payload) => {
      heard.push(payload);
      hear.resolve();
    });
    const told = async (payload: string) => {
      hear = Promise.withResolvers<void>();
      await database.rows('SELECT pg_notify($1, $2)', ['news', payload]);
      await hear.promise;
    };
    /** Sessions whose statement is done, so that they hear what is told from now on. */
    const listeners = async () =>
      (
        await database.rows<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN news' AND state = 'idle'`,
        )
      ).map(({ pid }) => pid);
    await database.rows('SELECT pg_notify($1, $2)', ['other', 'nothing']);
    await told('one');
    await told('');
    const [broken] = await listeners();
    await database.rows('SELECT pg_terminate_backend($1, 10000)', [broken!]);
    while ((await listeners()).every((pid) => pid === broken)) await new Promise(setImmediate);
    await told('two');
    await stop();
    while ((await listeners()).length > 0) await new Promise(setImmediate);
    await database.rows('SELECT pg_notify($1, $2)', ['news', 'three']);
    expect(heard).toEqual(['one', '', 'two']);
  });

  it('comes back once when its connection breaks before it listens', async () => {
    const heard: string[] = [];
    const stop = await database.listen('rain', (payload) => void heard.push(payload));
    const listeners = () =>
      database.rows<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN rain' AND state = 'idle'`);
    const { query } = pg.Client.prototype;
    let breaks = 1;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...asked) {
      const isBroken = asked[0] === 'LISTEN rain' && breaks-- > 0;
      return Reflect.apply(query, this, isBroken ? ['SELECT pg_terminate_backend(pg_backend_pid())'] : asked);
    });
    const connecting = vi.spyOn(pg.Client.prototype, 'connect');
    onTestFinished(() => void vi.restoreAllMocks());
    const [broken] = await listeners();
    await database.rows('SELECT pg_terminate_backend($1, 10000)', [broken!.pid]);
    while ((await listeners()).every(({ pid }) => pid === broken!.pid)) await new Promise(setImmediate);
    // The one that broke, and the one in its place.
    expect([breaks, connecting.mock.calls.length]).toEqual([-1, 2]);
    await stop();
    expect(heard).toEqual([]);
  });

  it('says when there is no server', async () => {
    const away = connectPostgres('postgres://sluice:sluice@127.0.0.1:1/none');
    await expect(away.listen('news', () => {})).rejects.toMatchObject({ reason: 'away' });
    await away.close();
  });
});

describe('the check of a server', () => {
  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])('refuses %s = off', async (name) => {
    const settings: Record<string, string> = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'local' };
    const db = { rows: async (_: string, [asked]: string[]) => [{ value: settings[asked!] }] } as unknown as Db;
    await checkServer(db);
    settings[name] = 'off';
    await expect(checkServer(db)).rejects.toMatchObject({
      reason: 'settings',
      message: `PostgreSQL has ${name} = off where it must be on.`,
    });
  });

  it('takes the space that is asked for, and gives it back', async () => {
    await checkSpace(database, 100_000);
    await checkSpace(database, 100_000);
    const sizes: number[] = [];
    const watched = {
      ...database,
      transaction: <T>(work: (db: Db) => Promise<T>) =>
        database.transaction(async (db) => {
          const result = await work(db);
          const [row] = await db.rows<{ bytes: number }>(`SELECT pg_total_relation_size('room') AS bytes`);
          sizes.push(row!.bytes);
          return result;
        }),
    };
    await checkSpace(watched, 1_000_000);
    expect(sizes[0]).toBeGreaterThan(1_000_000);
    expect(await database.rows(`SELECT to_regclass('room') AS room`)).toEqual([{ room: null }]);
  });
});
