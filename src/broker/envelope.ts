/**
 * A pack on the wire: a line of JSON with the account and the subject of the answer, then the events as they came. A pack
 * that is too large for a message is compressed; text shrinks to a fraction of its size.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isPlatform } from '../domain/platform.ts';
import { BrokerError, type Pack } from './broker.ts';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

const NEWLINE = 0x0a;
/** The most bytes of an opened pack: more than any push has. */
const MOST_BYTES = 32 * 1024 * 1024;

export interface Envelope {
  readonly pack: Pack;
  /** The subject on which the sender waits. */
  readonly answerTo: string;
}

interface Head {
  readonly platform: string;
  readonly accountId?: string;
  readonly source?: string;
  readonly whole?: true;
  readonly answerTo: string;
  readonly deflated?: true;
}

export async function sealed({ pack, answerTo }: Envelope, mostBytes: number): Promise<Uint8Array> {
  const { platform, accountId, source, lines, isWhole } = pack;
  const head: Head = {
    platform,
    answerTo,
    ...(accountId !== undefined && { accountId }),
    ...(source !== undefined && { source }),
    ...(isWhole === true && { whole: true }),
  };
  const plain = message(head, lines);
  if (plain.length <= mostBytes) return plain;
  const small = message({ ...head, deflated: true }, await deflated(lines));
  if (small.length <= mostBytes) return small;
  throw new BrokerError('too-large', `it is larger than the ${mostBytes} bytes that the broker accepts`);
}

const message = (head: Head, body: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);

/** Throws when the message is not one of our packs. */
export async function opened(data: Uint8Array): Promise<Envelope> {
  const end = data.indexOf(NEWLINE);
  const head = JSON.parse(Buffer.from(data.subarray(0, end)).toString()) as Head;
  const { platform, accountId, source, answerTo } = head;
  if (!isPlatform(platform) || typeof answerTo !== 'string') throw new Error('It is not a pack of events.');
  const body = data.subarray(end + 1);
  const lines = head.deflated ? await inflated(body, { maxOutputLength: MOST_BYTES }) : body;
  return { pack: { platform, accountId, source, lines, ...(head.whole && { isWhole: true }) }, answerTo };
}
