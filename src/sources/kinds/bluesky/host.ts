/**
 * One host of Jetstream, read without loss: from its own counter (`seq`) as long as the host is the one that counted, else
 * by time with an overlap. What a host no longer has is told as a hole. Older hosts are read from `/subscribe`.
 */
import type { SourceContext } from '../../contract/source.ts';
import { hostOf, RefusedError, SourceError } from '../../fetch/source-error.ts';
import { socketFrames } from '../../fetch/web-socket.ts';
import { readArchive } from './archive.ts';
import type { ArchiveRow } from './archive-block.ts';
import { type ArchiveHost, ArchiveRefusedError } from './archive-client.ts';
import {
  canUnpack,
  fetchDictionary,
  type Host,
  type HostCursor,
  type HostItem,
  type HostOptions,
  unpack,
} from './host-state.ts';
import { EVENTS_PATH, type JetEvent, OLD_PATH, POSTS, readFrame } from './wire.ts';

/** Clocks of hosts differ. */
const OVERLAP = 10_000_000;
/** Hosts of the old fleet keep this much, and do not say when they are asked for more. */
const OLD_WINDOW = 24 * 3_600_000_000;
/** The settings are wrong: asking again soon does not help. */
const SETTINGS_PAUSE = 600;

export function openHost(options: HostOptions, last: HostCursor | undefined): Host {
  const wire = new URL(options.url).pathname === OLD_PATH ? 'old' : 'events';
  const wantsDictionary = options.compress && canUnpack && wire === 'events';
  const byTime = last?.seq === undefined;
  return { ...options, last, wire, byTime, dictionary: undefined, wantsDictionary, isHealed: false };
}

/**
 * One connection. Returns when another one is to be made at once, from what `host` knows by then. `mayHeal`: whether what the
 * host no longer has is to be read from its archive.
 */
export async function* readHost(
  context: SourceContext,
  host: Host,
  mayHeal: () => boolean = () => true,
): AsyncIterable<HostItem> {
  if (host.wantsDictionary && host.dictionary === undefined) {
    host.dictionary = await fetchDictionary(context, host.url);
    host.wantsDictionary = host.dictionary !== undefined;
  }
  try {
    yield* eventsOf(context, host);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const isTooOld = error.code === 'CursorTooOld' && !host.byTime;
    if (isTooOld && host.archive !== undefined && mayHeal()) yield* healHost(context, host, host.archive);
    else if (!adapts(host, error)) throw error;
  }
}

/** Whether the host's refusal says how to ask again at once. */
function adapts(host: Host, { status, code, message }: RefusedError): boolean {
  const isFixed = new URL(host.url).pathname === EVENTS_PATH;
  if (status === 404 && host.wire === 'events' && !isFixed) {
    Object.assign(host, { wire: 'old', byTime: true, dictionary: undefined, wantsDictionary: false });
    return true;
  }
  if (code === 'CursorTooOld' && !host.byTime) {
    host.byTime = true;
    return true;
  }
  if (code === 'UnknownZstdDictionary' && host.dictionary !== undefined) {
    Object.assign(host, { dictionary: undefined, wantsDictionary: false });
    return true;
  }
  if (status === 400) throw new SourceError(message, { retryAfter: SETTINGS_PAUSE });
  return false;
}

async function* eventsOf(context: SourceContext, host: Host): AsyncIterable<HostItem> {
  const { last, byTime, dictionary } = host;
  const frames = socketFrames(context, addressOf(host), {
    stallMs: host.stall * 1_000,
    unpack: dictionary && ((frame) => unpack(frame, dictionary)),
  });
  const opening = { last, byTime, isHealed: host.isHealed, isClamped: false };
  host.isHealed = false;
  let highest = byTime ? 0 : last!.seq!;
  let isFirst = true;
  for await (const text of frames) {
    const frame = text === undefined ? undefined : readFrame(text);
    if (frame === undefined) yield { isUnread: true };
    else if (frame.is === 'error') throw new SourceError(`${hostOf(host.url)}: ${frame.name}. ${frame.message}`.trim());
    else if (frame.is === 'info') opening.isClamped ||= frame.name === 'OutdatedCursor';
    else {
      const { event } = frame;
      if (isFirst && isOtherInstance(opening, event)) {
        host.byTime = true;
        return;
      }
      const hole = isFirst ? holeBefore(opening, host, event, context.clock.now()) : undefined;
      isFirst = false;
      if (hole !== undefined) yield { hole };
      if (event.seq === highest) continue;
      if (event.seq !== undefined && event.seq < highest) {
        // Out of order, or again: what came before is known by its id.
        yield { event };
        continue;
      }
      highest = event.seq ?? highest;
      host.last = { seq: event.seq, time: event.time, since: hole?.to ?? host.last?.since ?? event.time };
      host.byTime = event.seq === undefined || host.wire === 'old';
      yield { event };
    }
  }
}

