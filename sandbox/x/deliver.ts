/** One request to the webhook of a client: a challenge, or a signed delivery, with the faults that concern a single one. */
import { createHmac, randomBytes } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { recordIn } from '../../src/base/json.ts';
import type { Context } from '../context.ts';
import { jsonOf } from '../http.ts';

/** X waits this long for an answer. */
const ANSWER_MS = 10_000;

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const signatureOf = (secret: string, content: string): string =>
  `sha256=${createHmac('sha256', secret).update(content).digest('base64')}`;

/** Whether the endpoint knows the secret. */
export async function isAnswered(context: Context, url: string, secret: string): Promise<boolean> {
  const token = randomBytes(24).toString('base64url');
  const target = new URL(url);
  target.searchParams.set('crc_token', token);
  const answer = await send(context, target, (call) => call.end(), { method: 'GET' });
  const given = recordIn(jsonOf(answer?.text ?? ''))?.['response_token'];
  return answer?.status === 200 && given === signatureOf(secret, token);
}

/** Whether the delivery was acknowledged, as far as X hears of it. */
export async function deliver(context: Context, url: string, secret: string, message: object): Promise<boolean> {
  const { faults } = context;
  const body = JSON.stringify(message);
  const isForged = faults.take('X37') !== undefined;
  const isCut = faults.take('X36') !== undefined;
  const isLost = faults.take('X40') !== undefined;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-twitter-webhooks-signature': signatureOf(isForged ? `not ${secret}` : secret, body),
  };
  const write = (call: ClientRequest): void => {
    if (!isCut) return void call.end(body);
    // The written part is on its way before the socket is destroyed.
    call.write(body.slice(0, body.length / 2), () => setImmediate(() => call.destroy()));
  };
  const answer = await send(context, new URL(url), write, { method: 'POST', headers });
  return answer?.status === 200 && !isLost;
}

interface Options {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** Returns undefined if no answer came. */
async function send(
  { clock, signal }: Context,
  url: URL,
  write: (call: ClientRequest) => void,
  options: Options,
): Promise<Answered | undefined> {
  const ended = new AbortController();
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const call = open(url, { ...options, agent: false });
  void clock.sleep(ANSWER_MS, AbortSignal.any([signal, ended.signal])).then(() => call.destroy());
  try {
    return await new Promise<Answered | undefined>((resolve) => {
      call.on('error', () => resolve(undefined));
      call.once('close', () => resolve(undefined));
      call.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('error', () => resolve(undefined));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      write(call);
    });
  } finally {
    ended.abort();
  }
}
