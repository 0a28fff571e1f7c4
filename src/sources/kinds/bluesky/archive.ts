/**
 * Jetstream's archive, read in the order of `seq` from any place: planned page by page, unpacked block by block. Plans may
 * name too much and never too little, so that what is not asked for is left out here.
 */
import { hostOf, SourceError } from '../../fetch/source-error.ts';
import { type ArchiveRow, rowsOfBlock, unpackBlock } from './archive-block.ts';
import {
  type ArchiveCalls,
  ArchiveChangedError,
  type ArchiveHost,
  fetchBlock,
  fetchPiece,
  MAX_ARCHIVE_FRAME,
  type PlannedSegment,
  planArchive,
} from './archive-client.ts';
import { POSTS } from './wire.ts';

/** Some rows of a block. */
export interface ArchiveBatch {
  readonly rows: readonly ArchiveRow[];
  /** The archive is read up to here. */
  readonly tip: number;
}

/** The part of a block that is decoded at once: it takes a millisecond or two. */
const EVENTS_AT_ONCE = 100;
const ROWS_AT_ONCE = 2_000;
/** Plans in a row that were out of date before anything of them was read. */
const MOST_PLANS = 5;
const HEADER = 256;
const MAGIC = 'jss0';
const BLOCKS_AT = 14;
const PIECE = 4 * 1024 * 1024;

export async function* readArchive(
  calls: ArchiveCalls,
  host: ArchiveHost,
  afterSeq: number,
): AsyncGenerator<ArchiveBatch> {
  let after = afterSeq;
  let tip: number | undefined;
  let stale = 0;
  for (;;) {
    const plan = await planArchive(calls, host, { afterSeq: after, beforeSeq: tip });
    tip ??= plan.sealedTipSeq;
    const started = after;
    try {
      for (const segment of plan.segments)
        for await (const frame of framesOf(calls, host, segment))
          for (const rows of await batchesOf(host, frame, after, tip)) {
            yield { rows, tip };
            after = rows.at(-1)!.seq;
          }
    } catch (error) {
      if (!(error instanceof ArchiveChangedError)) throw error;
      stale = after === started ? stale + 1 : 0;
      if (stale >= MOST_PLANS) throw error;
      continue;
    }
    stale = 0;
    if (plan.plannedThroughSeq >= tip) return;
    if (plan.plannedThroughSeq <= started)
      throw new SourceError(`The archive of ${hostOf(host.url)} plans nothing after seq ${started}.`);
    after = Math.max(after, plan.plannedThroughSeq);
  }
}

async function* framesOf(calls: ArchiveCalls, host: ArchiveHost, segment: PlannedSegment): AsyncIterable<Buffer> {
  if (segment.mode !== 'blocks') return yield* wholeSegment(calls, host, segment);
  for (const { first, last } of segment.blocks)
    for (let index = first; index <= last; index++) yield await fetchBlock(calls, host, segment, index);
}

/** A segment has some 256 MB: it is fetched in pieces. */
async function* wholeSegment(calls: ArchiveCalls, host: ArchiveHost, segment: PlannedSegment): AsyncIterable<Buffer> {
  let held = await fetchPiece(calls, host, segment, { from: 0, length: PIECE });
  let from = held.length;
  const damaged = () => new SourceError(`The archive of ${hostOf(host.url)} has a damaged segment: ${segment.name}.`);
  if (held.length < HEADER || held.toString('latin1', 0, MAGIC.length) !== MAGIC) throw damaged();
  const blocks = held.readUInt32LE(BLOCKS_AT);
  let at = HEADER;
  const holdUntil = async (end: number): Promise<void> => {
    while (held.length < end) {
      const piece = await fetchPiece(calls, host, segment, { from, length: Math.max(PIECE, end - held.length) });
      if (piece.length === 0) throw damaged();
      from += piece.length;
      held = Buffer.concat([held.subarray(at), piece]);
      end -= at;
      at = 0;
    }
  };
  for (let block = 0; block < blocks; block++) {
    await holdUntil(at + 8);
    const length = Number(held.readBigUInt64LE(at));
    if (length > MAX_ARCHIVE_FRAME) throw damaged();
    await holdUntil(at + 8 + length);
    yield held.subarray(at + 8, at + 8 + length);
    at += 8 + length;
  }
}

/** The rows after a place, up to the tip; each batch ends with the last row that was looked at. */
async function batchesOf(
  host: ArchiveHost,
  frame: Buffer,
  after: number,
  tip: number,
): Promise<Iterable<ArchiveRow[]>> {
  try {
    const rows = rowsOfBlock(await unpackBlock(frame), POSTS);
    return batches(rows, { after, tip, dids: new Set(host.dids) });
  } catch (error) {
    throw new SourceError(`The archive of ${hostOf(host.url)} has a damaged block.`, { cause: error });
  }
}

interface Wanted {
  readonly after: number;
  readonly tip: number;
  /** All when there are none. */
  readonly dids: ReadonlySet<string>;
}

function* batches(rows: Iterable<ArchiveRow>, { after, tip, dids }: Wanted): Iterable<ArchiveRow[]> {
  let batch: ArchiveRow[] = [];
  let looked = 0;
  let last: ArchiveRow | undefined;
  for (const row of rows) {
    if (row.seq <= after || row.seq > tip) continue;
    last = row;
    looked++;
    if (row.event !== undefined && (dids.size === 0 || dids.has(row.event.did))) batch.push(row);
    if (batch.length < EVENTS_AT_ONCE && looked < ROWS_AT_ONCE) continue;
    yield withLast(batch, last);
    [batch, looked, last] = [[], 0, undefined];
  }
  if (last !== undefined) yield withLast(batch, last);
}

/** The place that was come to is known also where its row is not asked for. */
const withLast = (batch: ArchiveRow[], last: ArchiveRow): ArchiveRow[] =>
  batch.at(-1) === last ? batch : [...batch, { ...last, event: undefined }];
