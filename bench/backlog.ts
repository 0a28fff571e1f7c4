/**
 * `npm run bench -- backlog`: a push of one event that matches one rule, with a million matches owed to a webhook against
 * none, and with a full ring of recent events against an empty one, on both databases. The bar: at most 1.2 times the CPU
 * and the time. The contenders take turns, so that a busy machine troubles all of them alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { startPostgresWithTables } from '../test/stages/postgres.ts';
import { openService } from '../test/stages/service.ts';
import { cpuBelowUs } from './scale.ts';

const OWED = 1_000_000;
/** As many events as a ring has room for, each in a row of its own. */
const RING = 50_000;
/** Matches of the event whose rows are copied. */
const RULES = 1_000;
const [TURNS, PUSHES] = [25, 10];

const CONTENDERS = ['none', 'owed', 'ring'] as const;
type Contender = (typeof CONTENDERS)[number];

interface Cost {
  /** Milliseconds of CPU a push, of us and of the database. */
  readonly cpu: number;
  /** Milliseconds until a push is acknowledged: the median. */
  readonly time: number;
}

interface DatabaseFigures extends Record<Contender, Cost> {
  readonly owed_over_none: Cost;
  readonly full_ring_over_empty: Cost;
}

export interface BacklogFigures {
  readonly owed: number;
  readonly ring: number;
  readonly sqlite: DatabaseFigures;
  readonly postgres: DatabaseFigures;
}

/** A database of its own: `open` opens the store on it, `exec` runs SQL beside the store. */
interface Place {
  open(): Promise<Store>;
  exec(sql: string): Promise<void>;
  /** The tables that a match has rows in. */
  readonly tables: readonly CopiedTable[];
}

