/**
 * `npm run bench -- api`: List Matches (limit 50) with few and with millions of stored matches, and against the same
 * framework answering the same bytes from memory. The bar: a page costs at most twice the CPU of that.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { openSqlite } from '../src/store/sqlite.ts';
import { KEY, startServer } from '../test/black-box/server.ts';
import { fillMatches, fillRules } from './fill-matches.ts';

const FEW = 1_000;
const MANY = 5_000_000;
const QUICK = 100_000;
const WARM_UP = 4;
const BODY = JSON.stringify({ limit: 50 });
/** Makes more names of one page than the cache holds, so that it is never cached. */
export const newPages = (limit: number): string[] =>
  Array.from({ length: 20_000 }, (_, n) =>
    JSON.stringify({ limit, until: new Date(Date.UTC(2100, 0, 1) + n).toISOString() }),
  );
const OTHERS = newPages(50);

/** The servers take turns, so that a busy machine troubles all of them alike. */
const ROUNDS = 5;

export interface ApiFigures {
  readonly stored: { few: number; many: number };
  /** The requests of one second of the server's CPU time, or of the clock where that is not known. */
  readonly requests_per_second: Rates;
  /** The cost of a new page with many stored matches, against few. */
  readonly growth: number;
  /** CPU of a page against CPU of the framework alone, for one page asked for again and again: what a poller does. */
  readonly cost: number;
  /** That cost where every request is another one, so that no answer can be a kept one. */
  readonly cost_of_new_pages: number;
}

interface Rates {
  readonly framework: number;
  readonly again: number;
  readonly few: number;
  readonly many: number;
}

export async function benchApi({ quick = false }: { quick?: boolean }): Promise<ApiFigures> {
  const many = quick ? QUICK : MANY;
  const seconds = quick ? 1 : 3;
  await using few = await filledServer(FEW);
  await using lots = await filledServer(many);
  await using framework = await frameworkServer(few.answer);
  const targets: readonly [keyof Rates, Target, readonly string[]][] = [
    ['framework', framework, [BODY]],
    ['again', few, [BODY]],
    ['few', few, OTHERS],
    ['many', lots, OTHERS],
  ];
  // All of them are measured warm.
  for (const [, target, bodies] of targets) await rateOf(target, WARM_UP, bodies);
  const rounds: Rates[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rates = { framework: 0, again: 0, few: 0, many: 0 };
    for (const [name, target, bodies] of targets) rates[name] = await rateOf(target, seconds, bodies);
    rounds.push(rates);
  }
  const median = (of: (rates: Rates) => number) => rounds.map(of).toSorted((a, b) => a - b)[ROUNDS >> 1]!;
  return {
    stored: { few: FEW, many },
    requests_per_second: {
      framework: median((rates) => rates.framework),
      again: median((rates) => rates.again),
      few: median((rates) => rates.few),
      many: median((rates) => rates.many),
    },
    growth: median((rates) => rates.few / rates.many),
    cost: median((rates) => rates.framework / rates.again),
    cost_of_new_pages: median((rates) => rates.framework / rates.few),
  };
}

export interface Target {
  readonly url: string;
  readonly pid: number;
}

async function filledServer(matches: number): Promise<Target & AsyncDisposable & { readonly answer: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  {
    await using store = await openSqlite(join(dataDir, 'sluice.db'));
    await fillMatches(store, await fillRules(store), 0, matches);
  }
  const server = await startServer({}, dataDir);
  const { text } = await server.call('POST', '/matches', JSON.parse(BODY));
  return {
    url: `${server.url}/matches`,
    pid: server.process.pid!,
    answer: text,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/**
 * Whole requests for each second of CPU time that the server takes: a busy machine changes it little. Every connection goes through the
 * bodies from the first on, so several would ask for each page at the same time, and share the answer that one of them made.
 */
export async function rateOf(
  { url, pid }: Target,
  seconds: number,
  bodies: readonly string[],
  connections = bodies.length > 1 ? 1 : 8,
): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const requests = bodies.map((body) => ({ method: 'POST' as const, headers, body }));
  const before = cpuSeconds(pid);
  // A busy machine may be slow to answer; that is no error.
  const options = { url, requests, connections, timeout: 60, duration: seconds };
  const { requests: done, non2xx, errors } = await autocannon(options);
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors`);
  return Math.round(before === undefined ? done.average : done.total / (cpuSeconds(pid)! - before));
}

/** User and system time of a process, where the system tells (Linux); ticks are hundredths of a second. */
export function cpuSeconds(pid: number): number | undefined {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  const fields = readFileSync(path, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The least that a server on this framework can do: take the JSON body, answer the bytes. */
const FRAMEWORK = `
  import { fastify } from 'fastify';
  const answer = Buffer.from(process.argv[1], 'utf8');
  const app = fastify();
  app.post('/matches', (request, reply) => reply.type('application/json; charset=utf-8').send(answer));
  await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(app.server.address().port);`;

async function frameworkServer(answer: string): Promise<Target & AsyncDisposable> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', FRAMEWORK, answer], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '..'),
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${Number(chunk.toString())}/matches`,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
