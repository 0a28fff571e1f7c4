/**
 * Pushes a recording to a server, batch by batch. After each batch the server has acknowledged, the place is noted in
 * the data folder, so that a replay that was cut short goes on from there; a repeat of a batch adds nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Platform } from '../domain/platform.ts';
import { openRecording } from '../sources/replay.ts';
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
  push(lines: string): Promise<PushOutcome>;
  onProgress(progress: Progress): void;
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
    part: size && 0,
    done: false,
  };
  for await (const batch of batches) {
    const pushed = await request.push(batch.text);
    progress = advanced(progress, pushed, batch.position - batch.lines, batch.position, size && batch.bytes / size);
    place?.write(batch.position);
    request.onProgress(progress);
    if (request.signal.aborted) return progress;
  }
  if (request.signal.aborted) return progress;
  place?.forget();
  return { ...progress, done: true };
}

function advanced(
  before: Progress,
  pushed: PushOutcome,
  skipped: number,
  position: number,
  part: number | undefined,
): Progress {
  const refusals = pushed.rejected.map(({ line, message }) => ({ line: skipped + line, message }));
  return {
    ...before,
    events: before.events + pushed.accepted,
    matches: pushed.matches === undefined ? undefined : (before.matches ?? 0) + pushed.matches,
    rejected: before.rejected + pushed.rejected.length + (pushed.more_rejected ?? 0),
    refusals: [...before.refusals, ...refusals].slice(0, MAX_REFUSALS),
    position,
    part,
  };
}

interface Place {
  read(): number | undefined;
  write(position: number): void;
  forget(): void;
}

/** A recording that has changed since is another one, and begins at its start. */
function createPlace({ file, platform, serverUrl, dataDir }: ReplayRequest): Place {
  const { size, mtimeMs } = statSync(file);
  const identity = JSON.stringify([resolve(file), size, mtimeMs, platform, serverUrl]);
  const path = join(dataDir, 'replay', `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`);
  return {
    read() {
      try {
        return (JSON.parse(readFileSync(path, 'utf8')) as { position: number }).position;
      } catch {
        return undefined;
      }
    },
    write(position) {
      makePrivateFolder(path);
      writeFileSync(path, JSON.stringify({ file: resolve(file), position }));
    },
    forget: () => rmSync(path, { force: true }),
  };
}
