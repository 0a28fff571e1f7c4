/** `/v1/stream`: server-sent events from a place in the tap's log on, until the timeout or the limit. */
import type { Context } from '../context.ts';
import { type Answer, type Call, type Outcome, TAKEN } from '../http.ts';
import { openWire, type Wire } from '../wire.ts';
import { invalid, OUT_OF_CREDIT } from './problems.ts';
import { FirehoseSender, NO_RULES } from './sender.ts';
import type { Tap } from './taps.ts';

const DAY = 24 * 3_600;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

export type Generation = 'query_id' | 'query_ids';

export interface StreamContext {
  readonly context: Context;
  readonly tap: Tap;
  readonly generation: Generation;
  /** All readers of all taps, for faults. */
  readonly live: Set<Reader>;
}

export interface Reader {
  readonly tap: Tap;
  readonly wire: Wire;
  strike(): void;
  /** True if the reader has not taken everything. */
  isBehind(): boolean;
}

interface Asked {
  readonly timeout: number;
  readonly limit: number;
  readonly place: number;
}

export function openFirehoseStream(
  stream: StreamContext,
  call: Call,
  headers: Readonly<Record<string, string>>,
): Outcome {
  const { context, tap, live } = stream;
  if (context.faults.take('F13') !== undefined) return OUT_OF_CREDIT;
  const asked = readAsked(stream, call);
  if ('status' in asked) return asked;
  const wire = openWire(call.request, {
    headers: { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    gzip: false,
  });
  const sender = new FirehoseSender(
    context,
    wire,
    context.nextStream(),
    stream.generation === 'query_id' ? '[]' : '{}',
  );
  const progress = { place: asked.place };
  const reader: Reader = {
    tap,
    wire,
    strike: () => sender.strike(),
    isBehind: () => !wire.silent && (progress.place < tap.log.end || wire.waiting > 0),
  };
  live.add(reader);
  wire.signal.addEventListener('abort', () => live.delete(reader));
  void run(stream, asked, wire, sender, progress);
  return TAKEN;
}

/** The first of these that is given decides: Last-Event-ID, offset, since, the live end. */
function readAsked({ context, tap: { log } }: StreamContext, { query, request }: Call): Asked | Answer {
  const { clock, faults } = context;
  const timeout = wholeNumber(query.get('timeout'), 1, 300, 300);
  if (timeout === undefined) return invalid('timeout', 'The timeout field must be between 1 and 300.');
  const limit = wholeNumber(query.get('limit'), 1, 10_000, Number.POSITIVE_INFINITY);
  if (limit === undefined) return invalid('limit', 'The limit field must be between 1 and 10000.');
  const offset = wholeNumber(query.get('offset'), 0, Number.MAX_SAFE_INTEGER, -1);
  if (offset === undefined) return invalid('offset', 'The offset field must be an integer.');
  const since = secondsOf(query.get('since'));
  if (since === undefined) return invalid('since', 'The since field must be a duration of at most 24h.');
  const lastId = request.headers['last-event-id'];
  if (lastId !== undefined && query.has('since') && faults.take('F10') !== undefined) {
    return invalid('since', 'The since field cannot be used with Last-Event-ID.');
  }
  const early = () => faults.take('F5')?.count ?? 0;
  const begin = (place: number) => Math.max(log.start, place - early());
  const [, partition, last] = /^(\d+)-(\d+)$/.exec(String(lastId ?? '')) ?? [];
  if (last !== undefined) return { timeout, limit, place: begin(log.after(Number(partition), Number(last))) };
  if (offset >= 0) return { timeout, limit, place: begin(log.from(offset)) };
  if (since === 0) return { timeout, limit, place: log.end };
  const cut = Math.min(since, faults.take('F9')?.seconds ?? since);
  return { timeout, limit, place: begin(log.since(clock.now().getTime() - cut * 1_000)) };
}

/** Returns undefined if it is given and not a whole number in the range. */
function wholeNumber(text: string | null, least: number, most: number, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** Reads `5m` or `24h` as seconds: 0 if absent, undefined if it cannot be read. */
function secondsOf(text: string | null): number | undefined {
  if (text === null) return 0;
  const [, count, unit] = /^([1-9]\d*)([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  return seconds <= DAY ? seconds : undefined;
}

async function run(
  { context: { clock }, tap: { book, log } }: StreamContext,
  { timeout, limit }: Asked,
  wire: Wire,
  sender: FirehoseSender,
  progress: { place: number },
): Promise<void> {
  sender.begin();
  if (book.size === 0) sender.complain(NO_RULES);
  wire.signal.addEventListener('abort', log.wake);
  let isOver = false;
  const watch = async () => {
    await clock.sleep(timeout * 1_000, wire.signal);
    isOver = true;
    log.wake();
  };
  void watch();
  const liveFrom = log.end;
  let left = limit;
  while (!isOver && left > 0 && !wire.signal.aborted) {
    progress.place = Math.max(progress.place, log.start);
    const update = log.at(progress.place);
    if (update === undefined) {
      await log.grown();
      continue;
    }
    progress.place++;
    if (update.onlyReplayed && progress.place > liveFrom) continue;
    sender.update(update);
    left--;
    await wire.drained();
  }
  if (!wire.signal.aborted) sender.end();
}
