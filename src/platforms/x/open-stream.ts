/** Opens a stream, or says why not. Nothing is thrown: whatever happens on the way is a kind of ending. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { PlatformError } from '../platform.ts';
import { openUpstream, type Upstream } from '../upstream-call.ts';
import { type Ending, refusalOf } from './reconnect-policy.ts';
import { answerIn, type Problem, problemIn, type Span, streamPath } from './wire.ts';

export type Dialed =
  | { readonly kind: 'open'; readonly body: Readable; readonly headers: IncomingHttpHeaders; readonly date: Date }
  | {
      readonly kind: 'refused';
      readonly ending: Ending;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly problem: Problem;
    }
  /** Nobody answered; `reached` when somebody was there all the same. */
  | { readonly kind: 'failed'; readonly ending: Ending; readonly reached: boolean; readonly message: string };

export type Dial = (span: Span, signal: AbortSignal) => Promise<Dialed>;

/** A refusal is short; what is longer is no problem of X's. */
const MOST_REFUSAL = 64 * 1024;
const REFUSAL_MS = 10_000;

export function createDial(upstream: Upstream, { gzip }: { gzip: boolean }): Dial {
  const headers: Readonly<Record<string, string>> = gzip ? { 'accept-encoding': 'gzip' } : {};
  return async (span, signal) => {
    try {
      const answer = await openUpstream(upstream, { method: 'GET', path: streamPath(span), headers, signal });
      const { statusCode: status = 0 } = answer;
      if (status === 200) return opened(answer, upstream.clock);
      const problem = problemIn(answerIn(await shortText(answer, upstream.clock)));
      return { kind: 'refused', ending: refusalOf(status, problem), status, headers: answer.headers, problem };
    } catch (error) {
      return failureOf(error);
    }
  };
}

function opened(answer: IncomingMessage, clock: Clock): Dialed {
  const packed = /\bgzip\b/i.test(answer.headers['content-encoding'] ?? '');
  // The reader hears of any error by itself.
  const body = packed ? pipeline(answer, createGunzip(), () => {}) : answer;
  const date = new Date(Date.parse(answer.headers.date ?? '') || clock.now().getTime());
  return { kind: 'open', body, headers: answer.headers, date };
}

/** As much as came within a while; that may be nothing. */
async function shortText(answer: IncomingMessage, clock: Clock): Promise<string> {
  const parts: Buffer[] = [];
  const ended = new AbortController();
  void clock.sleep(REFUSAL_MS, ended.signal).then(() => answer.destroy());
  try {
    let size = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > MOST_REFUSAL) break;
    }
  } catch {
    // The status says enough.
  }
  ended.abort();
  return Buffer.concat(parts).toString('utf8');
}

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENETDOWN'];

function failureOf(error: unknown): Dialed {
  const cause = error instanceof PlatformError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const ending = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code) ? 'certificate' : 'network';
  return { kind: 'failed', ending, reached: !UNREACHED.includes(code), message };
}