export async function benchBacklog({ quick = false }: { quick?: boolean }): Promise<BacklogFigures> {
  const [owed, ring] = quick ? [10_000, 1_000] : [OWED, RING];
  const folder = mkdtempSync(join(tmpdir(), 'sluice-backlog-'));
  try {
    await using server = await startPostgresWithTables();
    const sqlite = await figuresOf((name) => sqlitePlace(join(folder, `${name}.db`)), owed, ring);
    const postgres = await figuresOf(async () => postgresPlace(await server.newDatabase()), owed, ring);
    return { owed, ring, sqlite, postgres };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sqlitePlace = (path: string): Place => ({
  tables: COPIED,
  open: () => openSqlite(path),
  async exec(sql) {
    using file = new DatabaseSync(path);
    file.exec(sql);
  },
});

const postgresPlace = (url: string): Place => ({
  tables: [...COPIED, KEYS],
  open: () => openPostgres(url),
  async exec(sql) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(sql);
    await client.end();
  },
});

async function figuresOf(
  placeOf: (name: Contender) => Place | Promise<Place>,
  owed: number,
  ring: number,
): Promise<DatabaseFigures> {
  await using parts = new AsyncDisposableStack();
  const pushers = {} as Record<Contender, () => Promise<void>>;
  for (const name of CONTENDERS) {
    const place = await placeOf(name);
    const pusher = parts.use(await pusherOn(place, name === 'owed' ? owed : 0));
    if (name === 'ring') await fillRing(place, pusher.push, ring);
    pushers[name] = pusher.push;
  }
  const costs = await measured(pushers);
  const over = (one: Cost, other: Cost): Cost => ({ cpu: one.cpu / other.cpu, time: one.time / other.time });
  const ratios = {
    owed_over_none: over(costs.owed, costs.none),
    full_ring_over_empty: over(costs.ring, costs.none),
  };
  return { ...costs, ...ratios };
}

interface Pusher extends AsyncDisposable {
  push(): Promise<void>;
}

/** A whole service on the place, with a webhook that is paused, so that what it is owed stays. */
async function pusherOn(place: Place, owed: number): Promise<Pusher> {
  const store = await place.open();
  const test = await openService({ store });
  const caller = await test.caller('alice', { xRules: 2 * RULES });
  const { webhook_id } = await test.call(caller, 'createWebhook', { url: 'https://receiver.example/' });
  await test.call(caller, 'updateWebhook', { webhook_id, paused: true });
  await test.call(caller, 'createRule', {
    name: 'storms',
    intent: '',
    platforms: ['x'],
    overrides: { x: 'storm' },
  });
  if (owed > 0) await fillOwed(place, store, caller.account.id, owed);
  return {
    async push() {
      const { matches } = await test.post(caller, 'a storm');
      if (matches !== 1) throw new Error(`a push had ${matches} matches`);
    },
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** A commit of a thousand matches, then copies of its rows with earlier positions, which saves a thousand commits. */
async function fillOwed({ exec, tables }: Place, store: Store, accountId: string, owed: number): Promise<void> {
  const ruleIds = Array.from({ length: RULES }, () => newId('rule', systemClock.now()));
  const platforms = { x: { value: 'lava', flags: {} } };
  for (const id of ruleIds) {
    await store.addRule({ id, accountId, name: 'lava', intent: '', createdAt: systemClock.now(), platforms }, {});
    await store.setRuleStatus(id, 'x', { status: 'active', platformRuleId: id });
  }
  const matches = ruleIds.map((ruleId) => ({ ruleId, version: 1, highlights: [] }));
  const event = { platform: 'x', postId: 'lava', payload: { data: { text: 'lava' } }, accountId } as const;
  await store.commit({ platform: 'x', at: systemClock.now(), events: [{ event, matches }] });
  const copies = `WITH RECURSIVE copies (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copies WHERE k < ${owed / RULES - 1})`;
  for (const [table, columns, values] of tables)
    await exec(`${copies} INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table}, copies`);
  await exec('ANALYZE');
}

/** More than the positions of a commit. */
const APART = 100_000;
const EARLIER = `position - k * ${APART}`;
type CopiedTable = readonly [table: string, columns: string, values: string];
const COPIED: readonly CopiedTable[] = [
  ['owed', 'position, webhook', `${EARLIER}, webhook`],
  [
    'matches',
    'position, account, platform, rule, version, event, tail, highlights',
    `${EARLIER}, account, platform, rule, version, event - k * ${APART}, tail || k, highlights`,
  ],
  [
    'events',
    'number, platform, account, post_id, payload',
    `number - k * ${APART}, platform, account, post_id || k, payload`,
  ],
];
const KEYS: CopiedTable = ['match_keys', 'tail, position', `tail || k, ${EARLIER}`];

/** Rows as pushes make them, doubled until the ring is full, which saves fifty thousand commits. */
async function fillRing({ exec }: Place, push: () => Promise<void>, events: number): Promise<void> {
  for (let pushed = 0; pushed < 50; pushed++) await push();
  for (let rows = 50; rows < events; rows *= 2)
    await exec(
      `INSERT INTO recent (platform, owner, at, events, bytes, lines)
         SELECT platform, owner, at, events, bytes, lines FROM recent ORDER BY number LIMIT ${events - rows};
       DELETE FROM recent_totals;
       INSERT INTO recent_totals (platform, owner, events, bytes)
         SELECT platform, owner, sum(events), sum(bytes) FROM recent GROUP BY platform, owner;
       INSERT INTO recent_totals (platform, owner, events, bytes)
         SELECT platform, '*', sum(events), sum(bytes) FROM recent WHERE owner <> '' GROUP BY platform`,
    );
}

async function measured(pushers: Record<Contender, () => Promise<void>>): Promise<Record<Contender, Cost>> {
  const spent = { none: 0, owed: 0, ring: 0 };
  const times: Record<Contender, number[]> = { none: [], owed: [], ring: [] };
  for (const name of CONTENDERS) for (let warm = 0; warm < 2 * PUSHES; warm++) await pushers[name]();
  for (let turn = 0; turn < TURNS; turn++) {
    for (const name of CONTENDERS) {
      const before = cpuSeconds();
      for (let pushed = 0; pushed < PUSHES; pushed++) {
        const began = performance.now();
        await pushers[name]();
        times[name].push(performance.now() - began);
      }
      spent[name] += cpuSeconds() - before;
    }
  }
  const costOf = (name: Contender): Cost => ({
    cpu: (1_000 * spent[name]) / (TURNS * PUSHES),
    time: times[name].toSorted((a, b) => a - b)[times[name].length >> 1]!,
  });
  return { none: costOf('none'), owed: costOf('owed'), ring: costOf('ring') };
}

/** Counts the CPU of this process with its threads, and of the servers that it started. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + cpuBelowUs('postgres');
}
