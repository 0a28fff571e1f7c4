/**
 * The second half of `npm run bench -- scale`: a model that can be wrong. Runs of several mixes on a cluster of one `api`, one matcher
 * and one `delivery` say what an event, a match, a push, a commit and a delivery cost each part in CPU time; runs with several delays say
 * how often a commit waits for the network and for the disk. Both then predict a run of another mix and other delays, which is
 * measured after that.
 */
import { setTimeout } from 'node:timers/promises';
import { callServer } from '../test/black-box/server.ts';
import { type Cluster, startCluster } from '../test/cluster/cluster.ts';
import { openReceiver } from '../test/stages/receiver.ts';
import { addAccounts, type Delays, farStore, type Mix, type MixRun, runMix } from './push-mix.ts';
import { costOf, fitCosts } from './scale-fit.ts';

const UNITS = ['event', 'match', 'push', 'commit', 'delivery'] as const;
/** The units that each run is seen in. */
type Units = readonly [events: number, matches: number, pushes: number, commits: number, deliveries: number];

export interface ModelFigures {
  /** Microseconds of CPU, by part. */
  readonly costs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How often a commit waits for a round trip and for the disk, and milliseconds beside. */
  readonly commit: Readonly<Record<'round_trips' | 'disk_waits' | 'other_ms', number>>;
  /** The predictions for the run that no cost was fitted to. */
  readonly unseen: Readonly<Record<string, Prediction>>;
}

interface Prediction {
  readonly predicted: number;
  readonly measured: number;
}

/** The share is of the `pushes` that each run has at most. */
const MIXES: readonly (Omit<Mix, 'pushes'> & { share: number })[] = [
  { clients: 32, events: 10, matching: 3, share: 1 },
  { clients: 32, events: 10, matching: 0, share: 1 },
  { clients: 2, events: 10, matching: 3, share: 0.2 },
  { clients: 8, events: 200, matching: 20, share: 0.1 },
  { clients: 8, events: 50, matching: 50, share: 0.1 },
];
const DELAYS: readonly Delays[] = [
  { roundTripMs: 0, diskMs: 0 },
  { roundTripMs: 10, diskMs: 0 },
  { roundTripMs: 0, diskMs: 20 },
];
const [UNSEEN, UNSEEN_DELAYS] = [
  { clients: 12, events: 40, matching: 8, share: 0.4 },
  { roundTripMs: 5, diskMs: 10 },
] as const;
const NO_DELAYS = DELAYS[0]!;
const REST_MS = 20;

export async function benchModel({ quick = false }: { quick?: boolean }): Promise<ModelFigures> {
  await using stand = await openStand();
  const most = quick ? 600 : 3_000;
  const run = (mix: (typeof MIXES)[number], delays = NO_DELAYS) =>
    stand.run({ ...mix, pushes: Math.ceil(most * mix.share) }, delays);
  await run(MIXES[0]!);
  const seen: Measured[] = [];
  for (const mix of MIXES) seen.push(await run(mix));
  const delayed: Measured[] = [];
  for (const delays of DELAYS) delayed.push(await run(MIXES[0]!, delays));
  await stand.addWebhooks();
  for (const mix of [MIXES[0]!, MIXES[3]!]) seen.push(await run(mix));
  const model = fitted([...seen, ...delayed], delayed);
  const unseen = await run(UNSEEN, UNSEEN_DELAYS);
  return { ...told(model), unseen: compared(model, unseen) };
}

interface Measured extends MixRun {
  readonly mix: Mix;
  readonly delays: Delays;
  readonly deliveries: number;
}

interface Model {
  /** By part, a cost for each of the units. */
  readonly costs: ReadonlyMap<string, readonly number[]>;
  /** Round trips, waits for the disk, and milliseconds beside. */
  readonly commit: readonly number[];
  /** Pushes in a commit, by client that pushes; deliveries by match. */
  readonly together: number;
  readonly perMatch: number;
}

const unitsOf = ({ mix: { pushes, events, matching }, commits, deliveries }: Measured): Units => [
  pushes * events,
  pushes * matching,
  pushes,
  commits,
  deliveries,
];

