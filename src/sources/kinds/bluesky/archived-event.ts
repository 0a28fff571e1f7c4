/**
 * An event of the archive, as the live stream would have it. What a reader may never ask for is made when it is asked for: most
 * of its strings, the id of the record, which is a digest of its bytes, and the original.
 */
import { hash } from 'node:crypto';
import { base32 } from './cbor.ts';
import { accountIn, EVENT_TYPE, type JetAccount, type JetCommit, type JetEvent, textRecordIn } from './wire.ts';

/** The places in a block at which the texts of a row begin, or end. */
export interface TextPlaces {
  readonly collection: number;
  readonly did: number;
  readonly rkey: number;
  readonly rev: number;
  readonly event: number;
}

export interface RowFields {
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

export class ArchivedEvent implements JetEvent {
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
