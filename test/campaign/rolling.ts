/**
 * `npm run campaign -- rolling --times 10`: seven processes on PostgreSQL and NATS behind a balancer that asks `/readyz`
 * and tries nothing twice. Under load every process is stopped in order and started again, one after the other, so many
 * times. No request may be refused or cut off, and afterwards no match may be missing or there twice: in the list, on a
 * stream that went through the balancer all the time, and at a webhook.
 */
import { type Client, createClient } from '../../packages/client/src/index.ts';
import { KEY, pushTo } from '../black-box/server.ts';
import { type Cluster, type ClusterOptions, startCluster, whenReady } from '../cluster/cluster.ts';
import { openReceiver } from '../stages/receiver.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { broughtOf, settledTally } from './cluster.ts';
import { batchFrom, createRules, eventOf, tally } from './load.ts';

const NODES = { api: 2, matcher: 2, connector: 2, delivery: 1 } as const;
/** More than three looks of the balancer and its patience. */
const GRACE_S = 4;
const PUSHERS = 2;

interface Load {
  next: number;
  readonly acknowledged: number[];
  /** Answers that were no success. */
  readonly refusals: string[];
}

export const rollingCampaign = ({ times = 10 }: { times?: number }): Promise<boolean> =>
  rollUnderLoad({ times, nodes: NODES });

interface Rolls extends Pick<ClusterOptions, 'nodes' | 'nats'> {
  readonly times: number;
  /** Milliseconds between two pushes of a client. */
  readonly every?: number;
  /** The program that nodes are started with in a roll; the same as before where there is none. */
  programOf?(time: number): string | undefined;
}

/** Answers whether nothing was refused, and nothing is missing or there twice. */
export async function rollUnderLoad({
  times,
  every = 20,
  programOf = () => undefined,
  ...wanted
}: Rolls): Promise<boolean> {
  await using receiver = await openReceiver();
  await using cluster = await startCluster({
    ...wanted,
    settings: {
      SLUICE_STOP_GRACE: String(GRACE_S),
      SLUICE_TRUST_PROXY: '127.0.0.1',
      SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
      SLUICE_WEBHOOK_RETRIES: '1,1,1,1,1,1,1,1,1,1',
    },
  });
  await cluster.ready();
  await using balancer = await startBalancer(cluster.apis.map(({ url }) => url));
  for (const { url } of cluster.apis) await untilSeen(balancer, url);
  const ruleIds = await createRules(cluster.call, ['x', 'firehose']);
  await cluster.call('POST', '/api.CreateWebhook', { url: receiver.url });
  const client = createClient({ url: balancer.url, key: KEY });
  const reader = await startReader(client);
  const load: Load = { next: 0, acknowledged: [], refusals: [] };
  const stopping = new AbortController();
  const pushing = Array.from({ length: PUSHERS }, () => pushUntil(stopping.signal, balancer, load, every));
  let told = 0;
  for (let time = 1; time <= times; time++) {
    await roll(cluster, balancer, programOf(time));
    const { answered, refused, reset } = balancer.counts;
    for (const line of balancer.troubles.slice(told)) console.log(line);
    told = balancer.troubles.length;
    console.log(
      `roll ${time}: ${answered} answered, ${refused} refused, ${reset} reset, ${load.refusals.length} unsuccessful`,
    );
  }
  stopping.abort();
  await Promise.all(pushing);
  const sent = { x: { below: load.next, acknowledged: load.acknowledged.flatMap(batchFrom) } };
  const { matchIds, ...counted } = await settledTally(() => tally(cluster.call, ruleIds, sent), receiver);
  const streamed = await reader.finish(matchIds.size);
  const brought = broughtOf(receiver.received, matchIds);
  console.log(JSON.stringify({ ...balancer.counts, ...counted, ...brought, matches: matchIds.size, streamed }));
  for (const line of load.refusals.slice(0, 20)) console.log(line);
  const faults = [
    balancer.counts.refused,
    balancer.counts.reset,
    load.refusals.length,
    ...Object.values(counted),
    ...Object.values(brought),
    streamed.twice,
    matchIds.size - streamed.heard,
  ];
  return faults.every((count) => count === 0);
}

/** Each process ends in order and is back before the next one goes. */
async function roll({ nodes }: Cluster, balancer: Balancer, program: string | undefined): Promise<void> {
  for (const node of nodes) {
    await node.kill('SIGTERM');
    await node.start(program);
    await whenReady(node);
    if (node.role === 'api' || node.role === 'all') await untilSeen(balancer, node.url);
  }
}

async function untilSeen(balancer: Balancer, url: string): Promise<void> {
  while (!balancer.isReady(url)) await pause(20);
}

async function pushUntil(signal: AbortSignal, balancer: Balancer, load: Load, every: number): Promise<void> {
  while (!signal.aborted) {
    const first = load.next;
    load.next += 100;
    const answer = await pushTo(balancer.url, 'x', batchFrom(first).map(eventOf)).catch((error: unknown) => error);
    if (typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 200)
      load.acknowledged.push(first);
    else load.refusals.push(`push: ${answer instanceof Error ? answer.message : JSON.stringify(answer)}`);
    await pause(every);
  }
}

/** A stream through the balancer that goes on wherever it is cut off in order. */
async function startReader(client: Client) {
  const ids: string[] = [];
  const stopping = new AbortController();
  const { latest_cursor: cursor } = await client.matches.list({ limit: 1 });
  const reading = (async () => {
    for await (const { id } of client.matches.stream({ cursor, signal: stopping.signal })) ids.push(id);
  })().catch(() => {});
  return {
    async finish(expected: number): Promise<{ heard: number; twice: number }> {
      for (let waited = 0; new Set(ids).size < expected && waited < 60_000; waited += 100) await pause(100);
      stopping.abort();
      await reading;
      return { heard: new Set(ids).size, twice: ids.length - new Set(ids).size };
    },
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