const waitsOf = ({ roundTripMs, diskMs }: Delays): readonly number[] => [roundTripMs, diskMs, 1];

function fitted(seen: readonly Measured[], delayed: readonly Measured[]): Model {
  const parts = Object.keys(seen[0]!.cpu);
  const rows = seen.map(unitsOf);
  const busy = (part: string) => seen.map(({ cpu }) => Math.max(cpu[part]!, 1));
  const matching = seen.filter(({ mix }) => mix.matching > 0);
  const delivering = seen.filter(({ deliveries }) => deliveries > 0);
  return {
    costs: new Map(parts.map((part) => [part, fitCosts(rows, busy(part))])),
    commit: fitCosts(
      delayed.map(({ delays }) => waitsOf(delays)),
      delayed.map(({ commit_ms }) => commit_ms),
    ),
    together: mean(matching.map(({ mix, commits }) => mix.pushes / commits / mix.clients)),
    perMatch: mean(delivering.map((one) => one.deliveries / (one.mix.pushes * one.mix.matching))),
  };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const told = ({ costs, commit: [trips, disk, other] }: Model): Pick<ModelFigures, 'costs' | 'commit'> => ({
  costs: Object.fromEntries(
    [...costs].map(([part, own]) => [part, Object.fromEntries(UNITS.map((unit, at) => [unit, own[at]! * 1_000]))]),
  ),
  commit: { round_trips: trips!, disk_waits: disk!, other_ms: other! },
});

/** Nothing of the run is used but what was decided before it: its mix and its delays. */
function compared(model: Model, run: Measured): Record<string, Prediction> {
  const { pushes, events, matching, clients } = run.mix;
  const commits = pushes / Math.max(1, model.together * clients);
  const units: Units = [pushes * events, pushes * matching, pushes, commits, pushes * matching * model.perMatch];
  const cpu = [...model.costs].map(([part, costs]): [string, Prediction] => [
    `${part}_cpu_ms_per_push`,
    { predicted: costOf(costs, units) / pushes, measured: run.cpu[part]! / pushes },
  ]);
  return {
    ...Object.fromEntries(cpu),
    all_cpu_ms_per_push: {
      predicted: cpu.reduce((sum, [, { predicted }]) => sum + predicted, 0),
      measured: cpu.reduce((sum, [, { measured }]) => sum + measured, 0),
    },
    pushes_per_commit: { predicted: pushes / commits, measured: pushes / run.commits },
    commit_ms: { predicted: costOf(model.commit, waitsOf(run.delays)), measured: run.commit_ms },
  };
}

async function openStand() {
  await using parts = new AsyncDisposableStack();
  const got = { deliveries: 0, matches: 0 };
  const receiver = parts.use(
    await openReceiver((response, { body }) => {
      got.deliveries++;
      got.matches += (JSON.parse(body) as { matches: readonly unknown[] }).matches.length;
      response.end();
    }),
  );
  const { far, wayToStore } = farStore(parts);
  const settings = { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' };
  const cluster = parts.use(await startCluster({ nodes: { api: 1, matcher: 1, delivery: 1 }, settings, wayToStore }));
  await cluster.ready();
  const keys = await addAccounts(cluster);
  let hasWebhooks = false;
  let expected = 0;
  /** The deliveries that a run leads to are counted as its own. */
  async function run(mix: Mix, delays: Delays): Promise<Measured> {
    await (await far).delay(delays);
    const before = got.deliveries;
    const measured = await runMix(cluster, keys, mix, async () => {
      if (hasWebhooks) expected += mix.pushes * mix.matching;
      while (got.matches < expected) await setTimeout(REST_MS);
    });
    return { ...measured, mix, delays, deliveries: got.deliveries - before };
  }
  const kept = parts.move();
  return {
    run,
    async addWebhooks(): Promise<void> {
      for (const key of keys) await addWebhook(cluster, key, receiver.url);
      hasWebhooks = true;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function addWebhook(cluster: Cluster, key: string, url: string): Promise<void> {
  const { status } = await callServer(cluster.apis[0]!.url, 'POST', '/api.CreateWebhook', { url }, { key });
  if (status !== 200) throw new Error(`A webhook was answered ${status}.`);
}
