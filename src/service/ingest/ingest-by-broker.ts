/**
 * Ingest when matchers are other processes: a push is cut into packs for the broker, and answered when the matchers have
 * stored the matches of all its packs. The packs of one push go one after another, which keeps their order; several pushes
 * go in parallel. Upstream events do not come this way: the upstream has already matched them, and the process that reads
 * the stream stores them under its lease.
 */
import { inSpan, type TraceContext, type Tracer, type TraceSpan } from '../../base/tracing.ts';
import { type Broker, BrokerError, type EventLog, type Pack, type PackAnswer } from '../../broker/broker.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { PUSH_SOURCE } from '../../domain/source.ts';
import type { Cursor } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import { unavailable } from './group-commit.ts';
import { type Appended, type Ingest, refuseToLog } from './ingest.ts';
import { MAX_REJECTED_LISTED, type Pushed } from './push-lines.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;
/** The subject of packs, in traces. */
const PACKS = 'sluice.events';

/** `here` stores what needs no matcher: upstreams' batches and cursors. */
export function ingestByBroker(here: Ingest, broker: PackBroker, tracer?: Tracer): Ingest {
  const send = packSender(broker, tracer);
  return {
    push: (platform, lines, accountId, source = PUSH_SOURCE, trace) =>
      send({ platform, accountId, source }, lines, trace),
    append: (platform, lines, accountId, trace) =>
      appendPacks(broker, { platform, accountId, source: PUSH_SOURCE, trace }, lines),
    confirmLog: () => confirmLog(broker),
    logBacklog: async () => (broker.trouble === undefined ? broker.log?.backlog().catch(() => undefined) : undefined),
    async add(platform: Platform, payloads: readonly Payload[], source: string, cursor?: Cursor, accountId?: string) {
      const lines = payloads.map((payload) => JSON.stringify(payload)).join('\n');
      const { rejected } = await send({ platform, accountId, source, isWhole: true }, lines);
      // Only now is everything durable that the cursor covers.
      if (cursor !== undefined) await here.add(platform, [], source, cursor);
      return rejected.map(({ problem }) => problem);
    },
    commit: here.commit,
    get queued() {
      return here.queued;
    },
    get trouble() {
      return here.trouble ?? (broker.trouble === undefined ? undefined : 'broker_away');
    },
    get longestWait() {
      return here.longestWait;
    },
    onCommit: here.onCommit,
    close: here.close,
  };
}

type PackBroker = Pick<Broker, 'ask' | 'packBytes' | 'trouble' | 'log'>;

/** Sends the packs of a push one after another, and joins their answers. */
function packSender(broker: PackBroker, tracer: Tracer | undefined) {
  const ask = (pack: Pack, cause: TraceContext | undefined): Promise<PackAnswer> =>
    tracer === undefined
      ? askBroker(broker, pack)
      : inSpan(sendSpan(tracer, cause), (trace) => askBroker(broker, { ...pack, trace }));
  return async (to: Omit<Pack, 'lines'>, text: string | Buffer, trace?: TraceContext): Promise<Pushed> => {
    let whole: Pushed = { accepted: 0, matches: 0, rejected: [], moreRejected: 0 };
    let before = 0;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    for (const lines of packsOf(bytes, broker.packBytes)) {
      whole = joined(whole, await ask({ ...to, lines }, trace), before);
      before += linesIn(lines);
    }
    return whole;
  };
}

async function askBroker(broker: PackBroker, pack: Pack): Promise<PackAnswer> {
  try {
    return await broker.ask(pack);
  } catch (error) {
    if (!(error instanceof BrokerError) || error.reason !== 'too-large') throw unavailable(error);
    // Only a line that is a pack of its own can be too large.
    return { accepted: 0, matches: 0, rejected: [{ line: 1, problem: error.message }], moreRejected: 0 };
  }
}

