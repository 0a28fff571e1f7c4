/** The two wires of Jetstream: frames of `subscribeEvents` and those of the older `/subscribe`, read into one shape. */
import { z } from 'zod';
import { jsonOf } from '../../text/json.ts';

export const POSTS = 'app.bsky.feed.post';
export const EVENT_TYPE = 'network.bsky.jetstream.subscribeEvents';
export const EVENTS_PATH = `/xrpc/${EVENT_TYPE}`;
export const OLD_PATH = '/subscribe';

const recordShape = z.looseObject({
  text: z.string(),
  createdAt: z.string().optional().catch(undefined),
  langs: z.array(z.unknown()).optional().catch(undefined),
});

const commitShape = z.object({
  operation: z.string(),
  collection: z.string(),
  rkey: z.string(),
  rev: z.string().optional(),
  cid: z.string().optional(),
  record: recordShape.optional().catch(undefined),
});
const accountShape = z.object({ status: z.string().optional() });

export interface JetEvent {
  readonly did: string;
  /** The host's own counter; hosts of the old fleet have none. */
  readonly seq: number | undefined;
  /** When the host witnessed it, in microseconds. */
  readonly time: number;
  readonly commit?: z.output<typeof commitShape> | undefined;
  readonly account?: z.output<typeof accountShape> | undefined;
  readonly original: object;
  /** It came from the archive, which leaves out what was superseded: hosts are not judged by it. */
  readonly isArchived?: boolean;
}

/** A frame is an event, a notice, or the error that ends the connection. */
export type Frame =
  | { readonly is: 'event'; readonly event: JetEvent }
  | { readonly is: 'info'; readonly name: string; readonly message: string }
  | { readonly is: 'error'; readonly name: string; readonly message: string };

const seqShape = z.number().int().positive();
const oldShape = z.looseObject({
  did: z.string(),
  time_us: z.number().int().positive(),
  cursor: seqShape.optional().catch(undefined),
  kind: z.string(),
  commit: commitShape.optional().catch(undefined),
  account: accountShape.optional().catch(undefined),
});
const payloadShape = z.looseObject({ $type: z.string(), seq: seqShape, did: z.string(), time: z.string() });
const infoShape = z.object({ $type: z.string().endsWith('#info'), name: z.string(), message: z.string().default('') });
const errorShape = z.object({ $type: z.literal('error'), error: z.string(), message: z.string().default('') });
const envelopeShape = z.object({ $type: z.literal('message'), payload: z.unknown() });

/** Undefined when it cannot be read. */
export function readFrame(text: string): Frame | undefined {
  const json = jsonOf(text);
  const envelope = envelopeShape.safeParse(json).data;
  if (envelope !== undefined) return readPayload(envelope.payload);
  const error = errorShape.safeParse(json).data;
  if (error !== undefined) return { is: 'error', name: error.error, message: error.message };
  const old = oldShape.safeParse(json).data;
  if (old === undefined) return undefined;
  const { did, time_us, cursor, kind, commit, account } = old;
  if (kind === 'commit' && commit === undefined) return undefined;
  return { is: 'event', event: { did, seq: cursor, time: time_us, commit, account, original: old } };
}

/** What the live stream has in a frame, and the archive in a row. */
export function readPayload(given: unknown): Frame | undefined {
  const info = infoShape.safeParse(given).data;
  if (info !== undefined) return { is: 'info', name: info.name, message: info.message };
  const payload = payloadShape.safeParse(given).data;
  const time = payload && microsecondsOf(payload.time);
  if (payload === undefined || time === undefined) return undefined;
  const { seq, did, $type } = payload;
  const isCommit = $type.endsWith('#commit');
  const commit = isCommit ? commitShape.safeParse(payload).data : undefined;
  if (isCommit && commit === undefined) return undefined;
  const account = $type.endsWith('#account') ? accountShape.safeParse(payload['account']).data : undefined;
  return { is: 'event', event: { did, seq, time, commit, account, original: payload } };
}

/** Of a time with up to six fractional digits. */
function microsecondsOf(text: string): number | undefined {
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
