/**
 * `npm run bench -- api`: List Matches (limit 50) with few and with millions of stored matches, and against a bare
 * `node:http` server that answers the same bytes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { ensureFirstKey } from '../src/service/access/keys.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import type { CommitEvent, Store } from '../src/store/store.ts';
import { KEY, startServer } from '../test/black-box/server.ts';

const FEW = 1_000;
const MANY = 5_000_000;
const QUICK = 100_000;
const RULES = 100;
const COMMIT = 1_000;
const WARM_UP = 5;
const BODY = JSON.stringify({ limit: 50 });
/** The same page under more names than the cache holds, so that it is never cached. */
const OTHERS = Array.from({ length: 20_000 }, (_, n) =>
  JSON.stringify({ limit: 50, until: new Date(Date.UTC(2100, 0, 1) + n).toISOString() }),
);

export interface ApiFigures {
  readonly stored: { few: number; many: number };
  /** Of one second of the server's CPU time, or of the clock where that is not known. */
  readonly requests_per_second: { few: number; many: number; again: number; bare: number };
  /** What a request costs with many stored matches, against few. */
  readonly growth: number;
  /** Against the bare server, for one page asked for again and again: what a poller does. */
  readonly ratio: number;
  /** The same where every request is another one, so that no answer can be a kept one. */
  readonly ratio_of_new_pages: number;
}

export async function benchApi({ quick = false }: { quick?: boolean }): Promise<ApiFigures> {
  const many = quick ? QUICK : MANY;
  const seconds = quick ? 3 : 8;
  const few = await measure(FEW, seconds);
  const lots = await measure(many, seconds);
  const bare = await measureBare(few.answer, seconds);
  return {
    stored: { few: FEW, many },
    requests_per_second: { few: few.rate, many: lots.rate, again: few.again, bare },
    growth: few.rate / lots.rate,
    ratio: few.again / bare,
    ratio_of_new_pages: few.rate / bare,
  };
}

async function measure(matches: number, seconds: number): Promise<{ rate: number; again: number; answer: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    await using store = await openSqlite(join(dataDir, 'sluice.db'));
    await fill(store, matches);
    await using server = await startServer({}, dataDir);
    const { text } = await server.call('POST', '/matches', JSON.parse(BODY));
    const rate = (bodies: readonly string[]) => rateOf(`${server.url}/matches`, server.process.pid!, seconds, bodies);
    return { rate: await rate(OTHERS), again: await rate([BODY]), answer: text };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Straight into the store: what is measured is reading. */
async function fill(store: Store, matches: number): Promise<void> {
  await ensureFirstKey(store, systemClock.now(), KEY);
  const account = (await store.account('default'))!;
  const ruleIds = Array.from({ length: RULES }, () => newId('rule', systemClock.now()));
  for (const id of ruleIds) {
    const platforms = { firehose: { value: 'lava', flags: {} } };
    await store.addRule(
      { id, accountId: account.id, name: 'a rule', intent: '', createdAt: systemClock.now(), platforms },
      {},
    );
    await store.setRuleStatus(id, 'firehose', { status: 'active', platformRuleId: id });
  }
  for (let from = 0; from < matches; from += COMMIT) {
    const events = Array.from({ length: Math.min(COMMIT, matches - from) }, (_, n) =>
      eventOf(from + n, ruleIds, account.id),
    );
    await store.commit({ platform: 'firehose', at: systemClock.now(), events });
  }
}

function eventOf(number: number, ruleIds: readonly string[], accountId: string): CommitEvent {
  const payload = {
    id: `page-${number}`,
    url: `https://bench.test/${number}`,
    title: 'Lava on the road',
    diff: { chunks: [{ typ: 'ins', text: `Lava reached the road this morning, says report ${number}.` }] },
  };
  return {
    event: { platform: 'firehose', postId: payload.id, payload, accountId },
    matches: [
      { ruleId: ruleIds[number % RULES]!, version: 1, highlights: [{ field: 'diff.chunks.0.text', start: 0, end: 4 }] },
    ],
  };
}

/** Whole requests for each second of CPU time that the server takes: a busy machine changes it little. */
async function rateOf(url: string, pid: number, seconds: number, bodies: readonly string[]): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const requests = bodies.map((body) => ({ method: 'POST' as const, headers, body }));
  const options = { url, requests, connections: 8 };
  // Both servers are measured warm.
  await autocannon({ ...options, duration: WARM_UP });
  const before = cpuSeconds(pid);
  const { requests: done, non2xx, errors } = await autocannon({ ...options, duration: seconds });
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors`);
  return Math.round(before === undefined ? done.average : done.total / (cpuSeconds(pid)! - before));
}

/** User and system time of a process, where the system tells (Linux); ticks are hundredths of a second. */
function cpuSeconds(pid: number): number | undefined {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  const fields = readFileSync(path, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The least a server can do: read the body, answer the bytes. */
const BARE = `
  const answer = Buffer.from(process.argv[1], 'utf8');
  require('node:http').createServer((request, response) => {
    request.on('data', () => {}).on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

async function measureBare(answer: string, seconds: number): Promise<number> {
  const child = spawn(process.execPath, ['-e', BARE, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    return await rateOf(`http://127.0.0.1:${Number(chunk.toString())}/matches`, child.pid!, seconds, [BODY]);
  } finally {
    child.kill();
  }
}
