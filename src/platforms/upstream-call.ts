/**
 * HTTP calls to an upstream. Each call opens its own connection, so the host name is looked up each time. Redirects are
 * not followed, and the token is sent to the configured host only. Every status is an answer, and the connector decides
 * what it means. If no answer comes, the call throws a `PlatformError`.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import { request as httpRequest, limitInterimAnswers } from '../base/node-http.ts';
import { PlatformError, type UpstreamOptions } from './platform.ts';

/** The longest waits: for the headers of an answer, and for the whole answer of a call. */
const HEADERS_MS = 15_000;
const CALL_MS = 30_000;
/** The longest answer is a list of all rules. */
const ANSWER_BYTES = 32 * 1024 * 1024;
const JSON_LIMITS = { depth: 64, keys: 2_000_000 };

export type UpstreamTarget = Pick<UpstreamOptions, 'baseUrl' | 'token' | 'clock'>;

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path after the base URL, with the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The longest answer that is read, where it is not the usual one. */
  readonly mostBytes?: number;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined if it is not JSON, or nested too deep. */
  readonly body: unknown;
}

/** Makes one call and reads the whole answer. */
export async function callUpstream(upstream: UpstreamTarget, request: UpstreamRequest): Promise<UpstreamAnswer> {
  const limit = timeLimit(upstream.clock, CALL_MS, request.signal);
  try {
    return await readAnswer(await openUpstream(upstream, { ...request, signal: limit.signal }), request.mostBytes);
  } catch (error) {
    throw limit.passed ? tooLate(CALL_MS) : asPlatformError(error);
  } finally {
    limit.end();
  }
}

/**
 * Opens a call and resolves when its headers are there. The caller reads or destroys the body. The signal ends the call
 * at any time.
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
    // Set here, because an environment variable could turn it off otherwise.
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
  limitInterimAnswers(call);
  return new Promise((resolve, reject) => {
    // The listener stays for errors after the answer began; the reader of the body gets those as well.
    call.on('error', reject);
    call.once('response', resolve);
    call.end(bytes);
  });
}

/** The base URL with the path added. No path can lead to another host. */
function addressOf(baseUrl: string, path: string): URL {
  const base = new URL(baseUrl);
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${path}`);
  if (url.origin !== base.origin || !path.startsWith('/')) throw new Error('The path leads away from the upstream.');
  return url;
}

/** Reads the rest of an answer that was opened as a stream and is none. */
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

async function readAnswer(answer: IncomingMessage, mostBytes = ANSWER_BYTES): Promise<UpstreamAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes)
      throw new PlatformError('unreachable', `The upstream sent an answer of more than ${mostBytes / 1024 ** 2} MiB.`);
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const parsed = text === '' ? undefined : parseJson(text, JSON_LIMITS);
  const body = parsed?.ok === true ? parsed.value : undefined;
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, body };
}

interface TimeLimit {
  /** Aborts when the time has passed, or when the outer signal aborts. */
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
  ECONNRESET: 'The upstream closed the connection before it answered.',
  EPIPE: 'The upstream closed the connection before it answered.',
  ENOTFOUND: "The upstream's host name does not exist.",
  EAI_AGAIN: "The upstream's host name could not be looked up.",
  ABORT_ERR: 'The call to the upstream was cancelled.',
  ENOANSWER: 'The upstream sent interim answers and no final one.',
};

function asPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  return new PlatformError('unreachable', WORDS[code] ?? `The call to the upstream failed (${code}).`, {
    cause: error,
  });
}

/** How many seconds the upstream asks us to wait. It may state a number or a date. */
export function retryAfterOf({ headers }: Pick<UpstreamAnswer, 'headers'>, now: Date): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  // A date is compared with the upstream's own clock if it states it, so that ours does not matter.
  const here = Date.parse(headers.date ?? '') || now.getTime();
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - here) / 1_000;
  return seconds >= 0 ? seconds : undefined;
}

const SHOWN_CHARACTERS = 300;
/** Control characters and invisible ones, such as marks of direction and joiners. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]+/gu;

/** A tag of HTML, as in the error page of a proxy. */
const TAG = /<[^<>]*>/g;

/** An upstream's own words, made fit to be shown and logged: one short line without markup, hidden characters, or a token of ours. */
export function cleaned(text: string, token: string): string {
  const line = text
    .slice(0, 10_000)
    .replaceAll(TAG, ' ')
    .replaceAll(HIDDEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(token === '' ? /(?!)/g : token, '[secret]');
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS - 1)}…`;
}
