/**
 * Pushes a recording to a server, batch by batch. After each batch the server has acknowledged, the place is noted in
 * the data folder, so that a replay that was cut short goes on from there; a repeat of a batch adds nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import { openRecording, type RecordedBatch } from '../sources/replay.ts';
import { makePrivateFolder } from './private-folder.ts';

export interface ReplayRequest {
  /** A file, or `-` for standard input. */
  readonly file: string;
  readonly platform: Platform;
  readonly rate: number | undefined;
  readonly dataDir: string;
  /** The server that gets the events: two servers have two places in one file. */
  readonly serverUrl: string;
  readonly fromStart: boolean;
  readonly signal: AbortSignal;
  /** An undefined outcome ends the replay before the batch. */
  push(lines: string): Promise<PushOutcome | undefined>;
  onProgress(progress: Progress): void;
  /** Called once when the place cannot be noted; the replay goes on. */
  onUnnoted(error: NodeJS.ErrnoException): void;
}

export interface PushOutcome {
  readonly accepted: number;
  /** It is undefined when the events are in the log, and not stored yet. */
  readonly matches?: number | undefined;
  readonly rejected: readonly { readonly line: number; readonly message: string }[];
  readonly more_rejected?: number | undefined;
}

export interface Progress {
  readonly events: number;
  readonly matches: number | undefined;
  readonly rejected: number;
  /** Refused lines, by their number in the whole recording; the first few. */
  readonly refusals: readonly { readonly line: number; readonly message: string }[];
  /** Lines that an earlier run had pushed. */
  readonly resumedAt: number;
  readonly position: number;
  /** Whether the same request would go on after the position. */
  readonly isNoted: boolean;
  /** How much of the source is read, from 0 to 1; undefined for standard input. */
  readonly part: number | undefined;
  readonly done: boolean;
}

const MAX_REFUSALS = 10;

export async function replay(request: ReplayRequest): Promise<Progress> {
  const place = request.file === '-' ? undefined : createPlace(request);
  const resumedAt = request.fromStart ? 0 : (place?.read() ?? 0);
  const { batches, size } = await openRecording(request.file, process.stdin, {
    clock: systemClock,
    signal: request.signal,
    from: resumedAt,
    rate: request.rate,
  });
  let progress: Progress = {
    events: 0,
    matches: 0,
    rejected: 0,
    refusals: [],
    resumedAt,
    position: resumedAt,
    isNoted: place !== undefined,
    part: size && 0,
    done: false,
  };
  for await (const batch of batches) {
    const pushed = await request.push(batch.text);
    if (pushed === undefined) return progress;
    const isNoted = place?.write(batch.position) === true;
    progress = { ...advanced(progress, pushed, batch), isNoted, part: size && batch.bytes / size };
    request.onProgress(progress);
    if (request.signal.aborted) return progress;
  }
  if (request.signal.aborted) return progress;
  place?.forget();
  return { ...progress, done: true };
}

function advanced(before: Progress, pushed: PushOutcome, { position, lines }: RecordedBatch): Progress {
  const refusals = pushed.rejected.map(({ line, message }) => ({ line: position - lines + line, message }));
  return {
    ...before,
    events: before.events + pushed.accepted,
    matches: pushed.matches === undefined ? undefined : (before.matches ?? 0) + pushed.matches,
    rejected: before.rejected + pushed.rejected.length + (pushed.more_rejected ?? 0),
    refusals: [...before.refusals, ...refusals].slice(0, MAX_REFUSALS),
    position,
  };
}

interface Place {
  read(): number | undefined;
  /** Answers whether the place could be noted. */
  write(position: number): boolean;
  forget(): void;
}

/** A recording that has changed since is another one, and begins at its start. */
function createPlace({ file, platform, serverUrl, dataDir, onUnnoted }: ReplayRequest): Place {
  const { size, mtimeMs } = statSync(file);
  const identity = JSON.stringify([resolve(file), size, mtimeMs, platform, serverUrl]);
  const path = join(dataDir, 'replay', `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`);
  let isTold = false;
  function tried(change: () => void): boolean {
    try {
      change();
      return true;
    } catch (error) {
      if (!isTold) onUnnoted(error as NodeJS.ErrnoException);
      isTold = true;
      return false;
    }
  }
  return {
    read() {
      try {
        return (JSON.parse(readFileSync(path, 'utf8')) as { position: number }).position;
      } catch {
        return undefined;
      }
    },
    write: (position) =>
      tried(() => {
        makePrivateFolder(path);
        writeFileSync(path, JSON.stringify({ file: resolve(file), position }));
      }),
    forget: () => void tried(() => rmSync(path, { force: true })),
  };
}
