import { describe, expect, it } from 'vitest';
import { storeOnConnection } from '../sqlite.ts';
import { writingDb } from './db.ts';
import { connectInMemory } from './migrate.ts';
import { sqlOf } from './sql.ts';
import { callsOn, writesBy, writesOf } from './writes.ts';

const OPTIONS = { retentionDays: 30, erasureDays: 400, recent: { events: 10, bytes: 1e6 } };
const NOW = new Date(Date.UTC(2026, 10, 15));
const node = (id: string) => [{ id, roles: ['all'], applied: 0 }, NOW, 1_000] as const;

describe('the writes of a connection', () => {
  it('are done one after another: what fails takes nothing of another with it', async () => {
    using file = connectInMemory();
    const db = writingDb(sqlOf(file));
    const call = callsOn(writesOf(db, OPTIONS));
    // It begins a transaction, reads, and throws because nobody has the lease.
    const failing = call('keepWatches', [{ name: 'watch', fence: 7 }, []]);
    const other = call('reportNode', node('one'));
    const [failed, done] = await Promise.allSettled([failing, other]);
    expect([failed.status, done.status]).toEqual(['rejected', 'fulfilled']);
    expect(await db.rows('SELECT id FROM nodes')).toEqual([{ id: 'one' }]);
  });

  it('are not read half-way on the same connection', async () => {
    using file = connectInMemory();
    const inside: boolean[] = [];
    const prepare = file.prepare.bind(file);
    file.prepare = (text) => {
      if (!text.startsWith('SELECT * FROM accounts ORDER BY')) return prepare(text);
      const statement = prepare(text);
      const all = statement.all.bind(statement);
      statement.all = (...values: never[]) => {
        inside.push(file.isTransaction);
        return all(...values);
      };
      return statement;
    };
    const store = storeOnConnection(file);
    const account = (id: string) => ({ id, name: id, plan: 'paid', xRules: 1, createdAt: NOW }) as const;
    const readAfter = async (ticks: number) => {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      return store.accounts();
    };
    const ticks = Array.from({ length: 40 }, (_, index) => index);
    await Promise.all([store.addAccount(account('a')), ...ticks.map(readAfter)]);
    expect(inside).toEqual(ticks.map(() => false));
  });

  it('are called by their names, wherever they are done, and by no other name', async () => {
    using file = connectInMemory();
    const db = writingDb(sqlOf(file));
    const asked: string[] = [];
    const call = callsOn(writesOf(db, OPTIONS));
    const writes = writesBy((name, args) => {
      asked.push(name);
      return call(name, args);
    }, OPTIONS);
    await writes.reportNode(...node('two'));
    expect([asked, await db.rows('SELECT id FROM nodes')]).toEqual([['reportNode'], [{ id: 'two' }]]);
    await expect(call('dropEverything', [])).rejects.toMatchObject({ reason: 'defect' });
    expect(Object.keys(writes)).toEqual(Object.keys(writesOf(db, OPTIONS)));
  });
});
