/**
 * Fetches from servers that are not trusted: http and https only, with limits on bytes (unpacked), on time and on
 * redirects. `reach.ts` decides which addresses may be connected to.
 */
import { lookup } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { trusted } from '../../base/node-http.ts';
import { type Checkpoints, type Departure, fetchFollowing } from './follow-redirects.ts';
import { type ReachPolicy, Trip } from './reach.ts';
import { connectionError, hostOf, SourceError } from './source-error.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface SourceHttp {
  /** The whole answer, with any status. With a `body` it is a POST. */
  get(request: HttpRequest): Promise<HttpAnswer>;
  /** An answer that does not end by itself. Throws when the status is not 200, or it is not of the type that was asked for. */
  stream(request: StreamRequest): Promise<AsyncIterable<Buffer>>;
  /** A WebSocket that is being opened. Throws when the URL names an address that may not be reached. */
  socket(url: string): WebSocket;
}

export interface HttpRequest extends Checkpoints {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  /** JSON to be sent. */
  readonly body?: string;
  /** Headers that go to the origin of the URL alone: no redirect carries them elsewhere. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

export interface StreamRequest extends HttpRequest {
  /** The content type that the answer must have. */
  readonly type: string;
  /** Milliseconds without a byte after which the connection counts as dead. */
  readonly stallMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The URL that the answer came from in the end. */
  readonly url: string;
  /** A redirect on the way holds for now only. */
  readonly isDetour?: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Seconds that the server asks us to stay away. */
  readonly retryAfter: number | undefined;
}

export interface SourceHttpOptions extends Partial<Pick<ReachPolicy, 'allowPrivate' | 'allowNamed' | 'resolve'>> {
  readonly clock: Clock;
  /** How we introduce ourselves. */
  readonly userAgent: string;
  readonly isPublic: ReachPolicy['isPublic'];
  readonly timeoutMs?: number;
}

interface Client {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly policy: ReachPolicy;
  readonly trust: () => SecureContext;
}

const TIMEOUT_MS = 30_000;
const STALL_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Frames above 1 MiB are skipped by their reader; a frame above this ends the connection. */
const MAX_SOCKET_FRAME = 16 * 1024 * 1024;

export function createSourceHttp(options: SourceHttpOptions): SourceHttp {
  const { clock, userAgent, isPublic, allowPrivate = false, allowNamed, resolve = lookup } = options;
  const { timeoutMs = TIMEOUT_MS } = options;
  const client: Client = {
    clock,
    userAgent,
    timeoutMs,
    policy: { isPublic, allowPrivate, allowNamed, resolve },
    trust: trusted(),
  };
  return {
    get: (request) => get(client, request),
    stream: (request) => stream(client, request),
    socket: (url) => socket(client, url),
  };
}

const departureOf = (
  { userAgent, policy, trust }: Client,
  { url, headers, signal, body, secrets, onRedirect, beforeSend }: HttpRequest,
  encodings: string,
): Departure => ({
  url,
  headers: {
    'user-agent': userAgent,
    'accept-encoding': encodings,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
    ...secrets,
  },
  secrets: Object.keys(secrets ?? {}),
  body,
  signal,
  policy,
  trust,
  onRedirect,
  beforeSend,
});

async function get(client: Client, request: HttpRequest): Promise<HttpAnswer> {
  // With reasons: the usual one is an error with a stack, which takes longer than all else here.
  const [late, done] = [new AbortController(), new AbortController()];
  void endLate(client, late, done.signal);
  try {
    return await fetchWhole(client, { ...request, signal: AbortSignal.any([request.signal, late.signal]) });
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new SourceError(`${hostOf(request.url)} did not answer within ${client.timeoutMs / 1_000} seconds.`);
  } finally {
    done.abort('done');
  }
}

/** Ends a request that is not done in time. */
async function endLate({ clock, timeoutMs }: Client, late: AbortController, done: AbortSignal): Promise<void> {
  await clock.sleep(timeoutMs, done);
  if (!done.aborted) late.abort('late');
}

