/**
 * HTTP to an upstream. Each call has a connection of its own, so its name is looked up each time; nothing is followed
 * elsewhere, and the token goes to the configured host alone. Any status is an answer: what it means is the
 * connector's to say. What never became an answer is a `PlatformError`.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import { PlatformError } from './platform.ts';
import type { UpstreamOptions } from './upstream.ts';

/** Until the headers of an answer are here, and for a call until all of it is. */
const HEADERS_MS = 15_000;
const CALL_MS = 30_000;
/** A list of all rules is the longest answer there is. */
const ANSWER_BYTES = 32 * 1024 * 1024;
const JSON_LIMITS = { depth: 64, keys: 2_000_000 };

export type UpstreamTarget = Pick<UpstreamOptions, 'baseUrl' | 'token' | 'clock'>;

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the base URL on, the query string included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined when it is none, or too deep to be honest. */
  readonly body: unknown;
}

/** One call and its whole answer. */
export async function callUpstream(upstream: UpstreamTarget, request: UpstreamRequest): Promise<UpstreamAnswer> {
  const limit = timeLimit(upstream.clock, CALL_MS, request.signal);
  try {
    return await readAnswer(await openUpstream(upstream, { ...request, signal: limit.signal }));
  } catch (error) {
    throw limit.passed ? tooLate(CALL_MS) : asPlatformError(error);
  } finally {
    limit.end();
  }
}

/**
 * Opens a call and resolves with its headers; the body is the caller's to read, or to destroy. The signal breaks it
 * off at any time.
 */
export async function openUpstream(upstream: UpstreamTarget, request: UpstreamRequest): Promise<IncomingMessage> {
  const limit = timeLimit(upstream.clock, HEADERS_MS);
  const opening = new AbortController();
  const giveUp = () => opening.abort();
  limit.signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await send(upstream, request, opening.signal);
  } catch (error) {
    throw limit.passed ? tooLate(HEADERS_MS) : asPlatformError(error);
  } finally {
    limit.signal.removeEventListener('abort', giveUp);
    limit.end();
  }
}

function send(upstream: UpstreamTarget, request: UpstreamRequest, opening: AbortSignal): Promise<IncomingMessage> {
  const url = addressOf(upstream.baseUrl, request.path);
  const bytes = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const call = open(url, {
    method: request.method,
    agent: false,
    // Said here, since an environment variable could turn it off otherwise.
    rejectUnauthorized: true,
    signal: request.signal === undefined ? opening : AbortSignal.any([opening, request.signal]),
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      ...request.headers,
      authorization: `Bearer ${upstream.token()}`,
      ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
    },
  });
  return new Promise((resolve, reject) => {
    // It stays, for what breaks after the answer began: the body's own reader is told as well.
    call.on('error', reject);
    call.once('response', resolve);
    call.end(bytes);
  });
}

/** The path as the base URL goes on; never another host, whatever the path says. */
function addressOf(baseUrl: string, path: string): URL {
  const base = new URL(baseUrl);
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${path}`);
  if (url.origin !== base.origin || !path.startsWith('/')) throw new Error('The path leads away from the upstream.');
  return url;
}

/** What is left of an answer that was opened and turned out to be no stream. */
export async function readRest({ clock }: UpstreamTarget, answer: IncomingMessage): Promise<UpstreamAnswer> {
  const limit = timeLimit(clock, HEADERS_MS);
  const giveUp = () => void answer.destroy();
  limit.signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await readAnswer(answer);
  } catch (error) {
    throw limit.passed ? tooLate(HEADERS_MS) : asPlatformError(error);
  } finally {
    limit.end();
  }
}

async function readAnswer(answer: IncomingMessage): Promise<UpstreamAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > ANSWER_BYTES) throw new PlatformError('unreachable', 'The upstream sent an answer that is too long.');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const parsed = text === '' ? undefined : parseJson(text, JSON_LIMITS);
  const body = parsed?.ok === true ? parsed.value : undefined;
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, body };
}

interface TimeLimit {
  /** Aborts when the time is over, or with the outer signal. */
  readonly signal: AbortSignal;
  readonly passed: boolean;
  end(): void;
}

function timeLimit(clock: Clock, milliseconds: number, outer?: AbortSignal): TimeLimit {
  const over = new AbortController();
  const ended = new AbortController();
  let passed = false;
  const wait = async () => {
    await clock.sleep(milliseconds, ended.signal);
    passed = !ended.signal.aborted;
    if (passed) over.abort();
  };
  void wait();
  return {
    signal: outer === undefined ? over.signal : AbortSignal.any([over.signal, outer]),
    get passed() {
      return passed;
    },
    end: () => ended.abort(),
  };
}

const tooLate = (milliseconds: number): PlatformError =>
  new PlatformError('timeout', `The upstream did not answer within ${milliseconds / 1_000} seconds.`);

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The upstream refused the connection.',
  ECONNRESET: 'The upstream broke the connection off.',
  EPIPE: 'The upstream broke the connection off.',
  ENOTFOUND: "The upstream's host name was not found.",
  EAI_AGAIN: "The upstream's host name could not be looked up.",
  ABORT_ERR: 'The call was broken off.',
};

function asPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return new PlatformError('unreachable', WORDS[code] ?? `The upstream could not be asked (${code}).`, {
    cause: error,
  });
}

/** Seconds that the upstream asks us to wait, whether it gives them as such or as a date. */
export function retryAfterOf({ headers }: Pick<UpstreamAnswer, 'headers'>, now: Date): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  // Measured against the upstream's own clock where it tells it, so that a skew between the two does not matter.
  const here = Date.parse(headers.date ?? '') || now.getTime();
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - here) / 1_000;
  return seconds >= 0 ? seconds : undefined;
}

const SHOWN_CHARACTERS = 300;
/** Controls, and what is there to be misread: marks of direction, joiners, characters without a shape. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]+/gu;

/** An upstream's own words, fit to be shown and logged: one short line, nothing hidden in it, and no token of ours. */
export function cleaned(text: string, token: string): string {
  const line = text
    .slice(0, 10_000)
    .replaceAll(HIDDEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(token === '' ? /(?!)/g : token, '[secret]');
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS - 1)}…`;
}
