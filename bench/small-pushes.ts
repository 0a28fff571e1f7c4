/**
 * `npm run bench -- pushes`: 32 clients of 64 accounts push ten events each, of which three match, into a cluster whose PostgreSQL is
 * half a millisecond away and takes two milliseconds more for a commit, as on another machine; then the same with ten times the
 * delays. Told are pushes a second with one, two and three matchers, and the CPU time that a push takes in each part. All parts share
 * this machine: pushes a commit and CPU time say more than pushes a second. `--matchers 1,3` takes those numbers of matchers.
 */
import { startCluster } from '../test/cluster/cluster.ts';
import { addAccounts, type Delays, farStore, type Mix, runMix } from './push-mix.ts';

const SMALL = { clients: 32, events: 10, matching: 3 } as const;
const USUAL: Delays = { roundTripMs: 0.5, diskMs: 2 };
const LONG: Delays = { roundTripMs: 5, diskMs: 20 };

export interface SmallPushes extends Delays {
  readonly matchers: number;
  readonly pushes_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly pushes_per_commit: number;
  readonly commit_ms: number;
  /** CPU milliseconds a push. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly cpu_ms: number;
}

interface Options {
  readonly quick?: boolean;
  readonly matchers?: string | undefined;
}

export async function* benchSmallPushes({ quick = false, matchers }: Options): AsyncGenerator<SmallPushes> {
  const counts = matchers?.split(',').map(Number) ?? (quick ? [1] : [1, 2, 3]);
  for (const count of counts) yield* runOn(count, { ...SMALL, pushes: quick ? 1_000 : 4_000 });
}

async function* runOn(matchers: number, mix: Mix): AsyncGenerator<SmallPushes> {
  await using parts = new AsyncDisposableStack();
  const { far, wayToStore } = farStore(parts);
  const cluster = parts.use(await startCluster({ nodes: { api: 1, matcher: matchers }, wayToStore }));
  await cluster.ready();
  const keys = await addAccounts(cluster);
  for (const delays of [USUAL, LONG]) {
    await (await far).delay(delays);
    await runMix(cluster, keys, { ...mix, pushes: mix.pushes / 4 });
    const { cpu, commits, ...run } = await runMix(cluster, keys, mix);
    const spent = Object.entries(cpu).map(([part, milliseconds]) => [part, milliseconds / mix.pushes] as const);
    yield {
      matchers,
      ...delays,
      ...run,
      pushes_per_commit: mix.pushes / commits,
      cpu: Object.fromEntries(spent),
      cpu_ms: spent.reduce((sum, [, one]) => sum + one, 0),
    };
  }
}
