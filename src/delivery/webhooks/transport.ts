/**
 * The seam between a delivery and the protocols: a transport takes the prepared request and tells what came of it. Which
 * transport that is follows from the scheme of the address; no transport knows formats, and no format knows sockets.
 */
import type { Clock } from '../../base/clock.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Sent } from './outcome.ts';

export interface WebhookRequest {
  readonly url: string;
  /** The HTTP method; POST when it is left out. */
  readonly method?: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent instead of the body, where that is not the text itself. */
  readonly bytes?: Uint8Array;
  /** The delivery: the same at every attempt. */
  readonly id?: string;
  /** The owner's credential, for transports that sign in themselves. */
  readonly credential?: string | undefined;
  readonly webhook?: Pick<Webhook, 'id' | 'accountId' | 'confirmedUrl'>;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/** One attempt. It never rejects. */
export type Send = (request: WebhookRequest) => Promise<Sent>;

export const failedToSend = (error: string, { overloaded = false } = {}): Sent => ({
  statusCode: undefined,
  error,
  response: '',
  overloaded,
  retryAfter: undefined,
});

/** The attempt failed, and another one would fail too. */
export const refusedForGood = (error: string, response = ''): Sent => ({
  ...failedToSend(error),
  response,
  givesUp: true,
});

/** `https:` of `https://example.com/`. */
export const schemeOf = (url: string): string => url.slice(0, url.indexOf(':') + 1).toLowerCase();

/** Picks the transport by the scheme of the address. */
export function sendByScheme(transports: Readonly<Record<string, Send>>): Send {
  return async (request) => {
    const scheme = schemeOf(request.url);
    const send = Object.hasOwn(transports, scheme) ? transports[scheme] : undefined;
    return send === undefined ? failedToSend(`This server sends nothing to ${scheme} addresses.`) : send(request);
  };
}

/** An attempt that has to end: in time, and when the process stops. */

/** The signal aborts as soon as nothing waits for the attempt any more. */
export async function withinTime(
  clock: Clock,
  milliseconds: number,
  stopping: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<Sent>,
): Promise<Sent> {
  const ended = new AbortController();
  const late = clock
    .sleep(milliseconds, ended.signal)
    .then(() => failedToSend(`The receiver took longer than ${milliseconds / 1_000} seconds.`, { overloaded: true }));
  const stopped = new Promise<Sent>((resolve) => {
    const stop = () => resolve(failedToSend('The attempt was aborted.'));
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop, { once: true, signal: ended.signal });
  });
  const sent = await Promise.race([attempt(ended.signal), late, stopped]);
  ended.abort();
  return sent;
}
