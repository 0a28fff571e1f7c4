/** One attempt over HTTP: a request, an answer within a time and a size, and no redirects. It never throws. */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { request as httpRequest, limitInterimAnswers, trusted } from '../../base/node-http.ts';
import { type Egress, EgressError, guardedLookup, webhookUrlProblem } from './egress.ts';
import type { Sent } from './outcome.ts';
import { failedToSend, type Send, type WebhookRequest } from './transport.ts';

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** The most that is read of an answer, and the most that is kept of it. */
const READ_BYTES = 16 * 1024;
const KEPT_CHARACTERS = 1_024;

export function createSender({ clock, egress }: { clock: Clock; egress: Egress }): Send {
  const connect: Connect = { lookup: guardedLookup(egress), trust: trusted(), clock };
  return async (request) => {
    try {
      const problem = webhookUrlProblem(new URL(request.url), egress.allowPrivate);
      if (problem !== undefined) return failedToSend(`Nothing was sent. ${problem}`);
      return await post(request, connect);
    } catch (error) {
      return brokeOff(error);
    }
  };
}

interface Connect {
  readonly lookup: LookupFunction;
  readonly trust: () => SecureContext;
  readonly clock: Clock;
}

function post(
  { url, method = 'POST', headers, body, bytes: given, signal }: WebhookRequest,
  { lookup, trust, clock }: Connect,
): Promise<Sent> {
  const bytes = Buffer.from(given ?? body);
  const isSecure = url.startsWith('https:');
  const options: Pick<ConnectionOptions, 'secureContext'> & RequestOptions = {
    method,
    // A new connection for each attempt: its address was checked for this attempt.
    agent: false,
    lookup,
    signal,
    headers: { ...headers, 'content-length': bytes.length },
    ...(isSecure && { secureContext: trust() }),
  };
  const request = (isSecure ? httpsRequest : httpRequest)(url, options);
  limitInterimAnswers(request);
  return new Promise((resolve) => {
    const ended = new AbortController();
    const finish = (sent: Sent) => {
      ended.abort();
      request.destroy();
      resolve(sent);
    };
    limitTime(request, clock, ended.signal, finish);
    request.on('error', (error) => finish(brokeOff(error)));
    request.once('response', (answer) => readAnswer(answer, clock, finish));
    // Without this listener Node ends the connection silently, and the receiver would count as one that did not answer.
    request.once('upgrade', (answer, socket) => {
      socket.destroy();
      finish(answered(answer, '', clock.now()));
    });
    request.end(bytes);
  });
}

function limitTime(request: ClientRequest, clock: Clock, ended: AbortSignal, finish: (sent: Sent) => void): void {
  const connected = new AbortController();
  request.once('socket', (socket) => socket.once('connect', () => connected.abort()));
  const late = async (milliseconds: number, until: AbortSignal, error: string) => {
    await clock.sleep(milliseconds, until);
    if (!until.aborted) finish(failedToSend(error, { overloaded: true }));
  };
  void late(TOTAL_MS, ended, `The receiver did not answer within ${TOTAL_MS / 1_000} seconds.`);
  const isSettled = AbortSignal.any([ended, connected.signal]);
  void late(CONNECT_MS, isSettled, `No connection was made within ${CONNECT_MS / 1_000} seconds.`);
}

/** An answer counts when it has ended, or when 16 KiB of it have come. One that breaks off counts as a failure. */
function readAnswer(answer: IncomingMessage, clock: Clock, finish: (sent: Sent) => void): void {
  const parts: Buffer[] = [];
  let size = 0;
  const done = () => finish(answered(answer, textOf(parts), clock.now()));
  answer.on('data', (part: Buffer) => {
    parts.push(part);
    size += part.length;
    if (size >= READ_BYTES) done();
  });
  answer.once('end', done);
  answer.on('error', (error) => finish(brokeOff(error)));
}

const textOf = (parts: readonly Buffer[]): string =>
  Buffer.concat(parts).subarray(0, READ_BYTES).toString('utf8').slice(0, KEPT_CHARACTERS);

function answered({ statusCode = 0, headers }: IncomingMessage, response: string, now: Date): Sent {
  return {
    statusCode,
    error: errorFor(statusCode),
    response,
    overloaded: statusCode === 429,
    retryAfter: retryAfter(headers['retry-after'], now),
  };
}

function errorFor(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const note = statusCode >= 300 && statusCode < 400 ? '; redirects are not followed' : '';
  return `The receiver answered ${statusCode}${note}.`;
}

/** Seconds, whether they are given as such or as a date. */
function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1_000;
  return seconds >= 0 ? seconds : undefined;
}

const brokeOff = (error: unknown): Sent => ({
  ...failedToSend(wordsFor(error)),
  code: (error as NodeJS.ErrnoException).code ?? '',
});

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection broke.',
  EPIPE: 'The connection broke.',
  ENOTFOUND: 'The host name was not found.',
  EAI_AGAIN: 'The host name could not be looked up.',
  ABORT_ERR: 'The attempt was aborted.',
  ENOANSWER: 'The receiver sent interim answers and no final one.',
};

function wordsFor(error: unknown): string {
  if (error instanceof EgressError) return error.message;
  const { code = 'no code' } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? `The request failed (${code}).`;
}
