/**
 * A Parquet file as history, row group after row group. A thread of its own reads it: decoding a group takes long, and a
 * damaged file may take for ever. The position is the number of rows.
 */
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { eventOfRecord, HistoryError, type HistoryEvent, type HistoryOptions, type HistoryPart } from './history.ts';

/** Some rows, as JSON; none at the end. */
export interface ParquetRows {
  readonly rows: readonly string[];
  readonly next: number;
  readonly total: number;
}

export interface ParquetFailure {
  readonly problem: string;
}

const MEMORY_MB = 1_024;

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./parquet-worker.ts', import.meta.url)
  : new URL('./parquet-worker.js', import.meta.url);

const placeShape = z.object({ ino: z.number(), size: z.number(), row: z.number() });

export async function* parquetHistory(
  file: FileHandle,
  path: string,
  { platforms, position, signal }: HistoryOptions,
): AsyncIterable<HistoryPart> {
  const { ino, size } = await file.stat();
  const place = position === undefined ? { ino, size, row: 0 } : placeShape.parse(JSON.parse(position));
  if (ino !== place.ino || size !== place.size)
    throw new HistoryError('The file was replaced while it was read. Start the rehearsal again.');
  const worker = new Worker(ENTRY, {
    workerData: { path, row: place.row },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const end = watchEnd(worker);
  try {
    for (;;) {
      const answer = await ask(worker, end, signal);
      if (answer === undefined) return;
      if ('problem' in answer) throw new HistoryError(answer.problem);
      if (answer.rows.length === 0) return;
      const found = answer.rows.map((row) => eventOfRecord(JSON.parse(row)));
      const events = found.filter((event) => event !== undefined && platforms.includes(event.platform));
      yield {
        events: events as HistoryEvent[],
        unreadable: found.filter((event) => event === undefined).length,
        position: JSON.stringify({ ...place, row: answer.next }),
        progress: answer.next / answer.total,
      };
    }
  } finally {
    await worker.terminate();
  }
}

const UNREADABLE = 'The file cannot be read: it may be damaged, or its row groups too large.';

/** Hears the end of a thread also while nobody waits for it: an error that nobody hears would end the process. */
function watchEnd(worker: Worker): { readonly isOver: boolean } {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  worker.on('error', over).on('exit', over);
  return state;
}

/** Returns undefined when the signal aborts. */
async function ask(
  worker: Worker,
  end: { readonly isOver: boolean },
  signal: AbortSignal,
): Promise<ParquetRows | ParquetFailure | undefined> {
  if (end.isOver) throw new HistoryError(UNREADABLE);
  const { promise, resolve, reject } = Promise.withResolvers<ParquetRows | ParquetFailure | undefined>();
  const leave = () => resolve(undefined);
  const ended = () => reject(new HistoryError(UNREADABLE));
  worker.once('message', resolve).once('error', ended).once('exit', ended);
  signal.addEventListener('abort', leave, { once: true });
  try {
    if (signal.aborted) return undefined;
    worker.postMessage('next', []);
    return await promise;
  } finally {
    worker.off('message', resolve).off('error', ended).off('exit', ended);
    signal.removeEventListener('abort', leave);
  }
}
