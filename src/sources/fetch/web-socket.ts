/** The frames of a WebSocket, as an iterable that its reader takes at its own pace. */
import type { IncomingMessage } from 'node:http';
import { createWakeUp } from '../../base/wake-up.ts';
import type { FetchContext } from './rounds.ts';
import { hostOf, RefusedError, SourceError } from './source-error.ts';
import { startWatchdog } from './watchdog.ts';

/** When this many frames wait for the reader, nothing more is read from the socket, until they are taken. */
const MOST_WAITING = 2_000;
/** The most bytes that wait for the reader: long frames fill the memory before they are many. */
const MOST_BYTES = 32 * 1024 * 1024;
/** No post is longer; a longer frame cannot be read. */
export const MAX_FRAME = 2 * 1024 * 1024;
/** A refusal is a few words. */
const MAX_REFUSAL = 16 * 1024;

export interface SocketOptions {
  readonly stallMs: number;
  /** Makes text of a binary frame; without it, binary frames cannot be read. */
  readonly unpack?: ((frame: Buffer) => string | undefined) | undefined;
}

/**
 * Yields undefined for a frame that cannot be read. Throws when the connection is refused, breaks, ends, or is silent
 * for `stallMs`.
 */
export async function* socketFrames(
  context: FetchContext,
  url: string,
  options: SocketOptions,
): AsyncIterable<string | undefined> {
  const { clock, signal } = context;
  const { stallMs } = options;
  const wakeUp = createWakeUp(clock);
  const inbox = openInbox(context, url, () => wakeUp.wake());
  const silence = new SourceError(`${hostOf(url)} sent nothing for ${stallMs / 1_000} seconds.`, { isSilence: true });
  const watchdog = startWatchdog(clock, stallMs, () => inbox.fail(silence));
  inbox.onFrame = () => watchdog.feed();
  try {
    for (;;) {
      while (inbox.frames.length > 0 && !signal.aborted) {
        for (const frame of inbox.take()) {
          yield typeof frame === 'object' ? options.unpack?.(frame) : frame;
          // While the reader is busy, the silence is ours.
          watchdog.feed();
        }
        inbox.taken();
      }
      if (signal.aborted) return;
      if (inbox.problem !== undefined) throw inbox.problem;
      await wakeUp.sleep(Number.POSITIVE_INFINITY, signal);
    }
  } finally {
    watchdog.stop();
    inbox.close();
  }
}

interface Inbox {
  /** Frames that were not read yet; undefined for one that is too long. */
  readonly frames: (string | Buffer | undefined)[];
  /** Why no more frames come. */
  problem: SourceError | undefined;
  onFrame: () => void;
  fail(problem: SourceError): void;
  take(): (string | Buffer | undefined)[];
  /** The frames were taken: more may come. */
  taken(): void;
  close(): void;
}

function openInbox({ http, live }: FetchContext, url: string, onChange: () => void): Inbox {
  const host = hostOf(url);
  const socket = http.socket(url);
  let bytes = 0;
  const inbox: Inbox = {
    frames: [],
    problem: undefined,
    onFrame: () => {},
    fail(problem) {
      inbox.problem ??= problem;
      onChange();
    },
    take() {
      bytes = 0;
      return inbox.frames.splice(0);
    },
    taken() {
      if (socket.isPaused) socket.resume();
    },
    close: () => socket.terminate(),
  };
  socket.on('open', live);
  socket.on('message', (data: Buffer, isBinary) => {
    inbox.onFrame();
    const isShort = data.length <= MAX_FRAME;
    const frame = isBinary ? data : data.toString();
    inbox.frames.push(isShort ? frame : undefined);
    if (isShort) bytes += data.length;
    if (inbox.frames.length > MOST_WAITING || bytes > MOST_BYTES) socket.pause();
    onChange();
  });
  socket.on('unexpected-response', (_, answer) => void refusalOf(answer, url).then((refusal) => inbox.fail(refusal)));
  socket.on('error', (error) => inbox.fail(brokenBy(error, host)));
  socket.on('close', (code) => inbox.fail(new SourceError(`${host} closed the connection (${code}).`)));
  return inbox;
}

const brokenBy = (error: Error, host: string): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError(`${host} cannot be reached, or broke the connection.`, { cause: error });

/** A server that does not upgrade the connection says why, as JSON or as plain text. */
async function refusalOf(answer: IncomingMessage, url: string): Promise<RefusedError> {
  let body = '';
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      body += part.toString();
      if (body.length > MAX_REFUSAL) break;
    }
  } catch {
    // The words are lost; the status says enough.
  } finally {
    answer.destroy();
  }
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
  return new RefusedError(url, answer.statusCode ?? 0, body, Number.isFinite(seconds) ? seconds : undefined);
}
