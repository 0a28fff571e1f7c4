/** Opens a stream, or says why not. It never throws: every failure becomes a reason. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { PlatformError } from '../platform.ts';
import { openUpstream, type UpstreamTarget } from '../upstream-call.ts';
import { type DisconnectReason, refusalReason } from './reconnect-policy.ts';
import { answerIn, type Problem, problemIn, type StreamRange, xStreamPath } from './wire.ts';

export type OpenResult =
  | { readonly kind: 'open'; readonly body: Readable; readonly headers: IncomingHttpHeaders; readonly date: Date }
  | {
      readonly kind: 'refused';
      readonly reason: DisconnectReason;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly problem: Problem;
    }
  /** No answer came. `reached` if the host was there. */
  | { readonly kind: 'failed'; readonly reason: DisconnectReason; readonly reached: boolean; readonly message: string };

/** Opens a path of X that answers with a stream. */
export type PathOpener = (path: string, signal: AbortSignal) => Promise<OpenResult>;
export type StreamOpener = (span: StreamRange, signal: AbortSignal) => Promise<OpenResult>;

/** X's refusals are short. More than this is not read. */
const MOST_REFUSAL = 64 * 1024;
const REFUSAL_MS = 10_000;

export function createStreamOpener(upstream: UpstreamTarget, options: { gzip: boolean }): StreamOpener {
  const open = createPathOpener(upstream, options);
  return (span, signal) => open(xStreamPath(span), signal);
}

export function createPathOpener(upstream: UpstreamTarget, { gzip }: { gzip: boolean }): PathOpener {
  const headers: Readonly<Record<string, string>> = gzip ? { 'accept-encoding': 'gzip' } : {};
  return async (path, signal) => {
    try {
      const answer = await openUpstream(upstream, { method: 'GET', path, headers, signal });
      const { statusCode: status = 0 } = answer;
      if (status === 200) return opened(answer, upstream.clock);
      const problem = problemIn(answerIn(await shortText(answer, upstream.clock)));
      return { kind: 'refused', reason: refusalReason(status, problem), status, headers: answer.headers, problem };
    } catch (error) {
      return failureOf(error);
    }
  };
}

function opened(answer: IncomingMessage, clock: Clock): OpenResult {
  const packed = /\bgzip\b/i.test(answer.headers['content-encoding'] ?? '');
  // The reader of the body is told of errors.
  const body = packed ? pipeline(answer, createGunzip(), () => {}) : answer;
  const date = new Date(Date.parse(answer.headers.date ?? '') || clock.now().getTime());
  return { kind: 'open', body, headers: answer.headers, date };
}

/** The text that came within 10 s; it may be empty. */
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
    // The status is enough to know the reason.
  }
  ended.abort();
  return Buffer.concat(parts).toString('utf8');
}

const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENETDOWN'];

function failureOf(error: unknown): OpenResult {
  const cause = error instanceof PlatformError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const reason = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code) ? 'certificate' : 'network';
  return { kind: 'failed', reason, reached: !UNREACHED.includes(code), message };
}
