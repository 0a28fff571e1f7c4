/**
 * A cluster of which one node after another is frozen (SIGSTOP) under load, wherever it is just then, half of them inside
 * a transaction. The others go on: each api acknowledges pushes and new rules that began after the freeze, and matches of
 * such pushes are delivered. The node is thawed afterwards. In the end nothing is lost and nothing is there twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { type Cluster, type ClusterNode, startCluster } from '../cluster/cluster.ts';
import { hasOpenTransaction } from '../cluster/open-transaction.ts';
import { openReceiver, type Receiver } from '../stages/receiver.ts';
import { broughtOf, type ClusterFireResult, isWhole, settledTally } from './cluster.ts';
import { batchFrom, createRules, numbersIn, tally } from './load.ts';
import { loadCluster, type Progress } from './progress.ts';

const NODES = { api: 2, matcher: 2, connector: 1, delivery: 2 } as const;
const FROZEN_ROLES = ['matcher', 'api', 'delivery', 'connector'] as const;
/** How often a node is stopped for a moment until it is inside a transaction. */
const MOST_TRIES = 40;
const BOUND_MS = 10_000;

/** Milliseconds from the freeze until the last of the others had got on, the longest of all freezes. */
interface Standstills {
  pushes: number;
  rules: number;
  deliveries: number;
}

export interface FreezeResult extends ClusterFireResult {
  readonly freezes: number;
  readonly insideTransaction: number;
  readonly rulesCreated: number;
  readonly longest: Standstills;
}

export interface FreezeOptions {
  readonly times: number;
  readonly seed: number;
  /** How long a node stays frozen after the others got on, at most. */
  readonly longerMs: number;
  readonly report?: (line: string) => void;
}

export async function freezeUnderLoad(options: FreezeOptions): Promise<FreezeResult> {
  await using receiver = await openReceiver();
  await using cluster = await startCluster({
    nodes: NODES,
    settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_WEBHOOK_RETRIES: '1,1,1,1,1,1,1,1,1,1' },
  });
  await cluster.ready();
  const ruleIds = await createRules(cluster.call, ['x']);
  const webhook = await cluster.call('POST', '/api.CreateWebhook', { url: receiver.url });
  if (webhook.status !== 200) throw new Error(`the webhook was not taken: ${webhook.text}`);
  await using parts = new AsyncDisposableStack();
  const database = new pg.Client(cluster.storeUrl);
  await database.connect();
  parts.defer(() => database.end());
  const progress = loadCluster(cluster);
  const frozen = await freezeAll({ cluster, progress, receiver, database }, options);
  await progress.stop();
  await cluster.ready();
  const sent = { x: { below: progress.next, acknowledged: progress.acknowledged.flatMap(batchFrom) } };
  const { matchIds, ...counted } = await settledTally(() => tally(cluster.call, ruleIds, sent), receiver);
  return {
    ...counted,
    ...broughtOf(receiver.received, matchIds),
    ...frozen,
    freezes: options.times,
    acknowledged: sent.x.acknowledged.length,
    refused: progress.refused,
    rulesCreated: progress.rulesCreated,
    matches: matchIds.size,
  };
}

interface Stage {
  readonly cluster: Cluster;
  readonly progress: Progress;
  readonly receiver: Receiver;
  readonly database: pg.Client;
}

async function freezeAll(stage: Stage, { times, seed, longerMs, report = () => {} }: FreezeOptions) {
  const random = randomFrom(seed);
  const longest: Standstills = { pushes: 0, rules: 0, deliveries: 0 };
  let insideTransaction = 0;
  for (let number = 0; number < times; number++) {
    const node = pick(random, stage.cluster.of(FROZEN_ROLES[number % FROZEN_ROLES.length]!));
    const enough = stage.progress.acknowledged.length + 1 + Math.floor(random() * 10);
    while (stage.progress.acknowledged.length < enough) await pause(20);
    const isInside = number % 2 === 0 ? await freezeInside(stage, node, random) : await freezeAnywhere(stage, node);
    if (isInside) insideTransaction++;
    const stood = await othersGetOn(stage, node);
    for (const kind of ['pushes', 'rules', 'deliveries'] as const) longest[kind] = Math.max(longest[kind], stood[kind]);
    await pause(random() * longerMs);
    await node.thaw();
    report(`freeze ${number + 1}, ${node.name}${isInside ? ' inside a transaction' : ''}: ${JSON.stringify(stood)}`);
  }
  return { longest, insideTransaction };
}

async function freezeAnywhere({ database }: Stage, node: ClusterNode): Promise<boolean> {
  await node.freeze();
  return hasOpenTransaction(database, (await node.pid())!);
}

/** Stops the node at one moment after another until it is inside a transaction. It stays frozen in any case. */
async function freezeInside(stage: Stage, node: ClusterNode, random: Random): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    if (await freezeAnywhere(stage, node)) return true;
    if (tries === MOST_TRIES) return false;
    await node.thaw();
    await pause(random() * 100);
  }
}

/** How long each of the others' works took to get on, in milliseconds. */
async function othersGetOn({ cluster, progress, receiver }: Stage, frozen: ClusterNode): Promise<Standstills> {
  const since = performance.now();
  const [push, rule] = [progress.next, progress.begun];
  let read = receiver.received.length;
  const others = cluster.apis.filter(({ name }) => name !== frozen.name);
  const when = async (isSo: () => boolean): Promise<number> => {
    while (!isSo()) await pause(20);
    return Math.round(performance.now() - since);
  };
  const isDelivered = () => {
    while (read < receiver.received.length)
      if (numbersIn(receiver.received[read++]!.body).some((number) => number >= push)) return true;
    return false;
  };
  const [pushes, rules, deliveries] = await Promise.all([
    when(() => others.every(({ name }) => (progress.pushedBy.get(name) ?? -1) >= push)),
    when(() => others.every(({ name }) => (progress.createdBy.get(name) ?? -1) >= rule)),
    when(isDelivered),
  ]);
  return { pushes, rules, deliveries };
}

/** `npm run campaign -- freeze [--times N] [--seed N]`. */
export async function freezeCampaign({ times = 100, seed = Date.now() % 2 ** 32 }): Promise<boolean> {
  console.log(`freeze: ${times} times, seed ${seed}`);
  const result = await freezeUnderLoad({ times, seed, longerMs: 6_000, report: (line) => console.log(line) });
  console.log(JSON.stringify(result));
  const slowest = Math.max(...Object.values(result.longest));
  console.log(
    `the others stood still for ${(slowest / 1_000).toFixed(1)} s at most; ${BOUND_MS / 1_000} s are allowed`,
  );
  return isWhole(result) && slowest <= BOUND_MS;
}
