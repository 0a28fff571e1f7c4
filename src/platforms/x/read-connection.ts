/**
 * Reads one open connection to its end. It never waits for anybody: lines are handed on as they come. A connection from
 * which nothing came for too long is dead, whatever its socket says.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { createRecords } from './lines.ts';
import { disconnectOf, type Ending } from './reconnect-policy.ts';
import { mayBeSystem, type Problem, readMessage } from './wire.ts';

/** X sends something every 20 s; those who took that literally cut off healthy streams. */
const STALL_MS = 22_000;
/** Of the event loop, in which bytes that are here already come through. */
const TURNS = 5;

export interface Hearer {
  /** A whole line that is not about the stream itself. False ends the connection: there is no room for it. */
  record(line: Buffer): boolean;
  /** May say that the connection is to end all the same. */
  heartbeat(): Ending | undefined;
  overlong(sample: Buffer): void;
  /** X said something about the stream, and perhaps that it ends. */
  remark(problems: readonly Problem[], ending: Ending | undefined): void;
}

/** `end` is the orderly end of what was asked for; `stopped` is our own. */
export type ReaderEnding = Ending | 'end' | 'stopped';

export function readConnection(
  body: Readable,
  hearer: Hearer,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<ReaderEnding> {
  const records = createRecords();
  const ended = new AbortController();
  let heard = clock.elapsed();

  function hear(line: Buffer): Ending | undefined {
    if (line.length === 0) return hearer.heartbeat();
    if (mayBeSystem(line)) {
      const message = readMessage(line);
      if (message.kind === 'system') {
        const ending = message.problems.map(disconnectOf).find((one) => one !== undefined);
        hearer.remark(message.problems, ending);
        return ending;
      }
    }
    return hearer.record(line) ? undefined : 'overflow';
  }

  function hearAll(chunk: Buffer): Ending | undefined {
    for (const line of records.feed(chunk)) {
      if ('overlong' in line) {
        hearer.overlong(line.overlong);
        return 'overlong';
      }
      const ending = hear(line.bytes);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  return new Promise((resolve, reject) => {
    const stop = () => finish('stopped');
    const finish = (ending: ReaderEnding) => {
      if (ended.signal.aborted) return;
      ended.abort();
      signal.removeEventListener('abort', stop);
      body.destroy();
      resolve(ending);
    };
    body.on('data', (chunk: Buffer) => {
      if (ended.signal.aborted) return;
      heard = clock.elapsed();
      try {
        const ending = hearAll(chunk);
        if (ending !== undefined) finish(ending);
      } catch (error) {
        reject(error);
        finish('dropped');
      }
    });
    // Half a line at the end is dropped, and means that it was no orderly end.
    body.once('end', () => finish(records.pending === 0 ? 'end' : 'dropped'));
    body.on('error', () => finish('dropped'));
    body.once('close', () => finish('dropped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void watch(() => clock.elapsed() - heard, clock, ended.signal).then(() => finish('stall'));
  });
}

/** Resolves when nothing was heard for too long. */
async function watch(silence: () => number, clock: Clock, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const left = STALL_MS - silence();
    if (left > 0) {
      await clock.sleep(left, ended);
    } else {
      // After a freeze of the whole process the timer comes before the bytes that wait in the socket.
      for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (silence() >= STALL_MS) return;
    }
  }
}
