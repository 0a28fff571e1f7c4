import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, eventOf, stage } from '../../test/conformance/store/stage.ts';
import { startPostgresWithTables, type TestPostgres } from '../../test/stages/postgres.ts';
import { connectPostgres } from './postgres/connection.ts';
import { openPostgres } from './postgres.ts';
import { openReadView } from './read-view.ts';
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-view-'));
let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.[Symbol.asyncDispose]();
});

let files = 0;
const stores: readonly (readonly [string, () => Promise<{ url: string; open: () => Promise<Store> }>])[] = [
  [
    'SQLite',
    async () => {
      const file = join(folder, `viewed-${++files}.db`);
      return { url: `sqlite:${file}`, open: () => openSqlite(file) };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await server!.newDatabase();
      return { url, open: () => openPostgres(url) };
    },
  ],
];

describe.each(stores)('a view of a store on %s', (_, made) => {
  it('reads what the store has written, also after it was opened, and nothing that it is not told', async () => {
    const { url, open } = await made();
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('one', [rule], { text: 'a flood closes the old bridge tonight' }));
    await using view = await openReadView(url);
    const posts = async () =>
      (await view.matches({ accountId: account.id, ruleId: rule.id, limit: 9 })).matches.map(
        (match) => match.platformPostId,
      );
    expect(await posts()).toEqual(['one']);
    await commit(eventOf('two', [rule], { text: 'a flood closes the old bridge tonight' }));
    expect(await posts()).toEqual(['two', 'one']);
    expect(await view.stories({ accountId: account.id, limit: 9 })).toEqual(
      await store.stories({ accountId: account.id, limit: 9 }),
    );
    expect(await view.rule(account.id, rule.id)).toEqual(await store.rule(account.id, rule.id));
    expect(await collect(view.rules(account.id))).toEqual(await collect(store.rules(account.id)));
    await store.recentKept();
    const recent = await collect(view.recentEvents(account.id, 'x', 9));
    expect(recent.map(({ event }) => event.postId)).toEqual(['two', 'one']);
  });

  it('has no writes, and none of the reads that need one first', async () => {
    const { url, open } = await made();
    await using store = await open();
    await using view = await openReadView(url);
    const names = Object.keys(view);
    expect(names).toEqual(expect.arrayContaining(['matches', 'account', 'grants', 'deliveries', 'usage']));
    for (const name of ['addRule', 'commit', 'settle', 'watchedIn', 'remember', 'rememberedAt'])
      expect(names).not.toContain(name);
    expect(names.filter((name) => !(name in store))).toEqual([]);
  });

  it('asks its owner before each statement whether to go on', async () => {
    const { url, open } = await made();
    await using stand = await stage(open);
    const { account, rule } = stand;
    let isWanted = true;
    await using view = await openReadView(url, () => {
      if (!isWanted) throw new Error('Nobody waits.');
    });
    expect(await view.rule(account.id, rule.id)).toBeDefined();
    isWanted = false;
    await expect(view.rule(account.id, rule.id)).rejects.toThrow('Nobody waits.');
    await expect(collect(view.rules(account.id))).rejects.toThrow('Nobody waits.');
    await expect(view.matches({ accountId: account.id, limit: 9 })).rejects.toThrow('Nobody waits.');
  });
});

describe('a connection to PostgreSQL that only reads', () => {
  it('has sessions that write nothing', async () => {
    const url = await server!.newDatabase();
    await (await openPostgres(url))[Symbol.asyncDispose]();
    const database = connectPostgres(url, { readOnly: true });
    try {
      await expect(database.run('CREATE TABLE written (number int)')).rejects.toThrow('cannot be written');
    } finally {
      await database.close();
    }
  });
});
