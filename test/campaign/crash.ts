/**
 * Kills the real process with SIGKILL in the middle of ingest at full speed, again and again, and then counts: nothing
 * that was acknowledged is missing, nothing is there twice, nothing is there that was never sent.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomFrom } from '../../bench/random.ts';
import { type Started, type StartServer, startServer } from '../black-box/server.ts';
import { BATCH, batchFrom, createRules, eventOf, type Tally, tally } from './load.ts';

const PUSHERS = 4;

export interface CrashOptions {
  readonly start?: StartServer;
  readonly kills: number;
  readonly seed: number;
  /** When to kill: after so many acknowledged batches, or after so many milliseconds. */
  readonly after: (random: () => number) => { batches: number } | { milliseconds: number };
  readonly report?: (line: string) => void;
}

export interface CrashResult extends Omit<Tally, 'matchIds'> {
  readonly acknowledged: number;
  /** The state of the SQLite file, where the store is one. */
  readonly integrity: string | undefined;
  /** Milliseconds from the start of the process to ready, for each restart. */
  readonly ready: readonly number[];
}

export async function crash({
  start = startServer,
  kills,
  seed,
  after,
  report = () => {},
}: CrashOptions): Promise<CrashResult> {
  const random = randomFrom(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  const ready: number[] = [];
  const sent: Sent = { next: 0, acknowledged: [] };
  try {
    const ruleIds = await prepare(start, dataDir);
    for (let kill = 1; kill <= kills; kill++) {
      const began = performance.now();
      const server = await start({}, dataDir);
      await server.call('GET', '/readyz');
      ready.push(performance.now() - began);
      await pushUntilKilled(server, sent, after(random), random);
      report(`kill ${kill}: ${sent.acknowledged.length * BATCH} events acknowledged so far`);
    }
    const counted = await count(start, dataDir, ruleIds, sent);
    return { ...counted, integrity: integrityOf(dataDir), ready, acknowledged: sent.acknowledged.length * BATCH };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Sent {
  /** The first number of the next batch. */
  next: number;
  /** First numbers of the batches that were acknowledged. */
  readonly acknowledged: number[];
}

async function prepare(start: StartServer, dataDir: string): Promise<string[]> {
  const server = await start({}, dataDir);
  const ids = await createRules(server.call, ['x']);
  await server.end('SIGTERM');
  return ids;
}

/** Several clients push as fast as they can, one batch in twenty a repeat, one in twenty out of order. */
async function pushUntilKilled(
  server: Started,
  sent: Sent,
  moment: { batches: number } | { milliseconds: number },
  random: () => number,
): Promise<void> {
  const state = { killed: false };
  let done = 0;
  const kill = () => {
    state.killed = true;
    server.process.kill('SIGKILL');
  };
  const timer = 'milliseconds' in moment ? setTimeout(kill, moment.milliseconds) : undefined;
  const pusher = async () => {
    while (!state.killed) {
      const repeat = sent.acknowledged.length > 0 && random() < 0.05;
      const first = repeat ? sent.acknowledged[Math.floor(random() * sent.acknowledged.length)]! : sent.next;
      if (!repeat) sent.next += BATCH;
      const numbers = batchFrom(first);
      if (random() < 0.05) numbers.reverse();
      const answer = await server.push('x', numbers.map(eventOf)).catch(() => undefined);
      if (answer?.status !== 200) continue;
      if (!repeat) sent.acknowledged.push(first);
      if ('batches' in moment && ++done === moment.batches) kill();
    }
  };
  await Promise.all(Array.from({ length: PUSHERS }, pusher));
  clearTimeout(timer);
  await server.end('SIGKILL');
}

async function count(
  start: StartServer,
  dataDir: string,
  ruleIds: readonly string[],
  sent: Sent,
): Promise<Omit<Tally, 'matchIds'>> {
  const server = await start({}, dataDir);
  const acknowledged = sent.acknowledged.flatMap(batchFrom);
  const { matchIds: _, ...counted } = await settled(() =>
    tally(server.call, ruleIds, { x: { below: sent.next, acknowledged } }),
  );
  await server.end('SIGTERM');
  return counted;
}

/** Events that a broker held at the kill may come during a count: it stands when the next one finds as much. */
async function settled(tallied: () => Promise<Tally>): Promise<Tally> {
  let [before, now] = [await tallied(), await tallied()];
  while (now.matchIds.size > before.matchIds.size) [before, now] = [now, await tallied()];
  return before;
}

function integrityOf(dataDir: string): string | undefined {
  const file = join(dataDir, 'sluice.db');
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  database.close();
  return rows.map((row) => row.integrity_check).join('; ');
}

/** `npm run campaign -- crash [--kills N] [--seed N]`: fails unless every figure is what it must be. */
export async function crashCampaign(options: { kills?: number; seed?: number }): Promise<boolean> {
  const { kills = 200, seed = Date.now() % 2 ** 32 } = options;
  console.log(`crash: ${kills} kills, seed ${seed}`);
  const after = (random: () => number) => ({ milliseconds: 150 + random() * 2_850 });
  const result = await crash({ kills, seed, after, report: (line) => console.log(line) });
  const sorted = result.ready.toSorted((one, other) => one - other);
  const at = (part: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!)} ms`;
  console.log(
    `${result.acknowledged} events acknowledged; ${result.missing} matches missing, ${result.twice} twice, ${result.unexpected} unexpected, ${result.miscounted} rules miscounted; integrity ${result.integrity}`,
  );
  console.log(`time to ready: median ${at(0.5)}, p99 ${at(0.99)}, worst ${at(1)} (aim 2000 ms)`);
  return result.missing + result.twice + result.unexpected + result.miscounted === 0 && result.integrity === 'ok';
}