/** One pack after another, which keeps their order. What went into the log before one fails stays there: pushed again, it adds nothing. */
async function appendPacks(
  { log, packBytes }: PackBroker,
  to: Omit<Pack, 'lines'>,
  text: string | Buffer,
): Promise<Appended> {
  if (log === undefined) return refuseToLog();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const rejected: { line: number; problem: string }[] = [];
  let [before, accepted, bad] = [0, 0, 0];
  for (const lines of packsOf(bytes, packBytes)) {
    const problem = await appendPack(log, { ...to, lines });
    if (problem === undefined) accepted += filledLines(lines);
    else if (bad++ < MAX_REJECTED_LISTED) rejected.push({ line: before + 1, problem });
    before += linesIn(lines);
  }
  return { accepted, rejected, moreRejected: bad - rejected.length };
}

async function confirmLog({ log, trouble }: PackBroker): Promise<void> {
  if (log === undefined) return refuseToLog();
  if (trouble !== undefined) throw notLogged(new BrokerError('unavailable', 'The log cannot be reached.'));
  const problem = await log.problem().catch((error: unknown) => {
    throw notLogged(new BrokerError('unavailable', 'The log cannot be reached.', { cause: error }));
  });
  if (problem !== undefined) throw notLogged(new BrokerError('not-durable', problem));
}

async function appendPack(log: EventLog, pack: Pack): Promise<string | undefined> {
  try {
    await log.append(pack);
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    // Only a line that is a pack of its own can be too large.
    if (error.reason === 'too-large') return error.message;
    throw notLogged(error);
  }
}

function notLogged(error: BrokerError): ServiceError {
  if (error.reason === 'not-durable')
    return new ServiceError(
      'failed_precondition',
      `The log is not seen to be durable, so nothing is answered before it is stored. Push without \`ack=log\`. ${error.message}`,
    );
  const why = error.reason === 'full' ? 'The log is full: the store has taken nothing for too long.' : error.message;
  return new ServiceError('unavailable', `${why} Send it again later.`, { retryAfter: 1, cause: error });
}

/** One pack on its way to a matcher, until its answer is here. */
const sendSpan = (tracer: Tracer, cause: TraceContext | undefined): TraceSpan =>
  tracer.begin(`send ${PACKS}`, {
    kind: 'producer',
    causes: cause === undefined ? [] : [cause],
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': PACKS,
    },
  });

/** A matcher pushes the lines of a pack as if they had come to itself. */
export const matchPack =
  (here: Pick<Ingest, 'push'>) =>
  ({ platform, accountId, source, lines, trace, isWhole }: Pack): Promise<PackAnswer> =>
    here.push(platform, Buffer.from(lines.buffer, lines.byteOffset, lines.length), accountId, source, trace, isWhole);

/** Whole lines, as many as fit; a line that does not fit goes alone. */
export function* packsOf(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPack(bytes, start, size);
    yield bytes.subarray(start, end);
    start = end;
  }
}

function endOfPack(bytes: Buffer, start: number, size: number): number {
  if (bytes.length - start <= size) return bytes.length;
  const last = bytes.lastIndexOf(NEWLINE, start + size - 1);
  if (last >= start) return last + 1;
  const next = bytes.indexOf(NEWLINE, start);
  return next === -1 ? bytes.length : next + 1;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** Lines with something in them; a line feed ends one, and so does the end. */
function filledLines(bytes: Buffer): number {
  let filled = 0;
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(NEWLINE, start);
    const end = next === -1 ? bytes.length : next;
    if (hasText(bytes, start, end)) filled++;
    start = end + 1;
  }
  return filled;
}

function hasText(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > SPACE) return true;
  return false;
}

function joined(whole: Pushed, answer: PackAnswer, before: number): Pushed {
  const { accepted, matches, rejected, moreRejected, cpuMs = 0 } = answer;
  const all = [...whole.rejected, ...rejected.map(({ line, problem }) => ({ line: before + line, problem }))];
  const listed = all.slice(0, MAX_REJECTED_LISTED);
  return {
    accepted: whole.accepted + accepted,
    matches: whole.matches + matches,
    rejected: listed,
    moreRejected: whole.moreRejected + moreRejected + all.length - listed.length,
    cpuMs: (whole.cpuMs ?? 0) + cpuMs,
  };
}
