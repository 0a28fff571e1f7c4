/**
 * `npm run bench -- readers`: the CPU of what readers ask for, against a bare loop in the same run that reads the same rows of the
 * same SQLite file and writes the same bytes. The two take turns, and the median of the turns counts. The bar: at most twice the CPU.
 */
import { join } from 'node:path';
import { openReceiver } from '../test/stages/receiver.ts';
import { cpuSeconds, newPages, rateOf, type Target } from './api.ts';
import { standOn } from './delivering.ts';
import { benchFrames } from './fanout.ts';
import { startBare } from './readers/bare.ts';
import { databaseOf, PAGE, pagesOf, serverWithMatches } from './readers/stored-matches.ts';

export interface ReaderFigures {
  readonly what: string;
  readonly bytes: number;
  /** Microseconds of CPU of one answer, frame or batch. */
  readonly cpu_micros: number;
  readonly bare_cpu_micros: number;
  readonly ratio: number;
}

interface Turn {
  readonly ours: number;
  readonly bare: number;
}

interface Options {
  readonly quick?: boolean;
}

const [POSTS, QUICK_POSTS] = [60_000, 40_000];
/** More events than a server keeps of those that were read lately. */
const [WALKED, QUICK_WALKED] = [120, 80];
const STORIES = 50;
const WARM_UP_SECONDS = 3;
/** A webhook is owed this many matches at a time. */
const BACKLOG = 15_000;

export async function* benchReaders(options: Options): AsyncGenerator<ReaderFigures> {
  yield* pages(options);
  yield await frames(options);
  yield* batches(options);
}

function figuresOf(what: string, bytes: number, turns: readonly Turn[]): ReaderFigures {
  const median = (of: (turn: Turn) => number) => turns.map(of).toSorted((a, b) => a - b)[turns.length >> 1]!;
  const micros = (value: number) => Math.round(value * 10) / 10;
  return {
    what,
    bytes,
    cpu_micros: micros(median(({ ours }) => ours)),
    bare_cpu_micros: micros(median(({ bare }) => bare)),
    ratio: Math.round(100 * median(({ ours, bare }) => ours / bare)) / 100,
  };
}

/** The requests for one of the two servers. */
interface Asked extends Target {
  readonly bodies: readonly string[];
}

async function* pages({ quick = false }: Options): AsyncGenerator<ReaderFigures> {
  await using server = await serverWithMatches(quick ? QUICK_POSTS : POSTS);
  const walk = await pagesOf(server, quick ? QUICK_WALKED : WALKED);
  const first = walk[0]!;
  const stories = JSON.stringify({ limit: STORIES });
  const told = await server.call('POST', '/stories', JSON.parse(stories));
  const database = databaseOf(server);
  const newest = { bodies: [stories], below: Number.MAX_SAFE_INTEGER, answer: told.text };
  await using bare = await startBare({ database, limit: PAGE, matches: walk, stories: [] });
  await using teller = await startBare({ database, limit: STORIES, matches: [], stories: [newest] });
  const path = (of: { url: string; pid: number }, name: string, bodies: readonly string[]): Asked => ({
    url: `${of.url}${name}`,
    pid: of.pid,
    bodies,
  });
  const ours = { url: server.url, pid: server.process.pid! };
  // Page after page, and under another name each time around.
  const all = first.bodies.flatMap((_, name) => walk.map(({ bodies }) => bodies[name]!));
  const one = [first.bodies[0]!];
  const bytes = Buffer.byteLength(first.answer);
  const again = path(bare, '/matches', one);
  const list = `List Matches of ${PAGE}`;
  const ask = (what: string, asked: Asked, other: Asked, size = bytes) =>
    compared(what, size, { one: asked, other, quick });
  yield await ask(`${list}, asked again`, path(ours, '/matches', one), again);
  yield await ask(`${list}, another question, the same matches`, path(ours, '/matches', newPages(PAGE)), again);
  yield await ask(`${list}, matches not read lately`, path(ours, '/matches', all), path(bare, '/matches', all));
  const size = Buffer.byteLength(told.text);
  const asked = path(ours, '/stories', [stories]);
  yield await ask(`List Stories of ${STORIES}`, asked, path(teller, '/stories', [stories]), size);
}

/** With more, several ask for the same page at a time and share its answer. */
const CONNECTIONS = 1;

async function compared(
  what: string,
  bytes: number,
  { one, other, quick }: { one: Asked; other: Asked; quick: boolean },
): Promise<ReaderFigures> {
  const micros = async (asked: Asked, seconds: number) =>
    1e6 / (await rateOf(asked, seconds, asked.bodies, CONNECTIONS));
  for (const asked of [one, other]) await micros(asked, WARM_UP_SECONDS);
  const turns: Turn[] = [];
  for (let turn = 0; turn < (quick ? 3 : 5); turn++)
    turns.push({ ours: await micros(one, quick ? 1 : 3), bare: await micros(other, quick ? 1 : 3) });
  return figuresOf(what, bytes, turns);
}

async function frames(options: Options): Promise<ReaderFigures> {
  const { bytes, rounds } = await benchFrames(options);
  const turns = rounds.map(({ ours, bare }) => ({ ours: 1_000 * ours, bare: 1_000 * bare }));
  return figuresOf('a frame to 1,000 readers', bytes, turns);
}

async function* batches({ quick = false }: Options): AsyncGenerator<ReaderFigures> {
  const backlog = quick ? BACKLOG / 3 : BACKLOG;
  await using receiver = await openReceiver();
  await using stand = await standOn({ NODE_OPTIONS: '' });
  // This warms up, and shows what a batch is.
  await stand.fill(backlog);
  await stand.delivered();
  const batch = stand.longest();
  const database = join(stand.dataDir, 'sluice.db');
  const rest = { database, limit: PAGE, matches: [], stories: [] };
  await using bare = await startBare({ ...rest, receiver: receiver.url, batch });
  const bareMicros = async (path: string) => {
    const before = cpuSeconds(bare.pid)!;
    await fetch(`${bare.url}${path}`, { method: 'POST', body: String(backlog / PAGE) });
    return (1e6 * (cpuSeconds(bare.pid)! - before)) / (backlog / PAGE);
  };
  const turns: Record<'sent' | 'kept', Turn>[] = [];
  for (let turn = 0; turn <= (quick ? 1 : 3); turn++) {
    await stand.fill(backlog);
    const [sent, kept] = [await bareMicros('/deliver'), await bareMicros('/deliver-and-keep')];
    const { cpu, deliveries } = await stand.delivered();
    const ours = (1e6 * cpu) / deliveries;
    // The first turn warms the bare loop up.
    if (turn > 0) turns.push({ sent: { ours, bare: sent }, kept: { ours, bare: kept } });
  }
  const [what, bytes] = [`a webhook batch of ${PAGE}`, Buffer.byteLength(batch)];
  yield figuresOf(
    what,
    bytes,
    turns.map(({ sent }) => sent),
  );
  yield figuresOf(
    `${what}, against a loop that keeps what it sends`,
    bytes,
    turns.map(({ kept }) => kept),
  );
}
