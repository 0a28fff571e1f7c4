/**
 * `npm run bench -- sources`: what sources of accounts cost a server, as a process of its own on a SQLite file: its memory with them while
 * they are added, visited for the first time and visited again, against its memory before it had done anything; and the CPU of the schedule
 * for one visit: what visits take with feeds that answer at once, without what fetching and reading those feeds takes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SourceNode, type SourceNodeOptions, startSourceNode } from '../test/stages/source-process.ts';
import { openWeb, rss } from '../test/stages/web.ts';

export interface SourcesFigures {
  readonly sources: number;
  /** Resident memory before it had any, and how much more it had: at most, and after two rounds of visits. */
  readonly idle_mb: number;
  readonly peak_more_mb: number;
  readonly more_mb: number;
  readonly more_heap_mb: number;
  readonly visits: number;
  /** CPU of adding a source and of its first visit, together. */
  readonly first_cpu_ms: number;
  /** CPU of a later visit in all, of fetching and reading the same feed alone, and the rest: the schedule and the store. */
  readonly visit_cpu_ms: number;
  readonly fetch_cpu_ms: number;
  readonly schedule_cpu_ms: number;
}

const DAY = 24 * 3_600_000;
const hostsOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}.example`);

export async function benchSources({ quick = false }: { quick?: boolean }): Promise<SourcesFigures> {
  const count = quick ? 1_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    await using web = await openWeb(() => rss(['one', 'two', 'three']));
    const store = join(folder, 'sluice.db');
    const options = { port: web.port, name: 'bench', pauseMs: 0 };
    await fillCompileCache({ ...options, store: join(folder, 'first.db') });
    await using node = await startSourceNode({ ...options, store });
    const idle = await node.figures();
    await node.ask({ do: 'add', hosts: hostsOf('host', count) });
    await node.ask({ do: 'visit', milliseconds: 0 });
    const first = await node.figures();
    const visited = web.requests.length;
    const visit = await cpuOf(node, () => node.ask({ do: 'visit', milliseconds: DAY }));
    const visits = web.requests.length - visited;
    const after = await node.figures();
    const fetch = await cpuOf(node, () => node.ask({ do: 'fetch', hosts: hostsOf('alone', visits) }));
    return {
      sources: count,
      idle_mb: Math.round(idle.rss_mb),
      peak_more_mb: Math.round(after.peak_mb - idle.rss_mb),
      more_mb: Math.round(after.rss_mb - idle.rss_mb),
      more_heap_mb: Math.round(after.heap_mb - idle.heap_mb),
      visits,
      first_cpu_ms: (first.cpu_ms - idle.cpu_ms) / count,
      visit_cpu_ms: visit / visits,
      fetch_cpu_ms: fetch / visits,
      schedule_cpu_ms: (visit - fetch) / visits,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As for every start but the first: its threads have written down what they loaded. */
async function fillCompileCache(options: SourceNodeOptions): Promise<void> {
  await using node = await startSourceNode(options);
  await node.ask({ do: 'add', hosts: hostsOf('before', 1) });
  await node.ask({ do: 'visit', milliseconds: 0 });
}

async function cpuOf(node: SourceNode, work: () => Promise<void>): Promise<number> {
  const before = await node.figures();
  await work();
  return (await node.figures()).cpu_ms - before.cpu_ms;
}
