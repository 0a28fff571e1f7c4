/**
 * `npm run bench -- sources`: what sources of accounts cost a server, as a process of its own on a SQLite file. Memory after a round of
 * visits against memory with a hundred sources that were visited as often, and against memory before it had done anything; and the CPU of
 * the schedule for one visit: what visits take with feeds that answer at once, without what fetching and reading those feeds takes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SourceNode, startSourceNode } from '../test/stages/source-process.ts';
import { openWeb, rss } from '../test/stages/web.ts';

export interface SourcesFigures {
  readonly sources: number;
  /** More resident memory, and more of it in the heap, than the same process had when it had visited a hundred sources as often. */
  readonly more_mb: number;
  readonly more_heap_mb: number;
  /** More than before its first visit: with the room for new objects and the caches that any busy server has. */
  readonly more_than_idle_mb: number;
  readonly visits: number;
  /** CPU of a visit in all, of fetching and reading the same feed alone, and the rest: the schedule and the store. */
  readonly visit_cpu_ms: number;
  readonly fetch_cpu_ms: number;
  readonly schedule_cpu_ms: number;
}

const DAY = 24 * 3_600_000;
const FEW = 100;
const hostsOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}.example`);

export async function benchSources({ quick = false }: { quick?: boolean }): Promise<SourcesFigures> {
  const count = quick ? 1_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    await using web = await openWeb(() => rss(['one', 'two', 'three']));
    const store = join(folder, 'sluice.db');
    await using node = await startSourceNode({ store, port: web.port, name: 'bench', pauseMs: 0 });
    const idle = await node.figures();
    // Some first, as often as all will be: what being busy takes counts for none of them.
    await node.ask({ do: 'add', hosts: hostsOf('first', FEW) });
    for (let visits = 0; visits < 2 * count; visits += FEW) await node.ask({ do: 'visit', milliseconds: DAY });
    const before = await node.figures();
    await node.ask({ do: 'add', hosts: hostsOf('host', count) });
    await node.ask({ do: 'visit', milliseconds: 0 });
    const visited = web.requests.length;
    const visit = await cpuOf(node, () => node.ask({ do: 'visit', milliseconds: DAY }));
    const visits = web.requests.length - visited;
    const after = await node.figures();
    const fetch = await cpuOf(node, () => node.ask({ do: 'fetch', hosts: hostsOf('alone', visits) }));
    return {
      sources: count,
      more_mb: Math.round(after.rss_mb - before.rss_mb),
      more_heap_mb: Math.round(after.heap_mb - before.heap_mb),
      more_than_idle_mb: Math.round(after.rss_mb - idle.rss_mb),
      visits,
      visit_cpu_ms: visit / visits,
      fetch_cpu_ms: fetch / visits,
      schedule_cpu_ms: (visit - fetch) / visits,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function cpuOf(node: SourceNode, work: () => Promise<void>): Promise<number> {
  const before = await node.figures();
  await work();
  return (await node.figures()).cpu_ms - before.cpu_ms;
}
