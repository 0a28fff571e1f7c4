/**
 * An event of the archive, as the live stream would have it. What a reader may never ask for is made when it is asked for: the
 * id of the record, which is a digest of its bytes, and the original.
 */
import { hash } from 'node:crypto';
import { base32 } from './cbor.ts';
import { accountIn, type Commit, EVENT_TYPE, type JetAccount, type JetEvent, textRecordIn } from './wire.ts';

/** As its row has it. */
export interface ArchivedFields {
  readonly seq: number;
  /** In microseconds. */
  readonly time: number;
  readonly did: string;
  /** Undefined for what happened to an account. */
  readonly operation: string | undefined;
  readonly collection: string;
  readonly rkey: string;
  readonly rev: string;
  /** What is decoded of the bytes; undefined where there are none, or they are broken. */
  readonly record: unknown;
  readonly bytes: () => Buffer;
}

export class ArchivedEvent implements JetEvent {
  readonly isArchived = true;
  readonly did: string;
  readonly seq: number;
  readonly time: number;
  readonly commit: Commit | undefined;
  readonly account: JetAccount | undefined;
  readonly #fields: ArchivedFields;

  constructor(fields: ArchivedFields) {
    this.did = fields.did;
    this.seq = fields.seq;
    this.time = fields.time;
    this.commit = fields.operation === undefined ? undefined : new ArchivedCommit(fields, fields.operation);
    this.account = fields.operation === undefined ? accountIn(fields.record) : undefined;
    this.#fields = fields;
  }

  get original(): object {
    const { seq, did, time, operation, collection, rkey, rev, record } = this.#fields;
    const head = { seq, did, time: timeText(time) };
    if (operation === undefined) return { $type: `${EVENT_TYPE}#account`, ...head, account: record };
    const { cid } = this.commit!;
    return {
      $type: `${EVENT_TYPE}#commit`,
      ...head,
      rev,
      operation,
      collection,
      rkey,
      ...(cid !== undefined && { cid, record }),
    };
  }
}

class ArchivedCommit implements Commit {
  readonly operation: string;
  readonly collection: string;
  readonly rkey: string;
  readonly rev: string;
  readonly record: Commit['record'];
  readonly #bytes: () => Buffer;
  #cid: string | undefined;

  constructor({ collection, rkey, rev, record, bytes }: ArchivedFields, operation: string) {
    this.operation = operation;
    this.collection = collection;
    this.rkey = rkey;
    this.rev = rev;
    this.record = operation === 'delete' ? undefined : textRecordIn(record);
    this.#bytes = bytes;
  }

  /** A record is known by the digest of its bytes (CID version 1, DAG-CBOR, SHA-256): the archive leaves it out. */
  get cid(): string | undefined {
    if (this.operation !== 'delete') this.#cid ??= cidOf(this.#bytes());
    return this.#cid;
  }
}

function cidOf(bytes: Buffer): string {
  const digest = hash('sha256', bytes, 'buffer');
  return `b${base32(Buffer.concat([CID_START, digest]))}`;
}
const CID_START = Buffer.from([0x01, 0x71, 0x12, 0x20]);

const timeText = (micros: number): string =>
  new Date(Math.floor(micros / 1_000)).toISOString().replace('Z', `${String(micros % 1_000).padStart(3, '0')}Z`);