interface Opening {
  readonly last: HostCursor | undefined;
  readonly byTime: boolean;
  readonly isHealed: boolean;
  /** The host said that it does not go back as far as it was asked to. */
  isClamped: boolean;
}

/** A host that is asked for a `seq` begins with that event. If it does not, another instance may answer under the name. */
const isOtherInstance = ({ last, byTime, isHealed }: Opening, { seq = 0, time }: JetEvent): boolean => {
  if (byTime || last?.seq === undefined) return false;
  return isHealed ? seq < last.seq || time < last.time : seq !== last.seq || time !== last.time;
};

function holeBefore({ last, isClamped }: Opening, { wire }: Host, { time }: JetEvent, now: Date) {
  if (last === undefined || time <= last.time) return undefined;
  const isForgotten = wire === 'old' && last.time < now.getTime() * 1_000 - OLD_WINDOW;
  return isClamped || isForgotten ? { from: last.time, to: time } : undefined;
}

function addressOf({ url, wire, dids, last, byTime, dictionary }: Host): string {
  const address = new URL(url);
  const { searchParams } = address;
  if (wire === 'old') {
    address.pathname = OLD_PATH;
    searchParams.append('wantedCollections', POSTS);
    for (const did of dids) searchParams.append('wantedDids', did);
  } else {
    address.pathname = EVENTS_PATH;
    for (const kind of ['commit', 'account']) searchParams.append('kinds', kind);
    searchParams.append('collections', POSTS);
    for (const did of dids) searchParams.append('dids', did);
    if (dictionary !== undefined) searchParams.set('zstdDictionary', String(dictionary.id));
  }
  if (last !== undefined) searchParams.set('cursor', String(byTime ? last.time - OVERLAP : last.seq));
  return address.href;
}

/** The whole network is never silent for this long. */
const NEXT_WITHIN = 600_000_000;

/**
 * Reads what a host no longer has in its window from its archive: from the last event that was taken to the end of the
 * archive, where the live stream goes on. A counter of another instance must not be taken for this one's: the archive has to
 * have the last event, or one that was witnessed right after it.
 */
async function* healHost(context: SourceContext, host: Host, archive: ArchiveHost): AsyncIterable<HostItem> {
  const began = host.last!;
  const afterSeq = began.seq!;
  let tip = afterSeq;
  let isSure = false;
  context.live();
  try {
    for await (const batch of readArchive(context, archive, afterSeq - 1)) {
      if (!isSure && !isSameCounter(began, batch.rows, archive)) return giveUp(context, host, 'counts otherwise');
      isSure = true;
      tip = batch.tip;
      for (const { seq, time, event } of batch.rows) {
        if (seq <= afterSeq) continue;
        host.last = { seq, time, since: began.since };
        if (event !== undefined) yield { event };
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveRefusedError)) throw error;
    return giveUp(context, host, 'does not accept the key');
  }
  if (!isSure) return giveUp(context, host, 'has nothing of that time');
  host.last = { seq: Math.max(tip, host.last!.seq!), time: host.last!.time, since: began.since };
  host.isHealed = true;
  yield { healed: { from: began.time, to: host.last.time } };
}

function isSameCounter({ seq, time }: HostCursor, rows: readonly ArchiveRow[], { dids = [] }: ArchiveHost): boolean {
  const [first] = rows;
  if (first === undefined) return false;
  if (first.seq === seq) return first.time === time;
  return dids.length === 0 && first.time >= time && first.time - time <= NEXT_WITHIN;
}

/** The next connection begins at a time: what is missing becomes a hole. */
function giveUp({ trouble }: SourceContext, host: Host, why: string): void {
  trouble(`The archive of ${hostOf(host.url)} ${why}: older events than those of its window are missing.`);
  host.byTime = true;
}
