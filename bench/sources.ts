/**
 * `npm run bench -- sources`: what sources of accounts cost one process. Memory with all of them idle against memory with none, and
 * the CPU of the schedule for one visit: what visits take with feeds that answer at once, without what reading those feeds takes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { accountHttp } from '../src/service/visits/visits.ts';
import { visitedConfig } from '../src/sources/kinds/account-source.ts';
import { createSource } from '../src/sources/kinds/kinds.ts';
import { openDocumentReader } from '../src/sources/reading/document-reader.ts';
import { visitSource } from '../src/sources/run.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { openVisiting, type Visiting } from '../test/stages/visiting.ts';
import { openWeb, rss, type Web } from '../test/stages/web.ts';

export interface SourcesFigures {
  readonly sources: number;
  /** More resident memory than the same process had without sources, after all were visited once. */
  readonly more_mb: number;
  readonly visits: number;
  /** CPU of a visit in all, of fetching and reading the same feed alone, and the rest: the schedule and the store. */
  readonly visit_cpu_ms: number;
  readonly fetch_cpu_ms: number;
  readonly schedule_cpu_ms: number;
}

const HOUR = 3_600_000;
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
};

export async function benchSources({ quick = false }: { quick?: boolean }): Promise<SourcesFigures> {
  const count = quick ? 1_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    await using web = await openWeb(() => rss(['one', 'two', 'three']));
    await using store = await openSqlite(join(folder, 'sluice.db'));
    await using test = await openVisiting(web, { store });
    // A first one, so that what is loaded once counts for none of them.
    await addAll(test, web, 1, 'first');
    const before = memory();
    await addAll(test, web, count, 'host');
    const more = memory() - before;
    const visited = web.requests.length;
    const visit = await cpuOf(() => test.after(24 * HOUR));
    const visits = web.requests.length - visited;
    const fetch = await cpuOf(() => fetchAlone(web, visits));
    return {
      sources: count,
      more_mb: Math.round(more),
      visits,
      visit_cpu_ms: visit / visits,
      fetch_cpu_ms: fetch / visits,
      schedule_cpu_ms: (visit - fetch) / visits,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addAll(test: Visiting, web: Web, count: number, name: string): Promise<void> {
  const caller = await test.caller('bench');
  for (let at = 0; at < count; at++) await test.add(caller, web.url(`${name}${at}.example`));
  await test.after(0);
  web.requests.length = 0;
}

/** The same feeds, fetched and read by their kind, without a schedule and without a store. */
async function fetchAlone(web: Web, count: number): Promise<void> {
  const http = accountHttp(systemClock, { userAgent: 'bench', ...web.visits });
  await using reader = openDocumentReader(systemClock);
  const memories = new Map<string, string>();
  const sink = {
    cursor: async (key: string) => memories.get(key),
    add: async () => [],
    erase: async () => {},
    noteGaps: async () => {},
  };
  const signal = new AbortController().signal;
  for (let at = 0; at < count; at += 32)
    await Promise.all(
      Array.from({ length: Math.min(32, count - at) }, (_, index) => {
        const options = { urls: [web.url(`alone${at + index}.example`)] };
        const config = visitedConfig('alone', { kind: 'feeds', options }, undefined)!;
        return visitSource(createSource(config), sink, { clock: systemClock, http, reader, signal });
      }),
    );
}

/** Milliseconds of CPU, in all threads. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
