/**
 * `npm run bench -- pushes`: 32 clients of 64 accounts push ten events each, of which three match, into a cluster whose PostgreSQL is
 * a millisecond away and takes two milliseconds more for a commit, as on another machine. Told are pushes a second with one, two and
 * three matchers, and the CPU time that a push takes in each part. All parts share this machine: CPU time says more than pushes a second.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openAdmin } from '../src/app/admin.ts';
import { callServer } from '../test/black-box/server.ts';
import { type Cluster, startCluster } from '../test/cluster/cluster.ts';
import { spread } from './measure.ts';
import { cpuOf } from './scale.ts';

const [CLIENTS, ACCOUNTS, EVENTS, MATCHING] = [32, 64, 10, 3] as const;
/** Milliseconds that an answer of PostgreSQL is held back, and microseconds that a commit waits before it is written. */
const [ROUND_TRIP_MS, COMMIT_US] = [1, 2_000] as const;

export interface SmallPushes {
  readonly matchers: number;
  readonly pushes_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly commits_per_second: number;
  /** CPU milliseconds a push. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly cpu_ms: number;
}

export async function* benchSmallPushes({ quick = false }: { quick?: boolean }): AsyncGenerator<SmallPushes> {
  for (const matchers of quick ? [1] : [1, 2, 3]) yield await run(matchers, quick ? 4_000 : 12_000);
}

async function run(matchers: number, milliseconds: number): Promise<SmallPushes> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(
    await startCluster({
      nodes: { api: 1, matcher: matchers },
      wayToStore: async (url) => parts.use(await farFrom(url)).url,
    }),
  );
  await cluster.ready();
  const keys = await addAccounts(cluster);
  await pushFor(cluster, keys, milliseconds / 4);
  const [cpu, commits] = [await cpuOf(cluster), await commitsOf(cluster)];
  const began = performance.now();
  const times = await pushFor(cluster, keys, milliseconds);
  const seconds = (performance.now() - began) / 1_000;
  const spent = Object.entries(await cpuOf(cluster)).map(
    ([part, now]) => [part, ((now - cpu[part]!) / times.length) * 1_000] as const,
  );
  const { p50, p99 } = spread(Float64Array.from(times));
  return {
    matchers,
    pushes_per_second: times.length / seconds,
    p50_ms: p50,
    p99_ms: p99,
    commits_per_second: ((await commitsOf(cluster)) - commits) / seconds,
    cpu: Object.fromEntries(spent),
    cpu_ms: spent.reduce((sum, [, one]) => sum + one, 0),
  };
}

/** A rule for each account: the events of a push match it three times. */
async function addAccounts(cluster: Cluster): Promise<readonly string[]> {
  await using admin = await openAdmin({ ...cluster.settings, SLUICE_STORE_URL: cluster.storeUrl });
  const keys: string[] = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const account = `account-${number}`;
    await admin.addAccount(account, { plan: 'paid', xRules: 25 });
    await admin.changeLimits(account, { requests_per_key: null, requests_per_account: null });
    const { secret } = await admin.addKey(account, { name: 'bench', scope: 'full', expiresAt: undefined });
    keys.push(secret);
    const rule = { name: 'Storms', intent: 'Storms.', platforms: ['x'], overrides: { x: 'storm' } };
    await callServer(cluster.apis[0]!.url, 'POST', '/api.CreateRule', rule, { key: secret });
  }
  return keys;
}

let lastId = 0;

const body = (): string =>
  Array.from({ length: EVENTS }, (_, index) => {
    const id = String(++lastId);
    const text = index < MATCHING ? `a storm at sea, the ${id}th` : `nothing of note at ${id}`;
    return JSON.stringify({ data: { id, text } });
  }).join('\n');

/** Answers the milliseconds that each push took. */
async function pushFor(cluster: Cluster, keys: readonly string[], milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  const url = `${cluster.apis[0]!.url}/events?platform=x`;
  const client = async (number: number): Promise<void> => {
    for (let turn = 0; performance.now() < end; turn++) {
      const authorization = `Bearer ${keys[(number + turn * CLIENTS) % ACCOUNTS]}`;
      const began = performance.now();
      const headers = { authorization, 'content-type': 'application/x-ndjson' };
      const answer = await fetch(url, { method: 'POST', body: body(), headers });
      const { matches } = (await answer.json()) as { matches?: number };
      if (answer.status !== 200 || matches !== MATCHING)
        throw new Error(`A push was answered ${answer.status}, ${matches}.`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return times;
}

async function commitsOf(cluster: Cluster): Promise<number> {
  let commits = 0;
  for (const { url } of cluster.of('matcher')) {
    const { text } = await callServer(url, 'GET', '/metrics');
    for (const [, count] of text.matchAll(/^sluice_commit_seconds_count\{[^}]*\} (\d+)/gm)) commits += Number(count);
  }
  return commits;
}

/** The same database, further away and on a slower disk. */
async function farFrom(address: string): Promise<{ url: string } & AsyncDisposable> {
  const { hostname, port } = new URL(address);
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  await admin.query(`ALTER ROLE sluice SET commit_delay = ${COMMIT_US}`);
  await admin.query('ALTER ROLE sluice SET commit_siblings = 0');
  await admin.end();
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one.setNoDelay());
      one.on('error', () => {}).on('close', () => other.destroy());
    }
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => void setTimeout(ROUND_TRIP_MS).then(() => near.write(chunk)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(address);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
