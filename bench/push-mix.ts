/** Pushes of a given mix into a cluster whose PostgreSQL is as far away, and its disk as slow, as the caller says. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { openAdmin } from '../src/app/admin.ts';
import { callServer } from '../test/black-box/server.ts';
import type { Cluster } from '../test/cluster/cluster.ts';
import { spread } from './measure.ts';
import { cpuOf } from './scale.ts';

const ACCOUNTS = 64;

export interface Mix {
  readonly clients: number;
  /** The events of a push, and how many of them match a rule. */
  readonly events: number;
  readonly matching: number;
  readonly pushes: number;
}

/** A run of pushes, and what it took. */
export interface MixRun {
  readonly pushes_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly commits: number;
  /** The mean time of a commit, from its first statement to its answer. */
  readonly commit_ms: number;
  /** CPU milliseconds of each part, in all. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** `settled` resolves when what the pushes left to do is done: its CPU time counts. */
export async function runMix(
  cluster: Cluster,
  keys: readonly string[],
  mix: Mix,
  settled: () => Promise<void> = async () => {},
): Promise<MixRun> {
  const [cpu, before] = [await cpuOf(cluster), await commitsOf(cluster)];
  const began = performance.now();
  const times = await push(cluster, keys, mix);
  const seconds = (performance.now() - began) / 1_000;
  await settled();
  const after = await commitsOf(cluster);
  const spent = Object.entries(await cpuOf(cluster)).map(([part, now]) => [part, (now - cpu[part]!) * 1_000] as const);
  const { p50, p99 } = spread(Float64Array.from(times));
  return {
    pushes_per_second: times.length / seconds,
    p50_ms: p50,
    p99_ms: p99,
    commits: after.count - before.count,
    commit_ms: ((after.seconds - before.seconds) / (after.count - before.count)) * 1_000,
    cpu: Object.fromEntries(spent),
  };
}

/** A rule for each account: the events of a push match it three times. */
export async function addAccounts(cluster: Cluster): Promise<readonly string[]> {
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

const body = ({ events, matching }: Mix): string =>
  Array.from({ length: events }, (_, index) => {
    const id = String(++lastId);
    const text = index < matching ? `a storm at sea, the ${id}th` : `nothing of note at ${id}`;
    return JSON.stringify({ data: { id, text } });
  }).join('\n');

/** Answers the milliseconds that each push took. Each client has accounts of its own. */
async function push(cluster: Cluster, keys: readonly string[], mix: Mix): Promise<number[]> {
  const times: number[] = [];
  let begun = 0;
  const url = `${cluster.apis[0]!.url}/events?platform=x`;
  const client = async (number: number): Promise<void> => {
    for (let turn = 0; begun < mix.pushes; turn++) {
      begun++;
      const authorization = `Bearer ${keys[(number + turn * mix.clients) % ACCOUNTS]}`;
      const from = performance.now();
      const headers = { authorization, 'content-type': 'application/x-ndjson' };
      const answer = await fetch(url, { method: 'POST', body: body(mix), headers });
      const { matches } = (await answer.json()) as { matches?: number };
      if (answer.status !== 200 || matches !== mix.matching)
        throw new Error(`A push was answered ${answer.status}, ${matches}.`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: mix.clients }, (_, number) => client(number)));
  return times;
}

async function commitsOf(cluster: Cluster): Promise<{ count: number; seconds: number }> {
  const sum = { count: 0, seconds: 0 };
  for (const { url } of cluster.of('matcher')) {
    const { text } = await callServer(url, 'GET', '/metrics');
    for (const [, what, value] of text.matchAll(/^sluice_commit_seconds_(count|sum)\{[^}]*\} ([\d.e+-]+)/gm))
      sum[what === 'count' ? 'count' : 'seconds'] += Number(value);
  }
  return sum;
}

/** Milliseconds: what a round trip takes more, and what a commit waits for the disk. */
export interface Delays {
  readonly roundTripMs: number;
  readonly diskMs: number;
}

interface FarStore extends AsyncDisposable {
  readonly url: string;
  /** Holds for the connections that are open, too. */
  delay(delays: Delays): Promise<void>;
}

/** For a cluster that is yet to start: the way to its database, and what stands in that way. */
export function farStore(parts: AsyncDisposableStack) {
  const { promise: far, resolve } = Promise.withResolvers<FarStore>();
  async function wayToStore(url: string): Promise<string> {
    const store = parts.use(await farFrom(url));
    resolve(store);
    return store.url;
  }
  return { far, wayToStore };
}

/** Opens a way to the same database, as if it were further away and on a slower disk. */
async function farFrom(address: string): Promise<FarStore> {
  const { hostname, port } = new URL(address);
  const way = new Worker(new URL('./far-way.ts', import.meta.url), { workerData: { hostname, port: Number(port) } });
  const url = new URL(address);
  url.port = String((await once(way, 'message'))[0]);
  return {
    url: url.href,
    async delay({ roundTripMs, diskMs }) {
      way.postMessage(roundTripMs, []);
      await slowDisk(address, diskMs);
    },
    async [Symbol.asyncDispose]() {
      await way.terminate();
    },
  };
}

async function slowDisk(address: string, milliseconds: number): Promise<void> {
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET commit_delay = ${milliseconds * 1_000}`);
  await admin.query('ALTER SYSTEM SET commit_siblings = 0');
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
}
