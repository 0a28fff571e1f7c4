import type { ServerResponse } from 'node:http';

/** Aborts when the caller goes away before its answer was written. */
export function goneSignal(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort(new Error(GONE));
  const controller = new AbortController();
  // An abort costs an error with its stack; only a caller that went away early is worth one.
  response.once('close', () => response.writableFinished || controller.abort(new Error(GONE)));
  return controller.signal;
}

const GONE = 'The reader went away.';
