/**
 * Makes the databases of release 0.2.0 that stand beside this file, with the program of that release:
 *
 *     git worktree add /tmp/released 47df275c && (cd /tmp/released && npm ci)
 *     node test/store/released/make.ts /tmp/released
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import type { Store } from '../../../src/store/store.ts';
import { startPostgres } from '../../stages/postgres.ts';
import { ACCOUNT, COMMITTED, KEY, RULE, WEBHOOK } from './content.ts';

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Give the folder of a checkout of release 0.2.0.');

const moduleOf = (path: string) => import(pathToFileURL(resolve(checkout, 'src/store', path)).href);

/** Only what both versions have. */
async function fill(store: Store): Promise<void> {
  await using _ = store;
  await store.addAccount(ACCOUNT);
  await store.addKey(KEY, Buffer.from('digest'));
  await store.addRule(RULE, {});
  for (const platform of ['x', 'firehose'] as const)
    await store.setRuleStatus(RULE.id, platform, { status: 'active', platformRuleId: `${platform} 7` });
  await store.addWebhook(WEBHOOK, 10);
  for (const commit of COMMITTED) await store.commit(commit);
  const [first] = await store.owedMatches(WEBHOOK.id, new Date(Date.UTC(2030, 0)), 1);
  const at = COMMITTED[0]!.at;
  await store.freeze({ id: 'dlv_1', webhookId: WEBHOOK.id, positions: [first!.position], body: '{}', at });
  await store.remember(ACCOUNT.id, 'once', 'digest', { id: RULE.id });
  await store.changeRegistrations({
    put: [
      {
        tag: 'tag',
        platform: 'x',
        state: 'held',
        since: at,
        platformRuleId: 'x 7',
        flags: {},
        value: 'storm',
        texts: ['storm'],
      },
    ],
  });
}

const beside = (name: string): string => join(import.meta.dirname, name);

const file = beside('made.db');
await fill(await (await moduleOf('sqlite.ts')).openSqlite(file, { recent: { events: 0 } }));
writeFileSync(beside('0.2.0.db.gz'), gzipSync(readFileSync(file), { level: 9 }));
for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });

await using server = await startPostgres();
const url = await server.newDatabase();
await fill(await (await moduleOf('postgres.ts')).openPostgres(url, { recent: { events: 0 } }));
const { POSTGRES_MIGRATIONS } = await moduleOf('postgres/schema.ts');
writeFileSync(beside('0.2.0.sql.gz'), gzipSync(await dumpOf(url, POSTGRES_MIGRATIONS), { level: 9 }));

/** Writes what `pg_dump` would write: the tables, the partitions of the days, and their rows. */
async function dumpOf(from: string, steps: readonly { readonly sql: string }[]): Promise<string> {
  const db = new pg.Client({ connectionString: from });
  await db.connect();
  const lines = ['CREATE TABLE migrations (name text PRIMARY KEY);', ...steps.map(({ sql }) => sql.trim())];
  const parts = await db.query<{ name: string; of: string; bound: string }>(
    `SELECT c.relname AS name, i.inhparent::regclass::text AS of, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relispartition AND c.relkind = 'r' ORDER BY 1`,
  );
  for (const { name, of, bound } of parts.rows) lines.push(`CREATE TABLE ${name} PARTITION OF ${of} ${bound};`);
  const tables = await db.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition ORDER BY c.oid`,
  );
  for (const { name } of tables.rows) lines.push(...(await rowsOf(db, name)));
  await db.end();
  return `${lines.join('\n')}\n`;
}

async function rowsOf(db: pg.Client, table: string): Promise<string[]> {
  const { rows } = await db.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  if (rows.length === 0) return [];
  const values = rows.map(({ row }) => pg.escapeLiteral(row)).join(', ');
  const insert = `DELETE FROM ${table}; INSERT INTO ${table} OVERRIDING SYSTEM VALUE
    SELECT r.* FROM unnest(ARRAY[${values}]::jsonb[]) j CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, j) r;`;
  const numbered = await db.query(`SELECT pg_get_serial_sequence('${table}', 'number') AS name
    WHERE EXISTS (SELECT FROM information_schema.columns WHERE table_name = '${table}' AND column_name = 'number')`);
  const sequence: unknown = numbered.rows[0]?.name;
  return typeof sequence === 'string'
    ? [insert, `SELECT setval('${sequence}', (SELECT max(number) FROM ${table}));`]
    : [insert];
}
