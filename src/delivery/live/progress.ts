/** How far a subscriber has come, and the two ways it gets further: along the ring, or from the store. */
import type { Match } from '../../domain/match.ts';
import type { FrameCache, NextFrame } from './frames.ts';
import { filterKey, isWanted, type MatchFilter } from './match-log.ts';
import type { OutletWriter } from './outlet.ts';
import type { LiveFrame, Ring } from './ring.ts';
import type { GatedFrame, WakeGate } from './wake-gate.ts';

/** The frames that all subscribers of an account share. */
export interface SharedFrames {
  /** It is undefined until the store's latest position is known. */
  ring: Ring | undefined;
  /** For subscribers that are not in step with the ring. */
  readonly cache: FrameCache;
  /** Changes when a match was deleted: a page that was read before may hold it. */
  epoch: number;
}

export interface StreamProgress {
  /** Everything up to this position was heard. */
  position: number;
  /** The number of the next frame of the ring; undefined while the subscriber catches up from the store. */
  next: number | undefined;
}

export interface RingReading {
  readonly progress: StreamProgress;
  readonly writer: OutletWriter;
  readonly shared: SharedFrames;
  readonly filter: MatchFilter;
  /** Only a stream with a wake contract has a gate. */
  readonly gate?: WakeGate | undefined;
}

export interface StoreReading extends RingReading {
  readPage(after: number): Promise<{ readonly matches: readonly Match[]; readonly last: number }>;
  frameOf(match: Match): Buffer;
}

/** Frames written from the cache before other subscribers get their turn. */
const CACHED_AT_ONCE = 32;

/** The store may be ahead of the ring: a match that was read from the store comes again in the ring. */
export const wasHeard = ({ position }: StreamProgress, frame: LiveFrame): boolean =>
  frame.isGap !== true && frame.position <= position;

/** Writes frames of the ring while the connection takes them. `lost`: the next frame has left the ring. */
export function walkRing(reading: RingReading): 'done' | 'lost' {
  const { progress, writer, shared, filter } = reading;
  const { ring } = shared;
  while (progress.next !== undefined && ring !== undefined && progress.next < ring.next && writer.isReady) {
    const frame = ring.at(progress.next);
    if (frame === undefined) {
      progress.next = undefined;
      return 'lost';
    }
    progress.next++;
    const isNew = !wasHeard(progress, frame);
    progress.position = Math.max(progress.position, frame.position);
    if (isNew && isWanted(filter, frame)) send(reading, frame);
  }
  return 'done';
}

/** Writes frames that others have cached, or else a page of the store, which it caches for others. */
export async function catchUpStep(reading: StoreReading): Promise<void> {
  const { progress, writer, shared, filter, readPage, frameOf } = reading;
  if (writer.isClosed || writeCached(reading) > 0) return;
  const { epoch } = shared;
  const page = await readPage(progress.position);
  // The page may hold a match that was deleted while it was read.
  if (shared.epoch !== epoch) return;
  const key = filterKey(filter);
  let after = progress.position;
  for (const match of page.matches) {
    const frame = { position: match.position, bytes: frameOf(match) };
    shared.cache.put(key, after, frame);
    after = frame.position;
    if (writer.isReady) writeNext(reading, frame);
  }
  if (progress.position === after) progress.position = page.last;
}

/** Answers how many frames it wrote. */
function writeCached(reading: RingReading): number {
  const { progress, writer, shared, filter } = reading;
  const key = filterKey(filter);
  for (let written = 0; written < CACHED_AT_ONCE; written++) {
    const frame = writer.isReady ? shared.cache.next(key, progress.position) : undefined;
    if (frame === undefined) return written;
    writeNext(reading, frame);
  }
  return CACHED_AT_ONCE;
}

function writeNext(reading: RingReading, frame: NextFrame): void {
  reading.progress.position = frame.position;
  send(reading, frame);
}

function send({ writer, gate }: RingReading, frame: GatedFrame): void {
  const bytes = gate === undefined ? frame.bytes : gate.pass(frame);
  if (bytes !== undefined) writer.write(bytes);
}
