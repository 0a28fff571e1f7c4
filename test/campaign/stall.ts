/**
 * `npm run campaign -- stall [--minutes N]`: PostgreSQL stands still for so many minutes (10) while four accounts go on pushing with
 * `ack=log`. Then it goes on. No push may be refused, and in the end each account has every match once, in the order of its pushes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openAdmin } from '../../src/app/admin.ts';
import { callServer } from '../black-box/server.ts';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { startNatsCluster } from '../stages/nats-cluster.ts';
import { everyMatch } from './load.ts';

const ACCOUNTS = 4;
const EVENTS = 10;
const MATCHING = 3;
const APART_MS = 250;
const LOG_MIB = 512;

interface Pusher {
  readonly key: string;
  /** Ids of the events that were answered for and match, in the order of the pushes. */
  readonly logged: string[];
}

interface StallResult {
  readonly minutes: number;
  readonly pushes: number;
  readonly refused: number;
  readonly slowest_ms: number;
  /** In the log when the database went on. */
  readonly waiting: { readonly packs: number; readonly bytes: number };
  readonly caught_up_s: number;
  readonly matches: number;
  readonly missing: number;
  readonly twice: number;
  readonly out_of_order: number;
}

async function stall(minutes: number): Promise<StallResult> {
  await using nats = await startNatsCluster();
  const settings = {
    SLUICE_NATS_URL: nats.url,
    SLUICE_LOG_MIB: String(LOG_MIB),
    SLUICE_NATS_MONITOR: nats.monitors.join(','),
  };
  await using cluster = await startCluster({ nodes: { api: 1, matcher: 2 }, nats: false, settings });
  await cluster.ready();
  while ((await callServer(cluster.apis[0]!.url, 'GET', '/readyz?ack=log')).status !== 200) await pause(100);
  const pushers = await addPushers(cluster);
  const figures = { pushes: 0, refused: 0, slowest_ms: 0 };
  const stopping = new AbortController();
  const pushing = pushers.map((pusher, at) => pushUntil(stopping.signal, cluster, pusher, at + 1, figures));
  while (figures.pushes < 10 * ACCOUNTS) await pause(10);
  // A matcher knows the key from then on.
  await backlogOf(cluster);
  cluster.postgres.freeze();
  console.log(`the database stands still after ${figures.pushes} pushes`);
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(60_000);
    console.log(`minute ${minute}: ${JSON.stringify(figures)}`);
  }
  stopping.abort();
  await Promise.all(pushing);
  const waiting = await backlogOf(cluster);
  cluster.postgres.thaw();
  const began = performance.now();
  while ((await backlogOf(cluster)).packs > 0) await pause(500);
  const caught_up_s = (performance.now() - began) / 1_000;
  return { minutes, ...figures, waiting, caught_up_s, ...(await counted(cluster, pushers)) };
}

async function addPushers(cluster: Cluster): Promise<Pusher[]> {
  await using admin = await openAdmin({ ...cluster.settings, SLUICE_STORE_URL: cluster.storeUrl });
  const pushers: Pusher[] = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const account = `account-${number}`;
    await admin.addAccount(account, { plan: 'paid', xRules: 25 });
    const { secret: key } = await admin.addKey(account, { name: 'stall', scope: 'full', expiresAt: undefined });
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await callServer(cluster.apis[0]!.url, 'POST', '/api.CreateRule', rule, { key });
    pushers.push({ key, logged: [] });
  }
  return pushers;
}

/** One push after the other; one that is refused is made again. */
async function pushUntil(
  signal: AbortSignal,
  cluster: Cluster,
  { key, logged }: Pusher,
  account: number,
  figures: { pushes: number; refused: number; slowest_ms: number },
): Promise<void> {
  for (let next = account * 10_000_000; !signal.aborted; ) {
    const ids = Array.from({ length: EVENTS }, (_, at) => String(next + at));
    const texts = ids.map((id, at) => ({ data: { id, text: at < MATCHING ? 'a storm' : 'nothing of note' } }));
    const began = performance.now();
    const answer = await callServer(cluster.apis[0]!.url, 'POST', '/events?platform=x&ack=log', undefined, {
      key,
      raw: texts.map((text) => JSON.stringify(text)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    }).catch(() => undefined);
    figures.pushes++;
    figures.slowest_ms = Math.max(figures.slowest_ms, Math.round(performance.now() - began));
    if (answer?.status === 200) {
      logged.push(...ids.slice(0, MATCHING));
      next += EVENTS;
    } else figures.refused++;
    await pause(APART_MS);
  }
}

async function backlogOf(cluster: Cluster): Promise<StallResult['waiting']> {
  const { text } = await callServer(cluster.of('matcher')[0]!.url, 'GET', '/metrics');
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { packs: gauge('sluice_log_packs'), bytes: gauge('sluice_log_bytes') };
}

async function counted(cluster: Cluster, pushers: readonly Pusher[]) {
  let [matches, missing, twice, out_of_order] = [0, 0, 0, 0];
  for (const { key, logged } of pushers) {
    const call = (method: string, path: string, body?: unknown) =>
      callServer(cluster.apis[0]!.url, method, path, body, { key });
    // The newest come first.
    const ids: string[] = [];
    for await (const { platform_post_id } of everyMatch(call)) ids.unshift(platform_post_id);
    const found = new Set(ids);
    matches += ids.length;
    missing += logged.filter((id) => !found.has(id)).length;
    twice += ids.length - found.size;
    out_of_order += ids.filter((id, at) => at > 0 && Number(id) < Number(ids[at - 1])).length;
  }
  return { matches, missing, twice, out_of_order };
}

export async function stallCampaign({ minutes = 10 }: { minutes?: number }): Promise<boolean> {
  const result = await stall(minutes);
  console.log(JSON.stringify(result));
  const { refused, missing, twice, out_of_order, matches, pushes } = result;
  return refused + missing + twice + out_of_order === 0 && matches === pushes * MATCHING;
}
