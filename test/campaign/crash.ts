/**
 * Kills the real process with SIGKILL in the middle of ingest at full speed, again and again, and then counts: nothing
 * that was acknowledged is missing, nothing is there twice, nothing is there that was never sent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Started, startServer } from '../black-box/server.ts';

const RULES = 20;
const BATCH = 100;
const PUSHERS = 4;
/** One event in so many matches; the others only keep the pipeline busy. */
const EVERY = 5;
/** Ids of posts begin here, so that all are of one length. */
const FIRST_ID = 10_000_000;

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  /** When to kill: after so many acknowledged batches, or after so many milliseconds. */
  readonly after: (random: () => number) => { batches: number } | { milliseconds: number };
  readonly report?: (line: string) => void;
}

export interface CrashResult {
  readonly acknowledged: number;
  readonly missing: number;
  readonly twice: number;
  readonly unexpected: number;
  readonly miscounted: number;
  readonly integrity: string;
  /** Milliseconds from the start of the process to ready, for each restart. */
  readonly ready: readonly number[];
}

export async function crash({ kills, seed, after, report = () => {} }: CrashOptions): Promise<CrashResult> {
  const random = randomFrom(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
  const ready: number[] = [];
  const sent: Sent = { next: 0, acknowledged: [] };
  try {
    const ruleIds = await createRules(dataDir);
    for (let kill = 1; kill <= kills; kill++) {
      const began = performance.now();
      const server = await startServer({}, dataDir);
      await server.call('GET', '/readyz');
      ready.push(performance.now() - began);
      await pushUntilKilled(server, sent, after(random), random);
      report(`kill ${kill}: ${sent.acknowledged.length * BATCH} events acknowledged so far`);
    }
    const counted = await count(dataDir, ruleIds, sent);
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

/** Which rules the event of this number matches: two, as a rule. */
function rulesOf(number: number): number[] {
  if (number % EVERY !== 0) return [];
  const turn = number / EVERY;
  return [...new Set([turn % RULES, (turn * 7 + 3) % RULES])];
}

function eventOf(number: number): unknown {
  const words = rulesOf(number).map((rule) => `word${rule}`);
  return { data: { id: String(FIRST_ID + number), text: `Event ${number}: ${['nothing', ...words].join(' ')}.` } };
}

async function createRules(dataDir: string): Promise<string[]> {
  const server = await startServer({}, dataDir);
  const ids: string[] = [];
  for (let rule = 0; rule < RULES; rule++) {
    const { body } = await server.call('POST', '/api.CreateRule', {
      name: `rule ${rule}`,
      intent: '',
      platforms: ['x'],
      overrides: { x: `word${rule}` },
    });
    ids.push(body['rule_id'] as string);
  }
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
      const numbers = Array.from({ length: BATCH }, (_, offset) => first + offset);
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

type Counted = Pick<CrashResult, 'missing' | 'twice' | 'unexpected' | 'miscounted'>;

/** Reads every match as a client would, and holds it against what was sent. */
async function count(dataDir: string, ruleIds: readonly string[], sent: Sent): Promise<Counted> {
  const server = await startServer({}, dataDir);
  const seen = new Uint32Array(sent.next);
  const counts = Array.from({ length: RULES }, () => 0);
  let [twice, unexpected, missing] = [0, 0, 0];
  let cursor: string | undefined;
  do {
    const { body } = await server.call('POST', '/matches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const match of body['matches'] as { rule_id: string; platform_post_id: string }[]) {
      const number = Number(match.platform_post_id) - FIRST_ID;
      const rule = ruleIds.indexOf(match.rule_id);
      counts[rule]!++;
      if (!rulesOf(number).includes(rule)) unexpected++;
      else if ((seen[number]! & (1 << rule)) !== 0) twice++;
      else seen[number]! |= 1 << rule;
    }
    cursor = body['next_cursor'] as string | undefined;
  } while (cursor !== undefined);
  for (const first of sent.acknowledged) {
    for (let number = first; number < first + BATCH; number++) {
      for (const rule of rulesOf(number)) if ((seen[number]! & (1 << rule)) === 0) missing++;
    }
  }
  const { body } = await server.call('GET', '/api.ListRules');
  const listed = body['rules'] as { id: string; platforms: { x: { match_count: number } } }[];
  const miscounted = listed.filter(
    ({ id, platforms }) => platforms.x.match_count !== counts[ruleIds.indexOf(id)],
  ).length;
  await server.end('SIGTERM');
  return { missing, twice, unexpected, miscounted };
}

function integrityOf(dataDir: string): string {
  const database = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
  const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  database.close();
  return rows.map((row) => row.integrity_check).join('; ');
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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
