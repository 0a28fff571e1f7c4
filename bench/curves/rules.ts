/** The cost of an event through `POST /events`, and the memory of a server, with more and more rules of set A. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { ensureFirstKey } from '../../src/service/access/keys.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { KEY, startServer } from '../../test/black-box/server.ts';
import { until } from '../../test/stages/receiver.ts';
import { readCorpus } from '../corpus.ts';
import { batchesOf, pushAll } from '../ingest.ts';
import { residentMb } from '../resident.ts';
import { addRules } from '../rules-start.ts';
import { microsAnEvent, threadSeconds } from '../thread-cpu.ts';
import { type CurveOptions, type CurvePoint, sizesOf } from './point.ts';

const SIZES = { quick: [1_000, 10_000], usual: [1_000, 10_000, 100_000, 300_000, 1_000_000], more: [10_000_000] };
const [WARM_UP, MEASURED] = [10_000, 20_000];

export async function* rulesCurve(options: CurveOptions): AsyncGenerator<CurvePoint> {
  const lines = readCorpus('x').payloads.map((post) => JSON.stringify(post));
  const [warmUp, measured] = [lines.slice(0, WARM_UP), lines.slice(WARM_UP, WARM_UP + MEASURED)];
  for (const size of sizesOf(options, SIZES)) yield await pointOf(size, warmUp, measured);
}

async function pointOf(size: number, warmUp: readonly string[], measured: readonly string[]): Promise<CurvePoint> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const file = join(dataDir, 'sluice.db');
  {
    await using store = await openSqlite(file);
    await ensureFirstKey(store, systemClock.now(), KEY);
  }
  await addRules(file, 'A', size, 'few');
  // As users start it: tests give a server more memory for new objects.
  await using server = await startServer({ NODE_OPTIONS: '' }, dataDir);
  await until(async () => (await server.call('GET', '/readyz')).status === 200);
  await pushAll(server.url, batchesOf(warmUp));
  const pid = server.process.pid!;
  const before = threadSeconds(pid);
  const matches = await pushAll(server.url, batchesOf(measured));
  const { all, matchers } = microsAnEvent(before, threadSeconds(pid), measured.length);
  return {
    curve: 'rules',
    size,
    cpu_micros: { 'an event': all, 'of it matching': matchers },
    matches_an_event: Math.round((100 * matches) / measured.length) / 100,
    resident_mb: residentMb(pid),
  };
}
