/** A block of Jetstream's archive: columns of many events, packed as one zstd frame. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { base32, CborError, readCbor } from './cbor.ts';
import {
  accountIn,
  EVENT_TYPE,
  isCounter,
  type JetAccount,
  type JetCommit,
  type JetEvent,
  textRecordIn,
} from './wire.ts';

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
  /** It is undefined for an event of other collections. */
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
  const wanted = Buffer.from(collection);
  let from = columns.texts;
  for (let index = 0; index < columns.count; index++) {
    const to = {
      collection: from.collection + block[columns.collectionLength + index]!,
      did: from.did + block.readUInt16LE(columns.didLength + 2 * index),
      rkey: from.rkey + block[columns.rkeyLength + index]!,
      rev: from.rev + block[columns.revLength + index]!,
      event: from.event + block.readUInt32LE(columns.eventLength + 4 * index),
    };
    const seq = block.readUInt32LE(8 * index + 4) + 2 ** 32 * block.readUInt32LE(8 * index + 8);
    const place = columns.witnessed + 8 * index;
    const time = block.readUInt32LE(place) + 2 ** 32 * block.readInt32LE(place + 4);
    const kind = block[columns.kind + index]!;
    const isWanted = kind === ACCOUNT || (kind in OPERATIONS && isCollection(block, from, to, wanted));
    if (isWanted && !(isCounter(seq) && isCounter(time))) throw new RangeError('an event has no place or no time');
    if (isWanted) {
      const record = recordAt(block, from.event, to.event);
      const operation = OPERATIONS[kind];
      yield { seq, time, event: new ArchivedEvent({ block, from, to, seq, time, operation, collection, record }) };
    } else yield { seq, time, event: undefined };
    from = to;
  }
}

function isCollection(block: Buffer, from: TextPlaces, to: TextPlaces, wanted: Uint8Array): boolean {
  if (to.collection - from.collection !== wanted.length) return false;
  for (let at = 0; at < wanted.length; at++) if (block[from.collection + at] !== wanted[at]) return false;
  return true;
}

function recordAt(block: Buffer, from: number, to: number): unknown {
  if (from === to) return undefined;
  try {
    return readCbor(block, from, to);
  } catch (error) {
    if (error instanceof CborError) return undefined;
    throw error;
  }
}

/** Finds where each column begins. Throws when the columns or the texts do not fill the block. */
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

/** The places in a block at which the texts of a row begin, or end. */
interface TextPlaces {
  readonly collection: number;
  readonly did: number;
  readonly rkey: number;
  readonly rev: number;
  readonly event: number;
}

interface RowFields {
  readonly block: Buffer;
  readonly from: TextPlaces;
  readonly to: TextPlaces;
  readonly seq: number;
  /** In microseconds. */
  readonly time: number;
  /** It is undefined for an event about an account. */
  readonly operation: string | undefined;
  readonly collection: string;
  /** The record decoded from the bytes; undefined when there are none, or they are broken. */
  readonly record: unknown;
}

const textAt = ({ block, from, to }: RowFields, name: keyof TextPlaces): string =>
  block.toString('utf8', from[name], to[name]);

/**
 * An event of the archive, as the live stream would have it. What a reader may never ask for is made when it is asked for: most
 * of its strings, the id of the record, which is a digest of its bytes, and the original.
 */
class ArchivedEvent implements JetEvent {
  readonly isArchived = true;
  readonly seq: number;
  readonly time: number;
  readonly commit: JetCommit | undefined;
  readonly account: JetAccount | undefined;
  readonly #row: RowFields;
  #did: string | undefined;

  constructor(row: RowFields) {
    this.seq = row.seq;
    this.time = row.time;
    this.commit = row.operation === undefined ? undefined : new ArchivedCommit(row, row.operation);
    this.account = row.operation === undefined ? accountIn(row.record) : undefined;
    this.#row = row;
  }

  get did(): string {
    this.#did ??= textAt(this.#row, 'did');
    return this.#did;
  }

  get original(): object {
    const { did, seq, commit } = this;
    const { time, record } = this.#row;
    const head = { seq, did, time: timeText(time) };
    if (commit === undefined) return { $type: `${EVENT_TYPE}#account`, ...head, account: record };
    const { rev, operation, collection, rkey, cid } = commit;
    const what = { $type: `${EVENT_TYPE}#commit`, ...head, rev, operation, collection, rkey };
    return cid === undefined ? what : { ...what, cid, record };
  }
}

class ArchivedCommit implements JetCommit {
  readonly operation: string;
  readonly collection: string;
  readonly record: JetCommit['record'];
  readonly #row: RowFields;
  #rkey: string | undefined;
  #cid: string | undefined;

  constructor(row: RowFields, operation: string) {
    this.operation = operation;
    this.collection = row.collection;
    this.record = operation === 'delete' ? undefined : textRecordIn(row.record);
    this.#row = row;
  }

  get rkey(): string {
    this.#rkey ??= textAt(this.#row, 'rkey');
    return this.#rkey;
  }

  get rev(): string {
    return textAt(this.#row, 'rev');
  }

  /** A record is known by the digest of its bytes (CID version 1, DAG-CBOR, SHA-256): the archive leaves it out. */
  get cid(): string | undefined {
    const { block, from, to } = this.#row;
    if (this.operation !== 'delete') this.#cid ??= cidOf(block.subarray(from.event, to.event));
    return this.#cid;
  }
}

/** Room for the four bytes that every id of a record begins with, and for the digest. */
const CID = Buffer.from([0x01, 0x71, 0x12, 0x20, ...Buffer.alloc(32)]);

function cidOf(bytes: Buffer): string {
  CID.set(hash('sha256', bytes, 'buffer'), 4);
  return `b${base32(CID)}`;
}

const timeText = (micros: number): string =>
  new Date(Math.floor(micros / 1_000)).toISOString().replace('Z', `${String(micros % 1_000).padStart(3, '0')}Z`);