async function fetchWhole(client: Client, request: HttpRequest): Promise<HttpAnswer> {
  const { url, isDetour, answer } = await fetchFollowing(departureOf(client, request, 'gzip, br'));
  const body = await readWhole(answer, request.maxBytes ?? MAX_BYTES, url);
  const { headers, statusCode = 0 } = answer;
  return { status: statusCode, url, isDetour, headers, body, retryAfter: retryAfterOf(headers, client.clock.now()) };
}

async function stream(client: Client, request: StreamRequest): Promise<AsyncIterable<Buffer>> {
  const opened = new AbortController();
  const signal = AbortSignal.any([request.signal, opened.signal]);
  const watchdog = startWatchdog(client.clock, request.stallMs ?? STALL_MS, () => opened.abort());
  try {
    const { url, answer } = await fetchFollowing(departureOf(client, { ...request, signal }, 'identity'));
    if (answer.statusCode !== 200) {
      answer.destroy();
      const retryAfter = retryAfterOf(answer.headers, client.clock.now());
      throw new SourceError(`${hostOf(url)} answered ${answer.statusCode}.`, { retryAfter });
    }
    const type = answer.headers['content-type'] ?? '';
    if (!type.toLowerCase().startsWith(request.type)) {
      answer.destroy();
      throw new SourceError(`${hostOf(url)} answered with ${type || 'no type'} instead of ${request.type}.`);
    }
    return chunksOf(answer, watchdog, hostOf(url));
  } catch (error) {
    watchdog.stop();
    throw watchdog.hasBarked ? new SourceError(`${hostOf(request.url)} did not answer.`) : error;
  }
}

function socket({ userAgent, policy, timeoutMs }: Client, url: string): WebSocket {
  const trip = new Trip(policy);
  trip.checkLiteral(url);
  return new WebSocket(url, {
    headers: { 'user-agent': userAgent },
    lookup: trip.lookupFor(url),
    handshakeTimeout: timeoutMs,
    maxPayload: MAX_SOCKET_FRAME,
    perMessageDeflate: false,
  });
}

async function readWhole(answer: IncomingMessage, maxBytes: number, url: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const body = unpacked(answer);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes) throw new SourceError(`${hostOf(url)} sent more than ${maxBytes} bytes.`);
      parts.push(part);
    }
  } catch (error) {
    if (!isEmpty(answer, error)) throw connectionError(error, url);
  } finally {
    answer.destroy();
    body.destroy();
  }
  return Buffer.concat(parts);
}

function unpacked(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'x-gzip' && encoding !== 'br') return answer;
  const unpacker = encoding === 'br' ? createBrotliDecompress() : createGunzip();
  answer.once('error', (error) => unpacker.destroy(error));
  return answer.pipe(unpacker);
}

/** An unpacker misses the end of what has no body, such as a 304: that is empty, whatever its encoding says. */
const isEmpty = ({ readableDidRead }: IncomingMessage, error: unknown): boolean =>
  !readableDidRead && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';

async function* chunksOf(answer: IncomingMessage, watchdog: Watchdog, host: string): AsyncIterable<Buffer> {
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      watchdog.feed();
      yield chunk;
    }
  } catch (error) {
    throw watchdog.hasBarked
      ? new SourceError(`${host} sent nothing for too long.`, { isSilence: true })
      : connectionError(error, host);
  } finally {
    watchdog.stop();
    answer.destroy();
  }
}

/** The longest time in seconds that a server can keep us away. One that means longer says so again. */
const MOST_AWAY = 24 * 3_600;

/** Seconds that the answer asks for: by `Retry-After`, or by a limit on requests that is used up and when it begins anew. */
function retryAfterOf(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const { 'retry-after': header, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers;
  if (header !== undefined) return secondsUntil(header, now);
  return Number.parseFloat(String(remaining)) === 0 ? secondsUntil(String(reset), now) : undefined;
}

/** The header gives seconds, or a time: as a date, or as seconds since 1970. */
function secondsUntil(header: string, now: Date): number | undefined {
  const number = /^\d{1,10}(\.\d{1,9})?$/.test(header) ? Number(header) : undefined;
  const time = number === undefined ? Date.parse(header) : number * 1_000;
  const isSpan = number !== undefined && number < 1_000_000_000;
  const seconds = isSpan ? number : (time - now.getTime()) / 1_000;
  return seconds >= 0 ? Math.min(seconds, MOST_AWAY) : undefined;
}
