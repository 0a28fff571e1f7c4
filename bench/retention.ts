/**
 * `npm run bench -- retention`: how many matches a second leave both databases when they are past their time, by the same loop as
 * in the program, with its pauses. The bar is 20,000: what comes faster for weeks makes the disk grow, and an alert says so.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import type { NewRule, Store, StoreOptions } from '../src/store/store.ts';
import { startPostgresWithTables } from '../test/stages/postgres.ts';
import { cpuBelowUs } from './scale.ts';

const DAY = 86_400_000;
const [RULES, EVENTS_A_COMMIT] = [100, 250];
/** Each event matches this many of the rules. */
const MATCHES = 4;
/** The pause of the program between two slices. */
const PAUSE_MS = 20;
const OPTIONS: StoreOptions = { retentionDays: 1 };

interface RetentionFigures {
  readonly matches: number;
  readonly sqlite: Leaving;
  readonly postgres: Leaving;
}

interface Leaving {
  readonly a_second: number;
  /** Microseconds of CPU a match, of us and of the database. */
  readonly cpu_micros: number;
  readonly slices: number;
}

export async function benchRetention({ quick = false }: { quick?: boolean }): Promise<RetentionFigures> {
  const matches = quick ? 20_000 : 500_000;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-retention-'));
  try {
    await using server = await startPostgresWithTables();
    const sqlite = await leaving(await openSqlite(join(folder, 'sluice.db'), OPTIONS), matches);
    const postgres = await leaving(await openPostgres(await server.newDatabase(), OPTIONS), matches);
    return { matches, sqlite, postgres };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function leaving(opened: Store, matches: number): Promise<Leaving> {
  await using store = opened;
  const now = Date.now();
  await fill(store, matches, now);
  // Half a day later none of the matches may be left, and today's partition has gone as well.
  const later = () => new Date(now + 2.5 * DAY);
  const [cpu, began] = [cpuSeconds(), performance.now()];
  let slices = 1;
  while ((await store.removeSlice(later())).more) {
    slices++;
    await systemClock.sleep(PAUSE_MS);
  }
  const seconds = (performance.now() - began) / 1_000;
  const { lateMs } = await store.retentionBacklog(later());
  if (lateMs > 0) throw new Error(`${lateMs} ms of matches are still there`);
  return {
    a_second: Math.round(matches / seconds),
    cpu_micros: Math.round(((cpuSeconds() - cpu) * 1e6) / matches),
    slices,
  };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + cpuBelowUs('postgres');
}

async function fill(store: Store, matches: number, now: number): Promise<void> {
  const account = {
    id: newId('acct', new Date(now)),
    name: 'one',
    plan: 'paid',
    xRules: RULES,
    createdAt: new Date(now),
  };
  await store.addAccount(account as Parameters<Store['addAccount']>[0]);
  const rules = Array.from({ length: RULES }, (_, number) => ruleOf(account.id, number, now));
  for (const rule of rules) await store.addRule(rule, {});
  for (let event = 0; event * MATCHES < matches; event += EVENTS_A_COMMIT) {
    const events = Array.from({ length: EVENTS_A_COMMIT }, (_, at) => eventOf(event + at, rules));
    await store.commit({ platform: 'x', at: new Date(now), events });
  }
}

const ruleOf = (accountId: string, number: number, now: number): NewRule => ({
  id: newId('rule', new Date(now)),
  accountId,
  name: `rule ${number}`,
  intent: '',
  createdAt: new Date(now),
  platforms: { x: { value: `word${number}`, flags: {} } },
});

function eventOf(number: number, rules: readonly NewRule[]) {
  const postId = String(number);
  return {
    event: {
      platform: 'x' as const,
      postId,
      payload: { data: { id: postId, text: `post ${number}` } },
      accountId: undefined,
    },
    matches: Array.from({ length: MATCHES }, (_, at) => ({
      ruleId: rules[(number * 7 + at) % RULES]!.id,
      version: 1,
      highlights: [{ field: 'data.text', start: 0, end: 4 }],
    })),
  };
}
