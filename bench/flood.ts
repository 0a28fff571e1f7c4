/**
 * `npm run bench -- flood`: one key asks forty times at once for the facets of 61,000 matches, at the default limits, while
 * another key pushes one event after the other. It tells what the main thread spent meanwhile and after the clients had
 * gone, and how long the pushes took against those of a quiet server.
 */
import { setTimeout } from 'node:timers/promises';
import { KEY, type Started, startServer } from '../test/black-box/server.ts';
import { threadSeconds } from './thread-cpu.ts';

const MATCHES = 61_000;
const QUICK = 6_000;
const AT_ONCE = 5_000;
const FLOOD = 40;
const FLOOD_MS = 20_000;
const AFTERWARDS_MS = 5_000;

export interface FloodFigures {
  readonly matches: number;
  readonly answered: number;
  readonly refused: number;
  readonly given_up: number;
  /** Seconds of CPU of the main thread: during the flood, and in five seconds after its clients had gone. */
  readonly main_cpu_seconds: { readonly during: number; readonly afterwards: number };
  /** Seconds of CPU of all threads, of the same two times. */
  readonly all_cpu_seconds: { readonly during: number; readonly afterwards: number };
  /** The times of the pushes, over the median of a quiet server. */
  readonly push_ratio: { readonly median: number; readonly longest: number };
}

export async function benchFlood({ quick = false }: { quick?: boolean }): Promise<FloodFigures> {
  const matches = quick ? QUICK : MATCHES;
  await using server = await startServer({ SLUICE_RATE_LIMIT: '600' });
  await fill(server, matches);
  const { body } = await server.call('POST', '/api.CreateKey', { name: 'other', scope: 'ingest' });
  const other = String(body['key']);
  const quiet = await pushesUntil(server, other, setTimeout(3_000, true));
  const before = cpuOf(server);
  const leaving = new AbortController();
  const flood = Array.from({ length: FLOOD }, () => askFacets(server, leaving.signal));
  const over = Promise.race([Promise.all(flood), setTimeout(FLOOD_MS)]);
  const meanwhile = await pushesUntil(server, other, over);
  leaving.abort();
  const states = await Promise.all(flood);
  const after = cpuOf(server);
  await setTimeout(AFTERWARDS_MS);
  const end = cpuOf(server);
  const count = (status: number) => states.filter((one) => one === status).length;
  const usual = medianOf(quiet);
  return {
    matches,
    answered: count(200),
    refused: count(429),
    given_up: count(0),
    main_cpu_seconds: { during: round(after.main - before.main), afterwards: round(end.main - after.main) },
    all_cpu_seconds: { during: round(after.all - before.all), afterwards: round(end.all - after.all) },
    push_ratio: { median: round(medianOf(meanwhile) / usual), longest: round(Math.max(...meanwhile) / usual) },
  };
}

async function fill(server: Started, matches: number): Promise<void> {
  const rule = { name: 'Storms', intent: 'storms at sea', platforms: ['x'], overrides: { x: 'storm' } };
  await server.call('POST', '/api.CreateRule', rule);
  for (let from = 0; from < matches; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, matches - from);
    const posts = Array.from({ length }, (_, at) => ({ data: { id: String(from + at), text: `storm ${from + at}` } }));
    await server.push('x', posts);
  }
}

/** The status; 0 when it was given up. */
async function askFacets({ url }: Started, signal: AbortSignal): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  try {
    const answer = await fetch(`${url}/api.MatchFacets`, { method: 'POST', headers, body: '{}', signal });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

let pushed = 0;

/** Milliseconds of each push until something has happened. */
async function pushesUntil(server: Started, key: string, over: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { isOver: false };
  const note = async () => {
    await over;
    state.isOver = true;
  };
  void note();
  do {
    const begun = performance.now();
    await server.push('x', [{ data: { id: `p${pushed++}`, text: 'calm' } }], key);
    times.push(performance.now() - begun);
    await setTimeout(100);
  } while (!state.isOver);
  return times;
}

function cpuOf({ process: { pid } }: Started): { main: number; all: number } {
  const { main, matchers, writer, v8, other } = threadSeconds(pid!);
  return { main, all: main + matchers + writer + v8 + other };
}

const medianOf = (times: readonly number[]): number => times.toSorted((one, two) => one - two)[times.length >> 1]!;
const round = (value: number): number => Math.round(value * 100) / 100;
