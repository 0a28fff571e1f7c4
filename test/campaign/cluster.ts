/**
 * Several processes under fire: events are pushed at full speed to every node that takes them while a source feeds others
 * in, and one process after the other is killed and comes back: nodes, PostgreSQL, NATS, NATS with its data wiped. Then it
 * counts: nothing that was acknowledged is missing, nothing that can be read again is, nothing is there twice, and every
 * match reached the webhook, in one delivery.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { pushTo } from '../black-box/server.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { openReceiver, type Received, type Receiver } from '../stages/receiver.ts';
import { upstreamClusterCampaign } from './cluster-upstream.ts';
import { BATCH, batchFrom, createRules, documentOf, eventOf, type Tally, tally } from './load.ts';

const PUSHERS = 3;
/** So many documents more are there for the source whenever the process that reads it starts. */
const DOCUMENTS = 300;
const NODES = { api: 2, matcher: 2, connector: 1, delivery: 1 } as const;

export const VICTIMS = ['api', 'matcher', 'connector', 'delivery', 'postgres', 'nats', 'nats data'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface ClusterFireOptions {
  /** In which order; which of several is chance. */
  readonly victims: readonly Victim[];
  readonly seed: number;
  /** How many batches are acknowledged between two kills, at most. */
  readonly batches: number;
  /** How long each pusher waits after a batch: at full speed, unless told otherwise. */
  readonly apartMs?: number;
  readonly report?: (line: string) => void;
}

export interface ClusterFireResult extends Omit<Tally, 'matchIds'> {
  readonly acknowledged: number;
  /** Pushes that were refused or broke off: their events were sent again. */
  readonly refused: number;
  readonly matches: number;
  /** Matches that no delivery brought. */
  readonly undelivered: number;
  /** Matches that two different deliveries brought. */
  readonly doubled: number;
}

export async function clusterUnderFire(options: ClusterFireOptions): Promise<ClusterFireResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  await using receiver = await openReceiver();
  try {
    const source = createDocuments(join(folder, 'documents.ndjson'));
    await using cluster = await startCluster({
      nodes: NODES,
      settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_WEBHOOK_RETRIES: '1,1,1,1,1,1,1,1,1,1' },
      ofRole: { connector: { SLUICE_SOURCES: `ndjson:${source.path}` } },
    });
    await cluster.ready();
    const ruleIds = await createRules(cluster.call, ['x', 'firehose']);
    const webhook = await cluster.call('POST', '/api.CreateWebhook', { url: receiver.url });
    if (webhook.status !== 200) throw new Error(`the webhook was not taken: ${webhook.text}`);
    const pushed = await fire(cluster, source, options);
    source.add();
    await restart(cluster, 'connector-1', 'SIGTERM');
    await cluster.ready();
    const sent = {
      x: { below: pushed.next, acknowledged: pushed.acknowledged.flatMap(batchFrom) },
      firehose: { below: source.count, acknowledged: Array.from({ length: source.count }, (_, number) => number) },
    };
    const count = () => tally(cluster.call, ruleIds, sent);
    const { matchIds, ...counted } = await settledTally(count, receiver);
    return {
      ...counted,
      ...broughtOf(receiver.received, matchIds),
      acknowledged: sent.x.acknowledged.length,
      refused: pushed.refused,
      matches: matchIds.size,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Documents {
  readonly path: string;
  readonly count: number;
  add(): void;
}

/** A file that grows. Whoever reads it comes to its end, and reads on after the next start. */
function createDocuments(path: string): Documents {
  let count = 0;
  const add = () => {
    const numbers = Array.from({ length: DOCUMENTS }, (_, offset) => count + offset);
    appendFileSync(path, `${numbers.map((number) => JSON.stringify(documentOf(number))).join('\n')}\n`);
    count += DOCUMENTS;
  };
  // Whatever is read before there are rules matches none.
  appendFileSync(path, '');
  return {
    path,
    add,
    get count() {
      return count;
    },
  };
}

interface Pushed {
  next: number;
  readonly acknowledged: number[];
  refused: number;
}

async function fire(cluster: Cluster, source: Documents, options: ClusterFireOptions): Promise<Pushed> {
  const { victims, seed, batches, apartMs = 0, report = () => {} } = options;
  const random = randomFrom(seed);
  const pushed: Pushed = { next: 0, acknowledged: [], refused: 0 };
  const stopping = new AbortController();
  const pushing = Array.from({ length: PUSHERS }, () =>
    pushUntil(stopping.signal, cluster, { pushed, random, apartMs }),
  );
  for (const [number, victim] of victims.entries()) {
    const enough = pushed.acknowledged.length + 1 + Math.floor(random() * batches);
    while (pushed.acknowledged.length < enough) await pause(5);
    await pause(random() * 100);
    if (victim === 'connector') source.add();
    await kill(cluster, victim, random);
    report(
      `kill ${number + 1}, ${victim}: ${pushed.acknowledged.length * BATCH} events acknowledged, ${pushed.refused} pushes refused so far`,
    );
  }
  const enough = pushed.acknowledged.length + PUSHERS;
  while (pushed.acknowledged.length < enough) await pause(5);
  stopping.abort();
  await Promise.all(pushing);
  return pushed;
}

interface Pushing {
  readonly pushed: Pushed;
  readonly random: Random;
  readonly apartMs: number;
}

/** Pushes to any node. What was not acknowledged is pushed again, elsewhere; so is now and then what was. */
async function pushUntil(signal: AbortSignal, cluster: Cluster, pushing: Pushing): Promise<void> {
  const { pushed, random, apartMs } = pushing;
  while (!signal.aborted) {
    const isRepeat = pushed.acknowledged.length > 0 && random() < 0.05;
    const first = isRepeat ? pick(random, pushed.acknowledged) : pushed.next;
    if (!isRepeat) pushed.next += BATCH;
    const events = batchFrom(first).map(eventOf);
    while (!signal.aborted) {
      const answer = await pushTo(pick(random, cluster.apis).url, 'x', events).catch(() => undefined);
      if (answer?.status === 200) {
        if (!isRepeat) pushed.acknowledged.push(first);
        break;
      }
      pushed.refused++;
      await pause(50);
    }
    if (apartMs > 0) await pause(apartMs);
  }
}

async function kill(cluster: Cluster, victim: Victim, random: Random): Promise<void> {
  if (victim === 'postgres') return cluster.postgres.crash();
  if (victim === 'nats') return cluster.nats!.restart();
  if (victim === 'nats data') return cluster.nats!.restart({ wipe: true });
  return restart(cluster, pick(random, cluster.of(victim)).name);
}

async function restart(cluster: Cluster, name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const node = cluster.nodes.find((one) => one.name === name)!;
  await node.kill(signal);
  await node.start();
}

/** The source and the deliveries come to their end after the pushes: counted again until nothing is missing, or changes. */
export async function settledTally(count: () => Promise<Tally>, { received }: Receiver): Promise<Tally> {
  let before = '';
  for (let since = performance.now(); ; ) {
    const tallied = await count();
    const { undelivered } = broughtOf(received, tallied.matchIds);
    if (tallied.missing === 0 && undelivered === 0) return tallied;
    const state = `${tallied.matchIds.size} ${undelivered}`;
    if (state !== before) since = performance.now();
    else if (performance.now() - since > UNCHANGED_MS) return tallied;
    before = state;
    // While only deliveries are out, there is nothing to count before the next of them.
    if (tallied.missing === 0) await moreOf(received, since);
    await pause(1_000);
  }
}

async function moreOf(received: readonly Received[], since: number): Promise<void> {
  const had = received.length;
  while (received.length === had && performance.now() - since <= UNCHANGED_MS) await pause(50);
}

/** Longer than any lease or claim of a process that was killed. */
const UNCHANGED_MS = 90_000;

export function broughtOf(
  received: readonly Received[],
  matchIds: ReadonlySet<string>,
): Pick<ClusterFireResult, 'undelivered' | 'doubled'> {
  const deliveries = new Map<string, Set<string>>();
  for (const { headers, body } of received) {
    const { matches } = JSON.parse(body) as { matches: { id: string }[] };
    for (const { id } of matches) {
      deliveries.set(id, (deliveries.get(id) ?? new Set()).add(headers['webhook-id'] as string));
    }
  }
  return {
    undelivered: [...matchIds].filter((id) => !deliveries.has(id)).length,
    doubled: [...deliveries.values()].filter((ids) => ids.size > 1).length,
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const isWhole = ({ missing, twice, unexpected, miscounted, undelivered, doubled }: ClusterFireResult): boolean =>
  missing + twice + unexpected + miscounted + undelivered + doubled === 0;

/**
 * `npm run campaign -- cluster [--kills N] [--seed N]`: so many kills of each, and a fifth as many wipes of NATS's data;
 * then the same number between two upstreams.
 */
export async function clusterCampaign(options: { kills?: number; seed?: number }): Promise<boolean> {
  const { kills = 50, seed = Date.now() % 2 ** 32 } = options;
  const random = randomFrom(seed);
  const all = VICTIMS.flatMap((victim) =>
    Array.from({ length: victim === 'nats data' ? Math.ceil(kills / 5) : kills }, () => victim),
  );
  const victims = all
    .map((victim) => ({ victim, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ victim }) => victim);
  console.log(`cluster: ${victims.length} kills, seed ${seed}`);
  const result = await clusterUnderFire({ victims, seed, batches: 20, report: (line) => console.log(line) });
  console.log(JSON.stringify(result));
  const upstreams = await upstreamClusterCampaign(kills, seed);
  return isWhole(result) && upstreams;
}
