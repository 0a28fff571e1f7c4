/** The text frames of a WebSocket, as an iterable that its reader takes at its own pace. */
import { createWakeUp } from '../../base/wake-up.ts';
import type { FetchContext } from './fetch-context.ts';
import { hostOf, SourceError } from './source-error.ts';
import { startWatchdog } from './watchdog.ts';

/**
 * The server cannot be told to wait. This many frames are kept for the reader; then the connection is given up, and what
 * is missing comes again from the cursor.
 */
const MAX_WAITING = 20_000;
/** No post is longer; a longer frame is skipped. */
const MAX_FRAME = 1024 * 1024;

/** Throws when the connection breaks, ends, or is silent for `stallMs`. */
export async function* textFrames(context: FetchContext, url: string, stallMs: number): AsyncIterable<string> {
  const { clock, signal } = context;
  const wakeUp = createWakeUp(clock);
  const inbox = openInbox(context, url, () => wakeUp.wake());
  const silence = `${hostOf(url)} sent nothing for ${stallMs / 1_000} seconds.`;
  const watchdog = startWatchdog(clock, stallMs, () => inbox.fail(silence));
  inbox.onFrame = () => watchdog.feed();
  try {
    for (;;) {
      while (inbox.frames.length > 0 && !signal.aborted) yield* inbox.frames.splice(0);
      if (signal.aborted) return;
      if (inbox.problem !== undefined) throw new SourceError(inbox.problem, { isSilence: inbox.problem === silence });
      await wakeUp.sleep(Number.POSITIVE_INFINITY, signal);
    }
  } finally {
    watchdog.stop();
    inbox.close();
  }
}

interface Inbox {
  /** Frames that were not read yet. */
  readonly frames: string[];
  /** Why no more frames come. */
  problem: string | undefined;
  onFrame: () => void;
  fail(problem: string): void;
  close(): void;
}

function openInbox({ http, live }: FetchContext, url: string, onChange: () => void): Inbox {
  const host = hostOf(url);
  const socket = http.socket(url);
  const inbox: Inbox = {
    frames: [],
    problem: undefined,
    onFrame: () => {},
    fail(problem) {
      inbox.problem ??= problem;
      onChange();
    },
    close: () => socket.terminate(),
  };
  socket.on('open', live);
  socket.on('message', (data: Buffer, isBinary) => {
    inbox.onFrame();
    if (!isBinary && data.length <= MAX_FRAME) inbox.frames.push(data.toString());
    if (inbox.frames.length > MAX_WAITING) inbox.fail(`${host} sends more than can be stored.`);
    onChange();
  });
  socket.on('error', (error) =>
    inbox.fail(error instanceof SourceError ? error.message : `${host} cannot be reached, or broke the connection.`),
  );
  socket.on('close', (code) => inbox.fail(`${host} closed the connection (${code}).`));
  return inbox;
}
