/** A block of Jetstream's archive: columns of many events, packed as one zstd frame. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { base32, CborError, readCbor } from './cbor.ts';
import { EVENT_TYPE, type JetEvent, readPayload } from './wire.ts';

/** A block that unpacks to more is refused: one of the real ones has a few megabytes. */
const MAX_BLOCK = 128 * 1024 * 1024;
/** Bytes that the columns take for each event, without the texts. */
const ROW = 8 + 8 + 8 + 1 + 1 + 2 + 1 + 1 + 4;

const OPERATIONS: Readonly<Record<number, string>> = { 1: 'create', 2: 'update', 3: 'delete', 7: 'create' };
const ACCOUNT = 5;

const unpack = promisify(zlib.zstdDecompress ?? zlib.unzip);

export interface ArchiveRow {
  readonly seq: number;
  /** In microseconds. */
  readonly time: number;
  /** Undefined when it is not of these collections, or cannot be read. */
  readonly event: JetEvent | undefined;
}

/** Throws when it is no block. */
export async function unpackBlock(frame: Uint8Array): Promise<Buffer> {
  return unpack(frame, { maxOutputLength: MAX_BLOCK });
}

/** The events of an unpacked block, one at a time: decoding all of them takes a while. Throws when it is no block. */
export const rowsOfBlock = (block: Buffer, collection: string): Iterable<ArchiveRow> =>
  rowsIn(block, columnsOf(block), collection);

function* rowsIn(block: Buffer, columns: ReturnType<typeof columnsOf>, collection: string): Generator<ArchiveRow> {
  const { count } = columns;
  const at = { ...columns.texts };
  for (let index = 0; index < count; index++) {
    const kind = block[columns.kind + index]!;
    const lengths = {
      collection: block[columns.collectionLength + index]!,
      did: block.readUInt16LE(columns.didLength + 2 * index),
      rkey: block[columns.rkeyLength + index]!,
      rev: block[columns.revLength + index]!,
      event: block.readUInt32LE(columns.eventLength + 4 * index),
    };
    const seq = Number(block.readBigUInt64LE(8 * index + 4));
    const time = Number(block.readBigInt64LE(columns.witnessed + 8 * index));
    const isWanted =
      kind === ACCOUNT || (kind in OPERATIONS && isText(block, at.collection, lengths.collection, collection));
    yield { seq, time, event: isWanted ? eventAt(block, { kind, seq, time, at, lengths }) : undefined };
    at.collection += lengths.collection;
    at.did += lengths.did;
    at.rkey += lengths.rkey;
    at.rev += lengths.rev;
    at.event += lengths.event;
  }
}

const isText = (block: Buffer, at: number, length: number, text: string): boolean =>
  length === text.length && block.toString('latin1', at, at + length) === text;

interface TextPlaces {
  readonly collection: number;
  readonly did: number;
  readonly rkey: number;
  readonly rev: number;
  readonly event: number;
}

interface Place {
  readonly kind: number;
  readonly seq: number;
  readonly time: number;
  readonly at: TextPlaces;
  readonly lengths: TextPlaces;
}

/** As the live stream has it, so that one reader serves both. */
function eventAt(block: Buffer, { kind, seq, time, at, lengths }: Place): JetEvent | undefined {
  const text = (name: 'collection' | 'did' | 'rkey' | 'rev') =>
    block.toString('utf8', at[name], at[name] + lengths[name]);
  const bytes = block.subarray(at.event, at.event + lengths.event);
  const head = { seq, did: text('did'), time: timeText(time) };
  const record = recordOf(bytes);
  if (kind === ACCOUNT) return read({ $type: `${EVENT_TYPE}#account`, ...head, account: record });
  const operation = OPERATIONS[kind]!;
  const isDeletion = operation === 'delete';
  return read({
    $type: `${EVENT_TYPE}#commit`,
    ...head,
    rev: text('rev'),
    operation,
    collection: text('collection'),
    rkey: text('rkey'),
    ...(!isDeletion && { cid: cidOf(bytes), record }),
  });
}

function read(payload: object): JetEvent | undefined {
  const frame = readPayload(payload);
  return frame?.is === 'event' ? frame.event : undefined;
}

function recordOf(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return readCbor(bytes);
  } catch (error) {
    if (error instanceof CborError) return undefined;
    throw error;
  }
}

/** A record is known by the digest of its bytes (CID version 1, DAG-CBOR, SHA-256): the archive leaves it out. */
function cidOf(bytes: Buffer): string {
  const digest = hash('sha256', bytes, 'buffer');
  return `b${base32(Buffer.concat([CID_START, digest]))}`;
}
const CID_START = Buffer.from([0x01, 0x71, 0x12, 0x20]);

const timeText = (micros: number): string =>
  new Date(Math.floor(micros / 1_000)).toISOString().replace('Z', `${String(micros % 1_000).padStart(3, '0')}Z`);

/** Where each column begins. Throws when the columns or the texts do not fill the block. */
function columnsOf(block: Buffer) {
  const count = block.length < 4 ? 0 : block.readUInt32LE(0);
  if (block.length < 4 || count * ROW > block.length - 4) throw new RangeError('it is no block of events');
  let at = 4;
  const take = (bytes: number): number => {
    at += bytes * count;
    return at - bytes * count;
  };
  take(8);
  const witnessed = take(8);
  take(8);
  const kind = take(1);
  const collectionLength = take(1);
  const didLength = take(2);
  const rkeyLength = take(1);
  const revLength = take(1);
  const eventLength = take(4);
  const sums = { collection: 0, did: 0, rkey: 0, rev: 0, event: 0 };
  for (let index = 0; index < count; index++) {
    sums.collection += block[collectionLength + index]!;
    sums.did += block.readUInt16LE(didLength + 2 * index);
    sums.rkey += block[rkeyLength + index]!;
    sums.rev += block[revLength + index]!;
    sums.event += block.readUInt32LE(eventLength + 4 * index);
  }
  const did = at + sums.collection;
  const rkey = did + sums.did;
  const rev = rkey + sums.rkey;
  const texts: TextPlaces = { collection: at, did, rkey, rev, event: rev + sums.rev };
  if (texts.event + sums.event !== block.length) throw new RangeError('its texts do not fill it');
  return { count, witnessed, kind, collectionLength, didLength, rkeyLength, revLength, eventLength, texts };
}
