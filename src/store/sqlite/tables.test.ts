import { describe } from 'vitest';
import { tableCases } from '../../../test/conformance/tables.ts';
import { systemClock } from '../../base/clock.ts';
import { storeOf } from '../sqlite.ts';
import { connectInMemory } from './in-memory.ts';
import { readsOf } from './reads.ts';
import { sqlOf } from './sql.ts';
import { callByName, type Write, writesOf } from './writes.ts';

describe('the tables of SQLite', () => {
  tableCases(async ({ retentionDays = 30 } = {}) => {
    const db = connectInMemory();
    const sql = sqlOf(db);
    const options = { retentionDays, erasureDays: 400, recent: { events: 1_000, bytes: 1_000_000 } };
    const [reads, writes] = [readsOf(sql, options), writesOf(sql, options)];
    const write = (async (name: string, ...args: unknown[]) => callByName(writes, name, args)) as Write;
    const store = storeOf(
      {
        read: async (work) => work(reads, db),
        write,
        backup: (to) => write('backup', to),
        databaseBytes: async () => 0,
        figures: () => ({ connections: { open: 1, idle: 1, waiting: 0 }, lock: { waits: 0, seconds: 0 } }),
        close: async () => db.close(),
      },
      systemClock,
    );
    return { store, rows: async <Row>(text: string) => sql.rows<Row>(text) };
  });
});
