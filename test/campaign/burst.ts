/** A source floods a server while rules are written: every post is taken in, and the writes do not wait for the flood. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../packages/client/src/index.ts';
import { loadConfig } from '../../src/app/config.ts';
import { createLog } from '../../src/app/log.ts';
import { start } from '../../src/app/start.ts';
import { openJetHost, posted } from '../sources/jetstream-server.ts';

const KEY = 'key-of-the-burst-of-posts';
/** One post in this many matches the rule that counts. */
const MARKED = 50;

export interface BurstReport {
  readonly posts: number;
  /** Matches of the counting rule, on both platforms, and how many there should be. */
  readonly matches: number;
  readonly expected: number;
  /** Rules written during the flood. */
  readonly ruleWrites: number;
  /** Half of the writes took at most this long: before the flood, and during it. */
  readonly idleP50Ms: number;
  readonly floodP50Ms: number;
  readonly slowestWriteMs: number;
}

/** Writes before the flood, to compare with. */
const IDLE_WRITES = 20;

/** `perSecond` 0 sends all at once. */
export async function burst(posts: number, perSecond: number): Promise<BurstReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-burst-'));
  await using host = await openJetHost({ happenings: [] });
  const env = {
    SLUICE_DATA_DIR: folder,
    SLUICE_PORT: '0',
    SLUICE_API_KEY: KEY,
    SLUICE_SOURCES: `jetstream:${host.url}`,
  };
  const running = await start(loadConfig(env), { log: createLog({ level: 'silent', terminal: false }) });
  try {
    await running.loaded;
    const client = createClient({ url: running.url, key: KEY });
    const { rule_id } = await client.rules.create(ruleOf('Counting', 'eruption'));
    while (host.connections === 0) await sleep(10);
    const idle = await writeTimes(client, 'Idle', (count) => count < IDLE_WRITES);
    const flooding = flood(host, posts, perSecond);
    let isOver = false;
    void flooding.finally(() => {
      isOver = true;
    });
    const times = await writeTimes(client, 'Flood', (count) => count < 5 || !isOver);
    const expected = 2 * Math.ceil(posts / MARKED);
    const matches = await counted(client, rule_id, expected);
    return {
      posts,
      matches,
      expected,
      ruleWrites: times.length,
      idleP50Ms: median(idle),
      floodP50Ms: median(times),
      slowestWriteMs: Math.round(Math.max(...times)),
    };
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Creates and deletes rules, 20 in a row and then one a second, and answers how many milliseconds each creation took. */
async function writeTimes(
  client: ReturnType<typeof createClient>,
  name: string,
  goesOn: (count: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (goesOn(times.length)) {
    const began = performance.now();
    const { rule_id } = await client.rules.create(ruleOf(`${name} ${times.length}`, `word${name}${times.length}`));
    times.push(performance.now() - began);
    await client.rules.delete({ rule_id });
    if (times.length > IDLE_WRITES) await sleep(1_000);
  }
  return times;
}

const median = (times: readonly number[]): number =>
  Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]! * 10) / 10;

const ruleOf = (name: string, word: string) => ({
  name,
  intent: '',
  platforms: ['x' as const, 'firehose' as const],
  overrides: { x: word, firehose: word },
});

async function flood(host: Awaited<ReturnType<typeof openJetHost>>, posts: number, perSecond: number): Promise<void> {
  const step = perSecond === 0 ? posts : Math.ceil(perSecond / 10);
  const began = performance.now();
  for (let from = 0; from < posts; from += step) {
    const numbers = Array.from({ length: Math.min(step, posts - from) }, (_, at) => from + at);
    host.send(numbers.map((at) => posted(at, {}, { text: at % MARKED === 0 ? `An eruption, ${at}` : `Calm, ${at}` })));
    const due = began + ((from + step) / (perSecond || 1)) * 1_000;
    if (perSecond > 0) await sleep(Math.max(0, due - performance.now()));
  }
}

/** Waits until all that is expected has come, or nothing more comes for 30 seconds. */
async function counted(client: ReturnType<typeof createClient>, ruleId: string, expected: number): Promise<number> {
  let known = 0;
  for (let idle = 0; idle < 300 && known < expected; idle++) {
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await client.matches.list({ rule_id: ruleId, limit: 1_000, ...(cursor && { cursor }) });
      count += page.matches.length;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    if (count > known) idle = 0;
    known = count;
    if (known < expected) await sleep(100);
  }
  return known;
}

/** `npm run campaign -- burst [--records N]`: posts, at 1,000 a second. */
export async function burstCampaign({ records = 600_000 }: { readonly records?: number }): Promise<boolean> {
  const report = await burst(records, 1_000);
  console.table([report]);
  const isUndelayed = report.floodP50Ms <= 2 * report.idleP50Ms + 20;
  return report.matches === report.expected && isUndelayed && report.slowestWriteMs < 2_000;
}
