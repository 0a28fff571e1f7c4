/**
 * Reads recorded events, one a line, from a file (`.gz` too) or from standard input, in batches to be pushed. A position
 * is a number of lines, so that it means the same in a compressed file. The caller keeps it, and resumes there.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../base/clock.ts';

export interface RecordedBatch {
  /** Whole lines, each with its line feed. */
  readonly text: string;
  readonly lines: number;
  /** Lines read so far, this batch and skipped lines included: where to resume once the batch is pushed. */
  readonly position: number;
  /** Bytes of the file read so far; compressed bytes for a compressed file, so that they compare with its size. */
  readonly bytes: number;
}

export interface ReplayOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Lines to skip: the position of an earlier run. */
  readonly from?: number;
  /** Lines a second; as fast as they are read when undefined. */
  readonly rate?: number | undefined;
}

export interface Recording {
  readonly batches: AsyncIterable<RecordedBatch>;
  /** It is undefined for standard input. */
  readonly size: number | undefined;
}

const MAX_BYTES = 1024 * 1024;
const MAX_LINES = 1_000;
/** With a rate, a batch holds the lines of a tenth of a second. */
const TENTH = 10;

/** Opens a file; `-` is standard input. */
export async function openRecording(path: string, input: Readable, options: ReplayOptions): Promise<Recording> {
  if (path === '-') return { size: undefined, batches: batchesOf(input, () => 0, options) };
  const { size } = await stat(path);
  const source = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? unpack(source) : source;
  return { size, batches: batchesOf(unpacked, () => source.bytesRead, options) };
}

function unpack(source: Readable): Readable {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function* batchesOf(
  source: Readable,
  bytesRead: () => number,
  options: ReplayOptions,
): AsyncIterable<RecordedBatch> {
  const { clock, signal, from = 0, rate } = options;
  const most = rate === undefined ? MAX_LINES : Math.max(1, Math.min(MAX_LINES, Math.round(rate / TENTH)));
  const began = clock.now().getTime();
  let position = 0;
  let text = '';
  let lines = 0;
  for await (const line of linesOf(source)) {
    if (signal.aborted) return;
    if (position++ < from) continue;
    text += `${line}\n`;
    lines++;
    if (lines < most && text.length < MAX_BYTES) continue;
    yield { text, lines, position, bytes: bytesRead() };
    [text, lines] = ['', 0];
    if (rate !== undefined) {
      const due = began + ((position - from) / rate) * 1_000;
      await clock.sleep(Math.max(0, due - clock.now().getTime()), signal);
    }
  }
  if (lines > 0) yield { text, lines, position, bytes: bytesRead() };
}

/** Lines without their line feeds; the last needs none. Characters that span two chunks are joined. */
async function* linesOf(source: Readable): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
    rest = parts.pop()!;
    yield* parts;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
