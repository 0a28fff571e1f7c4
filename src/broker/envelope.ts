/**
 * A pack on the wire: a line of JSON that says whose it is and where the answer goes, then the events as they came. What
 * a message cannot hold is compressed; text shrinks to a fraction of itself.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isPlatform } from '../domain/platform.ts';
import { BrokerError, type Pack } from './broker.ts';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

const NEWLINE = 0x0a;
/** No pack is larger when it is opened: a push has fewer bytes. */
const MOST_BYTES = 32 * 1024 * 1024;

export interface Envelope {
  readonly pack: Pack;
  /** The subject on which the sender waits. */
  readonly answerTo: string;
}

interface Head {
  readonly platform: string;
  readonly accountId?: string;
  readonly answerTo: string;
  readonly deflated?: true;
}

export async function sealed({ pack, answerTo }: Envelope, mostBytes: number): Promise<Uint8Array> {
  const { platform, accountId, lines } = pack;
  const head: Head = { platform, answerTo, ...(accountId !== undefined && { accountId }) };
  const plain = message(head, lines);
  if (plain.length <= mostBytes) return plain;
  const small = message({ ...head, deflated: true }, await deflated(lines));
  if (small.length <= mostBytes) return small;
  throw new BrokerError('too-large', `it is larger than the broker takes, which is ${mostBytes} bytes`);
}

const message = (head: Head, body: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);

/** Throws when it is none of ours. */
export async function opened(data: Uint8Array): Promise<Envelope> {
  const end = data.indexOf(NEWLINE);
  const head = JSON.parse(Buffer.from(data.subarray(0, end)).toString()) as Head;
  const { platform, accountId, answerTo } = head;
  if (!isPlatform(platform) || typeof answerTo !== 'string') throw new Error('It is not a pack of events.');
  const body = data.subarray(end + 1);
  const lines = head.deflated ? await inflated(body, { maxOutputLength: MOST_BYTES }) : body;
  return { pack: { platform, accountId, lines }, answerTo };
}
