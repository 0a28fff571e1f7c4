import { describe } from 'vitest';
import { tableCases } from '../../../test/conformance/tables.ts';
import { storeOnConnection } from '../sqlite.ts';
import { connectInMemory } from './migrate.ts';
import { sqlOf } from './sql.ts';

describe('the tables of SQLite', () => {
  tableCases(async ({ retentionDays = 30 } = {}) => {
    const db = connectInMemory();
    const store = storeOnConnection(db, { retentionDays, recent: { events: 1_000, bytes: 1_000_000 } });
    const sql = sqlOf(db);
    return { store, rows: async <Row>(text: string) => sql.rows<Row>(text) };
  });
});
