/**
 * Many readers of the stream that do not read, beside some that do: how long the healthy ones wait for a match with the
 * others idle and with the others stalled, what it costs in memory, and whether those that were cut off can go on.
 */
import { connect, type Socket } from 'node:net';
import { addRule } from '../black-box/rules.ts';
import { KEY, type Started, startServer } from '../black-box/server.ts';

const BASELINE_EVENTS = 15;
/** Time enough for buffers to fill and for thirty seconds of patience; longer where thousands of buffers must fill. */
const STALLED_EVENTS = { least: 40, most: 600 };
/** More than a connection's buffers take, the kernel's included. */
const FLOOD = { matches: 700, length: 10_000 };
const LAST = 'the flood ends';
const SAMPLE = 20;
/** Connections opened at a time. */
const ABREAST = 100;
/** V8 takes as much memory as the machine lets it before it collects: on a large machine, the readers would not be what is measured. */
const ROOM = '--max-semi-space-size=16 --max-old-space-size=256';
const MOST_MEMORY = 600 * 1024 * 1024;

interface Reader {
  readonly socket: Socket;
  /** Everything that was read; it is kept only where it is asked for. */
  text: string;
}

type OnText = (text: string) => void;

/** A raw connection: what is not read stays in the kernel. */
function open(server: Started, query: string, onText: OnText, headers = ''): Promise<Reader> {
  const { hostname, port } = new URL(server.url);
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname);
    const reader: Reader = { socket, text: '' };
    socket.once('error', failed);
    socket.write(`GET /matches/stream${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n${headers}\r\n`);
    socket.setEncoding('latin1');
    socket.once('data', (head: string) => {
      socket.off('error', failed);
      socket.on('error', () => {});
      if (!head.startsWith('HTTP/1.1 200')) return failed(new Error(head.slice(0, 200)));
      socket.on('data', onText);
      reader.text = head;
      done(reader);
    });
  });
}

async function openMany(count: number, one: (index: number) => Promise<Reader>): Promise<Reader[]> {
  const readers: Reader[] = [];
  for (let from = 0; from < count; from += ABREAST) {
    const some = Array.from({ length: Math.min(ABREAST, count - from) }, (_, index) => one(from + index));
    readers.push(...(await Promise.all(some)));
  }
  return readers;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** One event a second; how long after it was sent each healthy reader had it. */
async function latencies(
  server: Started,
  taken: number[],
  goesOn: (event: number) => boolean | Promise<boolean>,
): Promise<number> {
  taken.length = 0;
  for (let event = 0; await goesOn(event); event++) {
    const sent = Date.now();
    await server.push('x', [{ data: { id: `${sent}`, text: `lava sent:${sent};` } }]);
    await pause(Math.max(0, sent + 1_000 - Date.now()));
  }
  const sorted = taken.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)]!;
}

async function figure(server: Started, name: string): Promise<number> {
  const { text } = await server.call('GET', '/metrics');
  return Number(new RegExp(`^${name} ([\\d.e+-]+)`, 'm').exec(text)![1]);
}

const idsIn = (text: string): string[] => [...text.matchAll(/^event: match\nid: (\S+)$/gm)].map(([, id]) => id!);
const unchunked = (text: string): string => text.replaceAll(/\r\n[\da-f]+\r\n/g, '');

/** Reads on where a reader was cut off; answers how many of the flood's matches it has had in all. */
async function resumed(server: Started, reader: Reader, ruleId: string): Promise<number> {
  reader.socket.resume();
  if (!reader.socket.closed) await new Promise((done) => reader.socket.once('close', done));
  const had = idsIn(unchunked(reader.text));
  const all = Promise.withResolvers<void>();
  let text = '';
  const headers = had.length > 0 ? `Last-Event-ID: ${had.at(-1)!}\r\n` : '';
  const again = await open(
    server,
    `?rule_id=${ruleId}`,
    (more) => {
      text += more;
      if (text.includes(LAST)) all.resolve();
    },
    headers,
  );
  text = again.text + text;
  if (text.includes(LAST)) all.resolve();
  await all.promise;
  again.socket.destroy();
  return new Set([...had, ...idsIn(unchunked(text))]).size;
}

/** `npm run campaign -- sse [--readers N]`: a tenth of them healthy. */
export async function sseCampaign({ readers = 10_000 }: { readers?: number }): Promise<boolean> {
  const healthyCount = Math.round(readers / 10);
  const others = readers - healthyCount;
  console.log(`sse: ${healthyCount} healthy readers, ${others} that do not read`);
  await using server = await startServer({ SLUICE_STREAMS: String(readers + SAMPLE), NODE_OPTIONS: ROOM });
  const [lava, flood, never] = [
    await addRule(server, 'lava'),
    await addRule(server, 'flood'),
    await addRule(server, 'never'),
  ];
  const { body } = await server.call('POST', '/matches', {});
  for (let from = 0; from < FLOOD.matches; from += 100) {
    const posts = Array.from({ length: 100 }, (_, index) => ({
      data: { id: `${from + index}`, text: `flood ${from + index} ${'x'.repeat(FLOOD.length)}` },
    }));
    await server.push('x', posts);
  }
  // Within one commit matches are in the order of their ids; this one comes after all of them.
  await server.push('x', [{ data: { id: `${FLOOD.matches}`, text: LAST } }]);

  const taken: number[] = [];
  const onHealthy: OnText = (text) => {
    for (const [, sent] of text.matchAll(/sent:(\d+);/g)) taken.push(Date.now() - Number(sent));
  };
  const healthy = await openMany(healthyCount, () => open(server, `?rule_id=${lava}`, onHealthy));
  const idle = await openMany(others, () => open(server, `?rule_id=${never}`, () => {}));
  await latencies(server, taken, (event) => event < 3);
  const besideIdle = await latencies(server, taken, (event) => event < BASELINE_EVENTS);
  for (const { socket } of idle) socket.destroy();
  const before = await figure(server, 'process_resident_memory_bytes');
  console.log(`healthy p99 beside idle readers: ${besideIdle} ms; memory ${Math.round(before / 2 ** 20)} MiB`);

  const cursor = body['latest_cursor'] as string;
  const stalled = await openMany(others, async (index) => {
    const kept = index < SAMPLE;
    const reader: Reader = await open(server, `?rule_id=${flood}&cursor=${cursor}`, (text) => {
      if (kept) reader.text += text;
    });
    reader.socket.pause();
    return reader;
  });
  const besideStalled = await latencies(server, taken, async (event) => {
    if (event < STALLED_EVENTS.least) return true;
    return event < STALLED_EVENTS.most && (await figure(server, 'sluice_streams_evicted_total')) < others;
  });
  const memory = await figure(server, 'process_resident_memory_bytes');
  const evicted = await figure(server, 'sluice_streams_evicted_total');
  console.log(`healthy p99 beside stalled readers: ${besideStalled} ms (at most 5 times)`);
  console.log(`${evicted} of ${others} stalled readers cut off; memory ${Math.round(memory / 2 ** 20)} MiB`);
  let whole = 0;
  if (evicted < others) return false;
  for (const reader of stalled.slice(0, SAMPLE)) {
    if ((await resumed(server, reader, flood)) === FLOOD.matches + 1) whole++;
  }
  console.log(`${whole} of ${SAMPLE} went on where they were, without a gap`);
  for (const { socket } of [...healthy, ...stalled]) socket.destroy();
  const isQuick = besideStalled <= 5 * Math.max(besideIdle, 1);
  return isQuick && evicted === others && memory <= MOST_MEMORY && whole === SAMPLE;
}
