/**
 * `npm run bench -- scale`: the same events through `POST /events` into one process on SQLite, and into a cluster with one
 * and with two matchers. All of it shares this machine with PostgreSQL, NATS and the client that pushes, so calculate
 * with the CPU time that each part spends on an event. Events per second only describe this machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { callServer, startServer } from '../test/black-box/server.ts';
import { type Cluster, startCluster } from '../test/cluster/cluster.ts';
import { readCorpus } from './corpus.ts';
import { batchesOf, cpuSeconds, createRules, pushAll } from './ingest.ts';
import { rulesFor } from './ingest-rules.ts';

interface Run {
  readonly events_per_second: number;
  /** CPU microseconds an event, by part. */
  readonly cpu: Readonly<Record<string, number>>;
}

export interface ScaleFigures {
  readonly rules: number;
  readonly events: number;
  readonly single: Run;
  readonly one_matcher: Run;
  readonly two_matchers: Run;
  /** CPU time of all parts with one matcher, over that of the single process. */
  readonly cost_of_distribution: number;
  /** Events a second with two matchers, over those with one: a further matcher brings along only itself. */
  readonly two_matchers_over_one: number;
}

export async function benchScale({ quick = false }: { quick?: boolean }): Promise<ScaleFigures> {
  const { payloads } = readCorpus('x');
  const rules = rulesFor(payloads, quick ? 200 : 1_000);
  const lines = payloads.slice(0, quick ? 10_000 : 40_000).map((payload) => JSON.stringify(payload));
  const batches = batchesOf(lines);
  const single = await singleRun(rules, batches, lines.length);
  const one = await clusterRun(1, rules, batches, lines.length);
  const two = await clusterRun(2, rules, batches, lines.length);
  return {
    rules: rules.length,
    events: lines.length,
    single,
    one_matcher: one,
    two_matchers: two,
    cost_of_distribution: total(one) / total(single),
    two_matchers_over_one: two.events_per_second / one.events_per_second,
  };
}

const total = ({ cpu }: Run): number => Object.values(cpu).reduce((sum, part) => sum + part, 0);

async function singleRun(rules: readonly string[], batches: readonly Buffer[], events: number): Promise<Run> {
  await using server = await startServer();
  await createRules(server.call, { SLUICE_DATA_DIR: server.dataDir }, rules);
  return await measured(server.url, batches, events, async () => ({ process: await cpuSeconds(server) }));
}

async function clusterRun(
  matchers: number,
  rules: readonly string[],
  batches: readonly Buffer[],
  events: number,
): Promise<Run> {
  await using cluster = await startCluster({ nodes: { api: 1, matcher: matchers } });
  await cluster.ready();
  await createRules(cluster.call, { SLUICE_STORE_URL: cluster.storeUrl }, rules);
  return await measured(cluster.apis[0]!.url, batches, events, () => cpuOf(cluster));
}

/** The first batches are pushed before: what they warm up is not what is asked for. */
async function measured(
  url: string,
  batches: readonly Buffer[],
  events: number,
  cpu: () => Promise<Record<string, number>>,
): Promise<Run> {
  await pushAll(url, batches.slice(0, 2));
  const before = await cpu();
  const began = performance.now();
  await pushAll(url, batches);
  const seconds = (performance.now() - began) / 1_000;
  const after = await cpu();
  const perEvent = Object.entries(after).map(([part, spent]) => [part, ((spent - before[part]!) / events) * 1e6]);
  return { events_per_second: Math.round(events / seconds), cpu: Object.fromEntries(perEvent) };
}

/** CPU seconds of each part. */
export async function cpuOf(cluster: Cluster): Promise<Record<string, number>> {
  const spent: Record<string, number> = { postgres: cpuBelowUs('postgres'), nats: cpuBelowUs('nats-server') };
  for (const { role, url } of cluster.nodes) {
    const call = (method: string, path: string) => callServer(url, method, path);
    spent[role] = (spent[role] ?? 0) + (await cpuSeconds({ call }));
  }
  return spent;
}

/** In which the kernel counts. */
const TICKS_A_SECOND = 100;

/** CPU seconds of the programs of this name that descend from us, as Linux tells them. */
export function cpuBelowUs(name: string): number {
  const processes = new Map(
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((id) => {
        const stat = statOf(id);
        return stat === undefined ? [] : [[id, stat] as const];
      }),
  );
  const isOurs = (id: string): boolean => {
    const parent = processes.get(id)?.parent;
    return parent !== undefined && (parent === String(process.pid) || isOurs(parent));
  };
  let ticks = 0;
  for (const [id, stat] of processes) if (stat.name === name && isOurs(id)) ticks += stat.ticks;
  return ticks / TICKS_A_SECOND;
}

function statOf(id: string): { name: string; parent: string; ticks: number } | undefined {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))!;
    const fields = rest!.split(' ');
    // In proc(5) these are the fields 4 and 14 to 17, the last two for children that have ended; two are cut off here.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { name: name!, parent: fields[1]!, ticks };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}
