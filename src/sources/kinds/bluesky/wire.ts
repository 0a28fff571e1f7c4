/** The two wires of Jetstream: frames of `subscribeEvents` and those of the older `/subscribe`, read into one shape. */
import { type JsonRecord, recordIn } from '../../../base/json.ts';
import { jsonOf } from '../../text/read-items.ts';

export const POSTS = 'app.bsky.feed.post';
export const EVENT_TYPE = 'network.bsky.jetstream.subscribeEvents';
export const EVENTS_PATH = `/xrpc/${EVENT_TYPE}`;
export const OLD_PATH = '/subscribe';

/** A record with a text; its other fields may hold anything. */
export interface TextRecord extends JsonRecord {
  readonly text: string;
}

export interface JetCommit {
  readonly operation: string;
  readonly collection: string;
  readonly rkey: string;
  readonly rev?: string | undefined;
  readonly cid?: string | undefined;
  readonly record?: TextRecord | undefined;
}

export interface JetAccount {
  readonly status?: string | undefined;
}

export interface JetEvent {
  readonly did: string;
  /** The host's own counter; hosts of the old fleet have none. */
  readonly seq: number | undefined;
  /** When the host witnessed it, in microseconds. */
  readonly time: number;
  readonly commit?: JetCommit | undefined;
  readonly account?: JetAccount | undefined;
  readonly original: object;
  /** It came from the archive, which leaves out what was superseded: hosts are not judged by it. */
  readonly isArchived?: boolean;
}

/** A frame is an event, a notice, or the error that ends the connection. */
export type Frame =
  | { readonly is: 'event'; readonly event: JetEvent }
  | { readonly is: 'info'; readonly name: string; readonly message: string }
  | { readonly is: 'error'; readonly name: string; readonly message: string };

/** Returns undefined when it cannot be read. The checks are written by hand: a whole network goes through them. */
export function readFrame(text: string): Frame | undefined {
  const frame = recordIn(jsonOf(text));
  if (frame === undefined) return undefined;
  if (frame['$type'] === 'message') return readPayload(frame['payload']);
  const { error, message = '' } = frame;
  if (frame['$type'] === 'error' && typeof error === 'string' && typeof message === 'string')
    return { is: 'error', name: error, message };
  return readOldFrame(frame);
}

function readOldFrame(frame: JsonRecord): Frame | undefined {
  const { did, time_us: time, cursor, kind } = frame;
  if (typeof did !== 'string' || typeof kind !== 'string' || !isCounter(time)) return undefined;
  const commit = commitIn(frame['commit']);
  if (kind === 'commit' && commit === undefined) return undefined;
  const seq = isCounter(cursor) ? cursor : undefined;
  return { is: 'event', event: { did, seq, time, commit, account: accountIn(frame['account']), original: frame } };
}

/** Reads the payload of a frame of the live stream. */
function readPayload(given: unknown): Frame | undefined {
  const payload = recordIn(given);
  const $type = payload?.['$type'];
  if (payload === undefined || typeof $type !== 'string') return undefined;
  const { name, message = '', seq, did } = payload;
  if ($type.endsWith('#info') && typeof name === 'string' && typeof message === 'string')
    return { is: 'info', name, message };
  const time = microsecondsOf(payload['time']);
  if (!isCounter(seq) || typeof did !== 'string' || time === undefined) return undefined;
  const isCommit = $type.endsWith('#commit');
  const commit = isCommit ? commitIn(payload) : undefined;
  if (isCommit && commit === undefined) return undefined;
  const account = $type.endsWith('#account') ? accountIn(payload['account']) : undefined;
  return { is: 'event', event: { did, seq, time, commit, account, original: payload } };
}

export const isCounter = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

function commitIn(value: unknown): JetCommit | undefined {
  const { operation, collection, rkey, rev, cid, record } = recordIn(value) ?? NOTHING;
  if (typeof operation !== 'string' || typeof collection !== 'string' || typeof rkey !== 'string') return undefined;
  if (!isTextOrAbsent(rev) || !isTextOrAbsent(cid)) return undefined;
  return { operation, collection, rkey, rev, cid, record: textRecordIn(record) };
}

const NOTHING: JsonRecord = {};

export const textRecordIn = (value: unknown): TextRecord | undefined => {
  const record = recordIn(value);
  return hasText(record) ? record : undefined;
};

const hasText = (record: JsonRecord | undefined): record is TextRecord => typeof record?.['text'] === 'string';

export function accountIn(value: unknown): JetAccount | undefined {
  const account = recordIn(value);
  const status = account?.['status'];
  return account !== undefined && isTextOrAbsent(status) ? { status } : undefined;
}

/** The microseconds of a time with up to six fractional digits. */
function microsecondsOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return milliseconds * 1_000 + Number(fraction.padEnd(6, '0').slice(3, 6));
}

const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';

/** When a commit was made, in microseconds: its revision is that time, then ten bits for the clock that made it. */
export function timeOfRevision(rev: string | undefined): number | undefined {
  if (rev?.length !== 13) return undefined;
  let value = 0n;
  for (const digit of rev) {
    const place = TID_DIGITS.indexOf(digit);
    if (place < 0) return undefined;
    value = value * 32n + BigInt(place);
  }
  return Number(value >> 10n);
}
