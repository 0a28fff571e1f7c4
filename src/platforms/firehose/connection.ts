/**
 * One connection to the stream. It reads ahead a little and then stops reading, so that what we cannot take stays
 * upstream; whoever does not take anything for a while loses the connection, and resumes from what is committed.
 */
import type { IncomingMessage } from 'node:http';
import type { UpstreamOptions } from '../upstream.ts';
import { cleaned, openUpstream, readRest, retryAfterOf } from '../upstream-call.ts';
import { createQueue, type Received } from './frame-queue.ts';
import { createFrameReader } from './frames.ts';
import type { Resume } from './stream-position.ts';
import { messageOf } from './wire.ts';

/** How long a full queue is kept for somebody who takes nothing. */
const UNREAD_MS = 10_000;
/** After its own timeout the upstream has ended the stream; this much later it is not there any more. */
const OVERDUE_MS = 9_000;
/** Bytes that came this short a while ago show that it is. */
const ALIVE_MS = 9_000;
/** Given to bytes that wait behind an event loop that was held up. */
const GRACE_MS = 1_000;

export type Lost = 'dropped' | 'stalled' | 'unread';

export interface Connection {
  /** The next frame; or that a comment came, that nothing came for so long, or how the connection was lost. */
  next(waitMs?: number): Promise<Received | 'comment' | 'quiet' | Lost>;
  close(): void;
  /** When bytes came last, by both clocks. */
  readonly lastBytes: { readonly at: Date; readonly elapsed: number };
  /** When it was opened by the upstream's clock; undefined when it does not tell. */
  readonly date: number | undefined;
  /** How far our clock is ahead of the upstream's, in milliseconds. */
  readonly skew: number;
  readonly retry: number | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfter: number | undefined;
}

export interface Asked {
  readonly resume: Resume | { readonly kind: 'offset'; readonly offset: number; readonly limit: number };
  /** Seconds after which the upstream ends the stream by itself. */
  readonly timeout: number;
}

/** Throws a `PlatformError` when nobody answers. */
export async function openConnection(
  options: UpstreamOptions,
  asked: Asked,
  signal: AbortSignal,
): Promise<Connection | Refusal> {
  const closed = new AbortController();
  const whole = AbortSignal.any([signal, closed.signal]);
  const { path, headers } = requestFor(asked);
  const answer = await openUpstream(options, { method: 'GET', path, headers, signal: whole });
  if (answer.statusCode === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) {
    return read(options, answer, asked.timeout * 1_000, closed);
  }
  const rest = await readRest(options, answer);
  return {
    status: rest.status,
    message: cleaned(messageOf(rest), options.token()),
    retryAfter: retryAfterOf(rest, options.clock.now()),
  };
}

function requestFor({ resume, timeout }: Asked): { path: string; headers: Record<string, string> } {
  const query = new URLSearchParams({ timeout: String(timeout) });
  const headers: Record<string, string> = { accept: 'text/event-stream', 'cache-control': 'no-store' };
  if (resume.kind === 'id') headers['last-event-id'] = resume.id;
  if (resume.kind === 'since') query.set('since', resume.minutes < 1_440 ? `${resume.minutes}m` : '24h');
  if (resume.kind === 'offset') {
    query.set('offset', String(resume.offset));
    query.set('limit', String(resume.limit));
  }
  return { path: `/v1/stream?${query.toString()}`, headers };
}

function read(
  { clock }: UpstreamOptions,
  answer: IncomingMessage,
  timeoutMs: number,
  closed: AbortController,
): Connection {
  const reader = createFrameReader();
  const opened = clock.elapsed();
  const date = Date.parse(answer.headers.date ?? '');
  const skew = Number.isNaN(date) ? 0 : clock.now().getTime() - date;
  let lastBytes = { at: clock.now(), elapsed: opened };
  const queue = createQueue();
  let comments = 0;
  let lost: Lost | undefined;
  let wake = () => {};

  function lose(how: Lost): void {
    lost ??= how;
    closed.abort();
    answer.destroy();
    wake();
  }

  answer.on('data', (bytes: Buffer) => {
    lastBytes = { at: clock.now(), elapsed: clock.elapsed() };
    for (const frame of reader.push(bytes)) queue.put({ frame, at: lastBytes.at });
    if (queue.isFull && !answer.isPaused()) {
      answer.pause();
      void watchTaking();
    }
    wake();
  });
  answer.once('close', () => lose('dropped'));
  answer.on('error', () => lose('dropped'));
  void watchUpstream();

  async function watchTaking(): Promise<void> {
    while (lost === undefined && answer.isPaused()) {
      const before = queue.taken;
      await clock.sleep(UNREAD_MS, closed.signal);
      if (answer.isPaused() && queue.taken === before) lose('unread');
    }
  }

  async function watchUpstream(): Promise<void> {
    while (lost === undefined) {
      const before = lastBytes.elapsed;
      const due = Math.max(opened + timeoutMs + OVERDUE_MS, before + ALIVE_MS);
      await clock.sleep(Math.max(0, Math.ceil(due - clock.elapsed())), closed.signal);
      await clock.sleep(GRACE_MS, closed.signal);
      // While we do not read, the silence is our own.
      if (lastBytes.elapsed === before && !answer.isPaused()) lose('stalled');
    }
  }

  async function next(waitMs = Number.POSITIVE_INFINITY): ReturnType<Connection['next']> {
    const start = clock.elapsed();
    for (;;) {
      const received = queue.take();
      if (answer.isPaused() && queue.isLow) answer.resume();
      if (received !== undefined) return received;
      if (comments < reader.comments) {
        comments = reader.comments;
        return 'comment';
      }
      if (lost !== undefined) return lost;
      const left = start + waitMs - clock.elapsed();
      if (left <= 0) return 'quiet';
      const woken = new AbortController();
      // Without a reason of ours, one would be made with a stack each time.
      wake = () => woken.abort('woken');
      await (left === Number.POSITIVE_INFINITY ? aborted(woken.signal) : clock.sleep(Math.ceil(left), woken.signal));
    }
  }

  return {
    next,
    close: () => lose('dropped'),
    get lastBytes() {
      return lastBytes;
    },
    date: Number.isNaN(date) ? undefined : date,
    skew,
    get retry() {
      return reader.retry;
    },
  };
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
