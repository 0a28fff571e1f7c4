/**
 * `npm run bench -- ingest`: what an event costs through `POST /events`, durable, in CPU time by thread of the server, with
 * 10,000 rules and few matches and with 100,000 rules and several; and how much longer List Matches and Create Rule take
 * while events pour in than when none come, in the same run.
 */
import { Agent, request } from 'node:http';
import { openAdmin } from '../src/app/admin.ts';
import { KEY, type Started, startServer } from '../test/black-box/server.ts';
import { readCorpus } from './corpus.ts';
import { type CallMillis, callMillis } from './ingest-latency.ts';
import { folderWithRules, rulesMatching } from './ingest-rules.ts';
import { microsAnEvent, threadSeconds } from './thread-cpu.ts';

const BATCH = 1_000;
const IN_FLIGHT = 4;
const MEASURED = 30_000;
/** How often the other posts are pushed before anything is measured: a server that has run for some seconds compiles little any more. */
const WARM_UPS = 2;
/** Posts that are matched to learn how often a rule of the set matches. */
const SAMPLE = 20_000;
/** Calls that tell the time of one when no events come. */
const IDLE_CALLS = 40;

interface Setting {
  readonly rules: number;
  readonly matches: number;
}

const FULL: readonly Setting[] = [
  { rules: 10_000, matches: 0.3 },
  { rules: 100_000, matches: 3.1 },
];
const QUICK: readonly Setting[] = [{ rules: 1_000, matches: 0.03 }];

export interface IngestFigures {
  /** `SLUICE_MATCH_THREADS`. */
  readonly threads: number;
  readonly rules: number;
  readonly events: number;
  readonly matches_an_event: number;
  readonly events_per_second: number;
  /** Microseconds of CPU an event, by thread of the server. */
  readonly cpu_micros: ReturnType<typeof microsAnEvent>;
  /** Medians in milliseconds, and how many times the idle one the busy one is. */
  readonly idle: CallMillis;
  readonly busy: CallMillis;
  readonly busy_over_idle: CallMillis;
}

export async function* benchIngest({ quick = false, sizes, threads = '1' }: Options): AsyncGenerator<IngestFigures> {
  const { payloads } = readCorpus('x');
  const posts = payloads.map(withoutEntities);
  const wanted = sizes?.split(',').map(Number);
  for (const setting of quick ? QUICK : FULL) {
    if (!(wanted?.includes(setting.rules) ?? true)) continue;
    for (const count of threads.split(',')) yield await figuresOf(posts, setting, Number(count));
  }
}

interface Options {
  readonly quick?: boolean;
  readonly sizes?: string | undefined;
  /** Numbers of match threads. */
  readonly threads?: string | undefined;
}

interface Post {
  readonly data: Readonly<Record<string, unknown>>;
}

/** As X sends posts that have none: the product finds tags and links itself. */
function withoutEntities(payload: unknown): unknown {
  const { data, ...rest } = payload as Post;
  const { entities: _, ...post } = data;
  return { data: post, ...rest };
}

/** One post under another id, with a word more: another event, and no repeat of its text. */
export const again = (payload: unknown, round: number): string => {
  const { data, ...rest } = payload as Post;
  const changed = { id: `${String(data['id'])}${round}`, text: `${String(data['text'])} round${round}` };
  return JSON.stringify({ data: { ...data, ...changed }, ...rest });
};

async function figuresOf(
  posts: readonly unknown[],
  { rules, matches }: Setting,
  threads: number,
): Promise<IngestFigures> {
  const dataDir = await folderWithRules(rulesMatching(posts.slice(0, SAMPLE), rules, matches));
  // As users start it: tests give a server more memory for new objects.
  await using server = await startServer({ SLUICE_MATCH_THREADS: String(threads), NODE_OPTIONS: '' }, dataDir);
  const lines = posts.slice(0, MEASURED).map((post) => JSON.stringify(post));
  for (let round = 1; round <= WARM_UPS; round++)
    await pushAll(server.url, batchesOf(posts.slice(MEASURED).map((post) => again(post, round))));
  const { pid } = server.process;
  const before = threadSeconds(pid!);
  const began = performance.now();
  const matched = await pushAll(server.url, batchesOf(lines));
  const seconds = (performance.now() - began) / 1000;
  const events = lines.length;
  const cpu = microsAnEvent(before, threadSeconds(pid!), events);
  const { idle, busy } = await latencyOf(server, posts.slice(0, MEASURED));
  return {
    threads,
    rules,
    events,
    matches_an_event: Math.round((matched / events) * 100) / 100,
    events_per_second: Math.round(events / seconds),
    cpu_micros: cpu,
    idle,
    busy,
    busy_over_idle: {
      list_matches: ratio(busy.list_matches, idle.list_matches),
      create_rule: ratio(busy.create_rule, idle.create_rule),
    },
  };
}

const ratio = (one: number, other: number): number => Math.round((one / other) * 100) / 100;

async function latencyOf(server: Started, posts: readonly unknown[]): Promise<{ idle: CallMillis; busy: CallMillis }> {
  await callMillis(server, (calls) => calls >= IDLE_CALLS);
  const idle = await callMillis(server, (calls) => calls >= IDLE_CALLS);
  let isOver = false;
  const pushing = pushAll(server.url, batchesOf(posts.map((post) => again(post, 7)))).finally(() => {
    isOver = true;
  });
  const busy = await callMillis(server, () => isOver);
  await pushing;
  return { idle, busy };
}

export const batchesOf = (lines: readonly string[]): Buffer[] =>
  Array.from({ length: Math.ceil(lines.length / BATCH) }, (_, at) =>
    Buffer.from(lines.slice(at * BATCH, (at + 1) * BATCH).join('\n')),
  );

/** As many as there are: the limit of the account is raised first, in the store that the settings name. */
export async function createRules(
  call: Started['call'],
  settings: Record<string, string>,
  rules: readonly string[],
): Promise<void> {
  await using admin = await openAdmin(settings);
  await admin.changeAccount('default', { xRules: rules.length });
  const left = rules.entries();
  const creator = async () => {
    for (const [index, value] of left) {
      const { status, text } = await call('POST', '/api.CreateRule', {
        name: `rule ${index}`,
        intent: '',
        platforms: ['x'],
        overrides: { x: value },
      });
      if (status !== 200) throw new Error(`a rule was not taken: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, creator));
}

/** Answers how many matches all of them had. */
export async function pushAll(url: string, batches: readonly Buffer[]): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const left = batches.values();
  let matches = 0;
  const pusher = async () => {
    for (const batch of left) {
      const found = await push(url, batch, agent);
      matches += found;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, pusher));
  agent.destroy();
  return matches;
}

/** The plainest client there is, so that the two cores go to the server. */
function push(url: string, body: Buffer, agent: Agent): Promise<number> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/x-ndjson',
    'content-length': body.length,
  };
  return new Promise((done, failed) => {
    const call = request(`${url}/events?platform=x`, { method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('end', () => {
        if (answer.statusCode !== 200) failed(new Error(`status ${answer.statusCode}: ${text}`));
        else done((JSON.parse(text) as { matches: number }).matches);
      });
    });
    call.once('error', failed).end(body);
  });
}

export async function cpuSeconds({ call }: Pick<Started, 'call'>): Promise<number> {
  const { text } = await call('GET', '/metrics');
  return Number(/^process_cpu_seconds_total ([\d.e+-]+)/m.exec(text)![1]);
}
