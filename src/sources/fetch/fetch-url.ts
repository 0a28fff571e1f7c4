/**
 * Fetching from strangers: http and https only, so many bytes once unpacked, so much time, so many redirects, each looked
 * at before it is followed. A redirect never leads from a public address into a private network.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { SourceError } from '../source.ts';
import { follow, hostOf, wordsFor } from './redirects.ts';

export interface Http {
  /** The whole answer, whatever its status. */
  get(request: Request): Promise<Answer>;
  /** An answer that does not end by itself. Throws when the status is not 200. */
  stream(request: Request): Promise<AsyncIterable<Buffer>>;
}

export interface Request {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  /** Of `stream`: milliseconds without a byte after which the connection counts as dead. */
  readonly stallMs?: number;
}

export interface Answer {
  readonly status: number;
  /** Where it came from in the end. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Seconds that the server asks us to stay away. */
  readonly retryAfter: number | undefined;
}

export interface HttpOptions {
  readonly clock: Clock;
  /** How we introduce ourselves. */
  readonly userAgent: string;
  /** Whether an address is one of the open network. */
  readonly isPublic: (address: string) => boolean;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const STALL_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

export function createHttp(options: HttpOptions): Http {
  const { clock, userAgent, isPublic, timeoutMs = TIMEOUT_MS } = options;

  const departureOf = ({ url, headers, signal }: Request, encodings: string) => ({
    url,
    headers: { 'user-agent': userAgent, 'accept-encoding': encodings, ...headers },
    signal,
    isPublic,
  });

  async function get(request: Request): Promise<Answer> {
    const ended = new AbortController();
    const signal = AbortSignal.any([request.signal, ended.signal]);
    const late = async (): Promise<never> => {
      await clock.sleep(timeoutMs, signal);
      throw new SourceError(`${hostOf(request.url)} did not answer within ${timeoutMs / 1_000} seconds.`);
    };
    const timer = late();
    timer.catch(() => {});
    try {
      return await Promise.race([fetchWhole({ ...request, signal }), timer]);
    } finally {
      ended.abort();
    }
  }

  async function fetchWhole(request: Request): Promise<Answer> {
    const { url, answer } = await follow(departureOf(request, 'gzip, br'));
    const body = await readWhole(answer, request.maxBytes ?? MAX_BYTES, url);
    const { headers, statusCode = 0 } = answer;
    return { status: statusCode, url, headers, body, retryAfter: retryAfterOf(headers, clock.now()) };
  }

  async function stream(request: Request): Promise<AsyncIterable<Buffer>> {
    const opened = new AbortController();
    const signal = AbortSignal.any([request.signal, opened.signal]);
    const stallMs = request.stallMs ?? STALL_MS;
    const guard = watchdog(clock, stallMs, () => opened.abort());
    try {
      const { url, answer } = await follow(departureOf({ ...request, signal }, 'identity'));
      if (answer.statusCode !== 200) {
        answer.destroy();
        const retryAfter = retryAfterOf(answer.headers, clock.now());
        throw new SourceError(`${hostOf(url)} answered ${answer.statusCode}.`, { retryAfter });
      }
      return chunksOf(answer, guard, hostOf(url));
    } catch (error) {
      guard.stop();
      throw guard.hasBarked() ? new SourceError(`${hostOf(request.url)} did not answer.`) : error;
    }
  }

  return { get, stream };
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
    throw error instanceof SourceError ? error : wordsFor(error, url);
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

interface Watchdog {
  feed(): void;
  stop(): void;
  hasBarked(): boolean;
}

/** Barks once when it has not been fed for so long. */
function watchdog(clock: Clock, milliseconds: number, bark: () => void): Watchdog {
  const stopped = new AbortController();
  let fedAt = clock.elapsed();
  let barked = false;
  const watch = async () => {
    for (let left = milliseconds; left > 0 && !stopped.signal.aborted; ) {
      await clock.sleep(left, stopped.signal);
      left = fedAt + milliseconds - clock.elapsed();
    }
    if (stopped.signal.aborted) return;
    barked = true;
    bark();
  };
  void watch();
  return {
    feed() {
      fedAt = clock.elapsed();
    },
    stop: () => stopped.abort(),
    hasBarked: () => barked,
  };
}

async function* chunksOf(answer: IncomingMessage, guard: Watchdog, host: string): AsyncIterable<Buffer> {
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      guard.feed();
      yield chunk;
    }
  } catch (error) {
    throw guard.hasBarked() ? new SourceError(`${host} sent nothing for too long.`) : wordsFor(error, host);
  } finally {
    guard.stop();
    answer.destroy();
  }
}

/** Seconds, whether they are given as such or as a date. */
function retryAfterOf({ 'retry-after': header }: IncomingHttpHeaders, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1_000;
  return seconds >= 0 ? seconds : undefined;
}
