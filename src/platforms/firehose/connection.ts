/**
 * One connection to Firehose's stream. It reads ahead a little and then stops reading, so that what we cannot take stays
 * upstream. If the consumer takes nothing for a while, the connection is closed, and the next one resumes from the
 * committed cursor.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import type { UpstreamOptions } from '../platform.ts';
import { measureReadLag } from '../read-lag.ts';
import { cleaned, openUpstream, readRest, retryAfterOf } from '../upstream-call.ts';
import { FrameQueue, type Received } from './frame-queue.ts';
import { FrameReader } from './frames.ts';
import type { Resume } from './stream-position.ts';
import { messageOf } from './wire.ts';

/** How long a full queue waits for a consumer that takes nothing. */
const UNREAD_MS = 10_000;
/** Firehose ends the stream at its timeout. This much later the connection counts as dead. */
const OVERDUE_MS = 9_000;
/** A connection is alive if bytes came within this time. */
const ALIVE_MS = 9_000;
/** Time for bytes that wait because the event loop was busy. */
const GRACE_MS = 1_000;

export type Lost = 'dropped' | 'stalled' | 'unread';

export interface Bytes {
  readonly at: Date;
  readonly elapsed: number;
  /** Everything that had reached this machine by then has been read. */
  readonly readThrough: Date;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfter: number | undefined;
}

export interface ConnectionRequest {
  readonly resume: Resume | { readonly kind: 'offset'; readonly offset: number; readonly limit: number };
  /** Seconds after which Firehose ends the stream by itself. */
  readonly timeout: number;
}

/** Throws a `PlatformError` if no answer comes. */
export async function openConnection(
  options: UpstreamOptions,
  request: ConnectionRequest,
  signal: AbortSignal,
): Promise<StreamConnection | Refusal> {
  const closed = new AbortController();
  const whole = AbortSignal.any([signal, closed.signal]);
  const { path, headers } = requestFor(request);
  const answer = await openUpstream(options, { method: 'GET', path, headers, signal: whole });
  if (answer.statusCode === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) {
    return new StreamConnection(options.clock, answer, request.timeout * 1_000, closed);
  }
  const rest = await readRest(options, answer);
  return {
    status: rest.status,
    message: cleaned(messageOf(rest), options.token()),
    retryAfter: retryAfterOf(rest, options.clock.now()),
  };
}

function requestFor({ resume, timeout }: ConnectionRequest): { path: string; headers: Record<string, string> } {
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

export class StreamConnection {
  /** When it was opened, by Firehose's clock; undefined if Firehose does not say. */
  readonly date: number | undefined;
  /** How many milliseconds our clock is ahead of Firehose's. */
  readonly skew: number;
  readonly #clock: Clock;
  readonly #answer: IncomingMessage;
  readonly #closed: AbortController;
  readonly #wakeUp: WakeUp;
  readonly #lag: () => number;
  readonly #queue = new FrameQueue();
  readonly #reader = new FrameReader();
  #lastBytes: Bytes;
  /** Comments that `next` has told of. */
  #comments = 0;
  #lost: Lost | undefined;

  constructor(clock: Clock, answer: IncomingMessage, timeoutMs: number, closed: AbortController) {
    const date = Date.parse(answer.headers.date ?? '');
    this.date = Number.isNaN(date) ? undefined : date;
    this.skew = this.date === undefined ? 0 : clock.now().getTime() - this.date;
    this.#clock = clock;
    this.#answer = answer;
    this.#closed = closed;
    this.#wakeUp = createWakeUp(clock);
    this.#lag = measureReadLag(clock, { signal: closed.signal, isReading: () => !answer.isPaused() });
    this.#lastBytes = { at: clock.now(), elapsed: clock.elapsed(), readThrough: clock.now() };
    answer.on('data', (bytes: Buffer) => this.#take(bytes));
    answer.once('close', () => this.#lose('dropped'));
    answer.on('error', () => this.#lose('dropped'));
    void this.#watchUpstream(clock.elapsed() + timeoutMs + OVERDUE_MS);
  }

  /** The next frame; or that a comment came, that nothing came for `waitMs`, or how the connection was lost. */
  async next(waitMs = Number.POSITIVE_INFINITY): Promise<Received | 'comment' | 'quiet' | Lost> {
    const end = this.#clock.elapsed() + waitMs;
    for (;;) {
      const received = this.#queue.take();
      if (this.#answer.isPaused() && this.#queue.isLow) this.#answer.resume();
      if (received !== undefined) return received;
      if (this.#comments < this.#reader.comments) {
        this.#comments = this.#reader.comments;
        return 'comment';
      }
      if (this.#lost !== undefined) return this.#lost;
      const left = end - this.#clock.elapsed();
      if (left <= 0) return 'quiet';
      await this.#wakeUp.sleep(Math.ceil(left));
    }
  }

  close(): void {
    this.#lose('dropped');
  }

  get lastBytes(): Bytes {
    return this.#lastBytes;
  }

  /** How many milliseconds Firehose asked us to wait before we reconnect. */
  get retry(): number | undefined {
    return this.#reader.retry;
  }

  #take(bytes: Buffer): void {
    const at = this.#clock.now();
    const readThrough = new Date(at.getTime() - this.#lag());
    this.#lastBytes = { at, elapsed: this.#clock.elapsed(), readThrough };
    for (const frame of this.#reader.push(bytes)) this.#queue.put({ frame, at, readThrough });
    if (this.#queue.isFull && !this.#answer.isPaused()) {
      this.#answer.pause();
      void this.#watchTaking();
    }
    this.#wakeUp.wake();
  }

  #lose(how: Lost): void {
    this.#lost ??= how;
    this.#closed.abort();
    this.#answer.destroy();
    this.#wakeUp.wake();
  }

  /** Ends the connection if the consumer takes nothing from a full queue. */
  async #watchTaking(): Promise<void> {
    while (this.#lost === undefined && this.#answer.isPaused()) {
      const before = this.#queue.taken;
      await this.#clock.sleep(UNREAD_MS, this.#closed.signal);
      if (this.#answer.isPaused() && this.#queue.taken === before) this.#lose('unread');
    }
  }

  /** Ends the connection if it is overdue and silent. */
  async #watchUpstream(overdueAt: number): Promise<void> {
    while (this.#lost === undefined) {
      const before = this.#lastBytes.elapsed;
      const due = Math.max(overdueAt, before + ALIVE_MS);
      await this.#clock.sleep(Math.max(0, Math.ceil(due - this.#clock.elapsed())), this.#closed.signal);
      await this.#clock.sleep(GRACE_MS, this.#closed.signal);
      // While reading is paused, the silence is our own.
      if (this.#lastBytes.elapsed === before && !this.#answer.isPaused()) this.#lose('stalled');
    }
  }
}
