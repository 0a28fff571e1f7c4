/**
 * `npm run bench -- ingest`: events a second through `POST /events`, durable, with 10,000 rules of set A, against the
 * floor in the same run: one loop of `JSON.parse` and engine over the same bytes.
 */
import { Agent, request } from 'node:http';
import { openAdmin } from '../src/app/admin.ts';
import { isRejection } from '../src/engine/events/event-view.ts';
import { createEngine } from '../src/engine/index/engine.ts';
import { languages } from '../src/rules/languages.ts';
import { KEY, type Started, startServer } from '../test/black-box/server.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { rulesOf, vocabularyOf } from './rule-sets.ts';

const BATCH = 1_000;
const IN_FLIGHT = 4;
/** Both are measured warm: a server that has run for some seconds compiles nothing any more. */
const WARM_UP = 20;

export interface IngestFigures {
  readonly rules: number;
  readonly events: number;
  readonly floor_events_per_second: number;
  readonly events_per_second: number;
  /** Of wall time, as a caller sees it. */
  readonly ratio: number;
  /** Of CPU time, all threads of the server together: what a busy machine disturbs least. */
  readonly cpu_ratio: number;
}

export async function benchIngest({ quick = false }: { quick?: boolean }): Promise<IngestFigures> {
  const { payloads } = readCorpus('x');
  const count = quick ? 1_000 : 10_000;
  const rules = rulesFor(payloads, count);
  const warmUp = BATCH * (quick ? 2 : WARM_UP);
  const all = payloads.slice(0, warmUp + (quick ? 10_000 : 40_000)).map((payload) => JSON.stringify(payload));
  const lines = all.slice(warmUp);
  const floor = floorOf(rules, all.slice(0, warmUp), lines);
  await using server = await serverWith(rules);
  const batches = batchesOf(lines);
  await pushAll(server.url, batchesOf(all.slice(0, warmUp)));
  const cpuBefore = await cpuSeconds(server);
  const began = performance.now();
  await pushAll(server.url, batches);
  const seconds = (performance.now() - began) / 1000;
  const cpu = (await cpuSeconds(server)) - cpuBefore;
  return {
    rules: count,
    events: lines.length,
    floor_events_per_second: Math.round(lines.length / floor.seconds),
    events_per_second: Math.round(lines.length / seconds),
    ratio: floor.seconds / seconds,
    cpu_ratio: floor.cpu / cpu,
  };
}

export const batchesOf = (lines: readonly string[]): Buffer[] =>
  Array.from({ length: Math.ceil(lines.length / BATCH) }, (_, at) =>
    Buffer.from(lines.slice(at * BATCH, (at + 1) * BATCH).join('\n')),
  );

/** Only rules that X itself would take. */
export function rulesFor(payloads: readonly unknown[], count: number): string[] {
  const { x } = languages();
  const texts: string[] = [];
  for (const text of rulesOf('A', 'x', vocabularyOf('x', payloads, analyzerFor('x')))) {
    if (x.parse(text).query !== undefined) texts.push(text);
    if (texts.length === count) break;
  }
  return texts;
}

function floorOf(
  rules: readonly string[],
  before: readonly string[],
  lines: readonly string[],
): { seconds: number; cpu: number } {
  const { x } = languages();
  const engine = createEngine();
  for (const [index, text] of rules.entries()) engine.put(`rule_${index}`, x.parse(text).query!);
  const analyze = analyzerFor('x');
  const loop = (of: readonly string[]) => {
    for (const line of of) {
      const view = analyze(JSON.parse(line));
      if (!isRejection(view)) engine.match(view);
    }
  };
  loop(before);
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  loop(lines);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { seconds, cpu: (user + system) / 1e6 };
}

async function serverWith(rules: readonly string[]): Promise<Started> {
  const server = await startServer();
  await createRules(server.call, { SLUICE_DATA_DIR: server.dataDir }, rules);
  return server;
}

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

export async function pushAll(url: string, batches: readonly Buffer[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const left = batches.values();
  const pusher = async () => {
    for (const batch of left) await push(url, batch, agent);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, pusher));
  agent.destroy();
}

/** The plainest client there is, so that the two cores go to the server. */
function push(url: string, body: Buffer, agent: Agent): Promise<void> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/x-ndjson',
    'content-length': body.length,
  };
  return new Promise((done, failed) => {
    const call = request(`${url}/events?platform=x`, { method: 'POST', agent, headers }, (answer) => {
      answer
        .resume()
        .once('end', () => (answer.statusCode === 200 ? done() : failed(new Error(`status ${answer.statusCode}`))));
    });
    call.once('error', failed).end(body);
  });
}

export async function cpuSeconds({ call }: Pick<Started, 'call'>): Promise<number> {
  const { text } = await call('GET', '/metrics');
  return Number(/^process_cpu_seconds_total ([\d.e+-]+)/m.exec(text)![1]);
}
