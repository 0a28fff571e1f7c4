/**
 * Reads one open connection to X until it ends. It never waits for the consumer: lines are handed on as they come. If
 * nothing comes for too long, the connection counts as dead, even if its socket is open.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { socketsRead } from '../../base/cooperate.ts';
import { measureReadLag } from '../read-lag.ts';
import { LineSplitter } from './lines.ts';
import { type DisconnectReason, disconnectReason } from './reconnect-policy.ts';
import { mayBeSystem, type Problem, readMessage } from './wire.ts';

/** X sends a heartbeat every 20 s. Two seconds more keep a healthy stream with a late heartbeat. */
const STALL_MS = 22_000;

/** Takes what a connection brings. `lag` is how many milliseconds the bytes may have waited in the socket. */
export interface ConnectionRecorder {
  /** A whole line that is not about the stream itself. False if there is no room for it, which ends the connection. */
  record(line: Buffer, lag: number): boolean;
  /** May return a reason to end the connection. */
  heartbeat(lag: number): DisconnectReason | undefined;
  overlong(sample: Buffer, lag: number): void;
  /** X sent a message about the stream. `reason` is set if the message ends the stream. */
  remark(problems: readonly Problem[], reason: DisconnectReason | undefined): void;
}

/** `end` is the regular end of a replay; `stopped` means that we ended the connection. */
export type ConnectionEnd = DisconnectReason | 'end' | 'stopped';

interface ReadOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function readXConnection(
  body: Readable,
  recorder: ConnectionRecorder,
  { clock, signal }: ReadOptions,
): Promise<ConnectionEnd> {
  const lines = new LineSplitter();
  const ended = new AbortController();
  const lag = measureReadLag(clock, { signal: ended.signal });
  let heardAt = clock.elapsed();
  return new Promise((resolve, reject) => {
    const stop = () => finish('stopped');
    const finish = (end: ConnectionEnd) => {
      if (ended.signal.aborted) return;
      ended.abort();
      signal.removeEventListener('abort', stop);
      body.destroy();
      resolve(end);
    };
    body.on('data', (chunk: Buffer) => {
      if (ended.signal.aborted) return;
      heardAt = clock.elapsed();
      try {
        const reason = takeChunk(lines, chunk, recorder, lag());
        if (reason !== undefined) finish(reason);
      } catch (error) {
        reject(error);
        finish('dropped');
      }
    });
    // Half a line at the end means that the connection broke.
    body.once('end', () => finish(lines.pending === 0 ? 'end' : 'dropped'));
    body.on('error', () => finish('dropped'));
    body.once('close', () => finish('dropped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void untilStalled(() => clock.elapsed() - heardAt, clock, ended.signal).then(() => finish('stall'));
  });
}

function takeChunk(
  lines: LineSplitter,
  chunk: Buffer,
  recorder: ConnectionRecorder,
  lag: number,
): DisconnectReason | undefined {
  for (const line of lines.feed(chunk)) {
    if ('overlong' in line) {
      recorder.overlong(line.overlong, lag);
      return 'overlong';
    }
    const reason = takeLine(line.bytes, recorder, lag);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function takeLine(line: Buffer, recorder: ConnectionRecorder, lag: number): DisconnectReason | undefined {
  if (line.length === 0) return recorder.heartbeat(lag);
  const message = mayBeSystem(line) ? readMessage(line) : undefined;
  if (message?.kind !== 'system') return recorder.record(line, lag) ? undefined : 'overflow';
  const reason = message.problems.map(disconnectReason).find((one) => one !== undefined);
  recorder.remark(message.problems, reason);
  return reason;
}

/** Resolves when nothing was heard for too long, or when the connection has ended. */
async function untilStalled(silence: () => number, clock: Clock, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const left = STALL_MS - silence();
    if (left > 0) {
      await clock.sleep(left, ended);
    } else {
      // After a freeze of the process the timer fires before the bytes that wait in the socket are read.
      await socketsRead();
      if (silence() >= STALL_MS) return;
    }
  }
}
