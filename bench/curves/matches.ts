/** The cost of a page of List Matches and of an event with a match, with more and more matches stored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { startServer } from '../../test/black-box/server.ts';
import { newPages, rateOf } from '../api.ts';
import { readCorpus } from '../corpus.ts';
import { fillMatches, fillRules, type Owners } from '../fill-matches.ts';
import { again, batchesOf, pushAll } from '../ingest.ts';
import { residentMb } from '../resident.ts';
import { microsAnEvent, threadSeconds } from '../thread-cpu.ts';
import { type CurveOptions, type CurvePoint, sizesOf } from './point.ts';

const SIZES = { quick: [10_000, 50_000], usual: [10_000, 100_000, 1_000_000, 5_000_000], more: [50_000_000] };
/** Matches are stored no longer than this, unless all are asked for. */
const FILL_MS = 6 * 60_000;
const PAGE = 100;
const [WARM_UP_SECONDS, SECONDS] = [3, 4];
const [WARM_UP, MEASURED] = [3_000, 10_000];

export async function* matchesCurve(options: CurveOptions): AsyncGenerator<CurvePoint> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const posts = readCorpus('x')
      .payloads.slice(0, WARM_UP + MEASURED)
      .map(withStorm);
    const owners = await withRules(join(dataDir, 'sluice.db'));
    let [stored, spent] = [0, 0];
    for (const size of sizesOf(options, SIZES)) {
      // By the time that the others took, the next ones take too long.
      if (options.full !== true && stored > 0 && (spent / stored) * size > FILL_MS) return;
      const began = performance.now();
      await fillTo(join(dataDir, 'sluice.db'), owners, stored, size);
      spent += performance.now() - began;
      stored = size;
      yield await pointOf(dataDir, size, posts);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Post {
  readonly data: { readonly text: string };
}

function withStorm(payload: unknown): unknown {
  const { data, ...rest } = payload as Post;
  return { data: { ...data, text: `${data.text} storm` }, ...rest };
}

/** Fills in the rules of the stored matches, and one that posts match. */
async function withRules(file: string): Promise<Owners> {
  await using store = await openSqlite(file);
  const owners = await fillRules(store);
  const id = newId('rule', systemClock.now());
  const platforms = { x: { value: 'storm', flags: {} } };
  const rule = { id, accountId: owners.accountId, name: 'Storms', intent: '', createdAt: systemClock.now(), platforms };
  await store.addRule(rule, {});
  await store.setRuleStatus(id, 'x', { status: 'active', platformRuleId: id });
  return owners;
}

async function fillTo(file: string, owners: Owners, from: number, to: number): Promise<void> {
  await using store = await openSqlite(file);
  await fillMatches(store, owners, from, to);
}

async function pointOf(dataDir: string, size: number, posts: readonly unknown[]): Promise<CurvePoint> {
  const server = await startServer({ NODE_OPTIONS: '' }, dataDir);
  try {
    const pid = server.process.pid!;
    const lines = posts.map((post) => again(post, size));
    await pushAll(server.url, batchesOf(lines.slice(0, WARM_UP)));
    const before = threadSeconds(pid);
    await pushAll(server.url, batchesOf(lines.slice(WARM_UP)));
    const { all } = microsAnEvent(before, threadSeconds(pid), MEASURED);
    const target = { url: `${server.url}/matches`, pid };
    await rateOf(target, WARM_UP_SECONDS, newPages(PAGE));
    const page = Math.round(1e6 / (await rateOf(target, SECONDS, newPages(PAGE))));
    return {
      curve: 'matches',
      size,
      cpu_micros: { [`a page of ${PAGE}`]: page, 'an event with a match': all },
      resident_mb: residentMb(pid),
    };
  } finally {
    // The folder stays for the next point.
    await server.end('SIGTERM');
  }
}
