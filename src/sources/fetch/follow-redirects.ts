/** One request with its redirects, each checked before it is followed. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { request as httpRequest, limitInterimAnswers } from '../../base/node-http.ts';
import { parseUrl } from '../../base/parse-url.ts';
import { type ReachPolicy, Trip } from './reach.ts';
import { connectionError, hostOf, SourceError } from './source-error.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOVED: ReadonlySet<number> = new Set([301, 308]);

/** Callbacks on the way of a request. */
export interface Checkpoints {
  /** Awaited before a redirect is followed. */
  readonly onRedirect?: ((url: string) => Promise<void>) | undefined;
  /** Called when a connection stands, right before anything is sent. What it throws ends the request. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface Departure extends Checkpoints {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers that are for the first origin alone, beside those that always are. */
  readonly secrets?: readonly string[];
  readonly signal: AbortSignal;
  /** The body of a POST; without it the request is a GET. */
  readonly body?: string | undefined;
  readonly policy: ReachPolicy;
  /** The certificates that are trusted. */
  readonly trust: () => SecureContext;
}

/** The answer, and the URL that it came from in the end. */
export interface Landing {
  readonly url: string;
  /** A redirect on the way holds for now only. */
  readonly isDetour: boolean;
  readonly answer: IncomingMessage;
}

export async function fetchFollowing(departure: Departure): Promise<Landing> {
  const trip = new Trip(departure.policy);
  let { url, headers } = departure;
  let isDetour = false;
  for (let redirects = 0; ; redirects++) {
    const answer = await open({ ...departure, url, headers }, trip);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.statusCode ?? 0) || location === undefined) return { url, isDetour, answer };
    answer.destroy();
    isDetour ||= !MOVED.has(answer.statusCode ?? 0);
    if (redirects === MAX_REDIRECTS)
      throw new SourceError(`${hostOf(departure.url)} redirects more than ${MAX_REDIRECTS} times.`);
    const next = parseUrl(location, url);
    if (next === null || !/^https?:$/.test(next.protocol))
      throw new SourceError(`${hostOf(url)} redirects to an address that is not http or https.`);
    if (next.origin !== new URL(url).origin) headers = withoutSecrets(headers, departure.secrets);
    url = next.href;
    await departure.onRedirect?.(url);
  }
}

/** Secrets for one host are not sent to another. */
function withoutSecrets(headers: Departure['headers'], given: readonly string[] = []): Departure['headers'] {
  const secrets = new Set(['authorization', 'cookie', ...given.map((name) => name.toLowerCase())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secrets.has(name.toLowerCase())));
}

function open({ url, headers, signal, body, beforeSend, trust }: Departure, trip: Trip): Promise<IncomingMessage> {
  const target = new URL(url);
  return new Promise((resolve, reject) => {
    trip.checkLiteral(url);
    const method = body === undefined ? 'GET' : 'POST';
    const isSecure = target.protocol === 'https:';
    const options: Pick<ConnectionOptions, 'secureContext'> & RequestOptions = {
      method,
      headers,
      signal,
      lookup: trip.lookupFor(url),
      agent: false,
      ...(isSecure && { secureContext: trust() }),
    };
    const request = (isSecure ? httpsRequest : httpRequest)(target, options);
    limitInterimAnswers(request);
    request.once('response', resolve);
    // Without this listener Node ends the connection silently: neither an answer nor an error would come.
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(new SourceError(`${hostOf(url)} answered ${statusCode}.`));
    });
    request.on('error', (error) => reject(connectionError(error, url)));
    if (beforeSend === undefined) request.end(body);
    else sendWhenConnected(request, target, () => request.end(body), beforeSend);
  });
}

/** A process may stand still while it connects: it asks whether it may still send at the last moment. */
function sendWhenConnected(request: ClientRequest, { protocol }: URL, send: () => void, beforeSend: () => void): void {
  request.once('socket', (socket) =>
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      try {
        beforeSend();
        send();
      } catch (error) {
        request.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    }),
  );
}
