/** The operator's files of history: those below one folder, and no others. */
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import nodePath, { basename, dirname, type PlatformPath } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { jsonOf } from '../text/read-items.ts';
import { eventOfRecord, HistoryError, type HistoryEvent, type HistoryOptions, type HistoryPart } from './history.ts';
import { parquetHistory } from './parquet-history.ts';

export interface HistoryFiles {
  /** Throws `HistoryError` when there is no such file that can be read. */
  check(name: string): Promise<void>;
  read(name: string, options: HistoryOptions): AsyncIterable<HistoryPart>;
}

const NDJSON = /\.(?:ndjson|jsonl)(?:\.gz)?$/;
const PARQUET = /\.parquet$/;

export const historyFiles = (folder: string): HistoryFiles => ({
  async check(name) {
    const { file } = await openBelow(folder, name);
    await file.close();
  },
  async *read(name, options) {
    const { file, path } = await openBelow(folder, name);
    try {
      yield* PARQUET.test(path) ? parquetHistory(file, path, options) : ndjsonHistory(file, path, options);
    } finally {
      await file.close();
    }
  },
});

/** A file of the person who runs the command, wherever it is. */
export async function* readHistoryFile(path: string, options: HistoryOptions): AsyncIterable<HistoryPart> {
  const full = await realpath(path).catch(() => notThere(path));
  yield* historyFiles(dirname(full)).read(basename(full), options);
}

/** Opens a file, which must be below the folder after all links are followed. */
async function openBelow(folder: string, name: string): Promise<{ file: FileHandle; path: string }> {
  if (!NDJSON.test(name) && !PARQUET.test(name))
    throw new HistoryError('The file must end in .ndjson, .jsonl, .ndjson.gz, .jsonl.gz or .parquet.');
  if (!mayBeBelow(name)) return notThere(name);
  const root = await realpath(folder).catch(() => notThere(name));
  const full = await realpath(nodePath.join(root, name)).catch(() => notThere(name));
  if (!isBelow(root, full)) return notThere(name);
  // A pipe would wait for its other end, and a link that was put there since is not followed.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(full, flags).catch(() => notThere(name));
  if ((await file.stat()).isFile()) return { file, path: full };
  await file.close();
  return notThere(name);
}

/** Whether a name that a caller gives stays in its folder, as text: links are looked at later. */
export const mayBeBelow = (name: string, { isAbsolute, normalize, parse }: PlatformPath = nodePath): boolean =>
  // On Windows `C:file` is no absolute path, and yet it leads to another folder.
  !isAbsolute(name) && parse(name).root === '' && !name.includes('\0') && !normalize(name).startsWith('..');

export const isBelow = (root: string, full: string, { sep }: PlatformPath = nodePath): boolean =>
  full.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

function notThere(name: string): never {
  throw new HistoryError(`There is no file ${JSON.stringify(name.slice(0, 200))} in the folder of history.`);
}

const MAX_LINE = 1024 * 1024;
/** The bytes that are read at once: parsing them takes a millisecond. */
const CHUNK = 64 * 1024;
const NEWLINE = 10;

const placeShape = z.object({ ino: z.number(), size: z.number(), offset: z.number() });

/** An NDJSON file as history. The position is the number of bytes read, unpacked; what is appended meanwhile is left out. */
async function* ndjsonHistory(
  file: FileHandle,
  path: string,
  { platforms, position, signal }: HistoryOptions,
): AsyncIterable<HistoryPart> {
  const stat = await file.stat();
  const place =
    position === undefined ? { ino: stat.ino, size: stat.size, offset: 0 } : placeShape.parse(JSON.parse(position));
  if (stat.ino !== place.ino || stat.size < place.size)
    throw new HistoryError('The file was replaced while it was read. Start the rehearsal again.');
  const isPacked = path.endsWith('.gz');
  for await (const { lines, end, isLong, read } of linesOf(bytesOf(file, place, isPacked, signal))) {
    if (signal.aborted) return;
    const found = lines.map((line) => eventOfRecord(jsonOf(line)));
    const events = found.filter((event) => event !== undefined && platforms.includes(event.platform));
    const offset = isPacked ? end : place.offset + end;
    yield {
      events: events as HistoryEvent[],
      unreadable: found.filter((event) => event === undefined).length + isLong,
      position: JSON.stringify({ ...place, offset }),
      progress: place.size === 0 ? 1 : Math.min(1, (isPacked ? read() : offset) / place.size),
    };
  }
}

interface Bytes {
  readonly stream: Readable;
  /** Bytes of the unpacked text that were read before. */
  readonly skip: number;
  /** Bytes that were read of the file. */
  read(): number;
}

function bytesOf(
  file: FileHandle,
  { size, offset }: z.output<typeof placeShape>,
  isPacked: boolean,
  signal: AbortSignal,
): Bytes {
  const start = isPacked ? 0 : offset;
  const options = { fd: file, autoClose: false, start, highWaterMark: CHUNK, signal };
  // An end before the start is not allowed; a file without any bytes to read is read to its end.
  const stream = createReadStream('', size > start ? { ...options, end: size - 1 } : options);
  if (!isPacked) return { stream, skip: 0, read: () => stream.bytesRead };
  const unpacked = createGunzip();
  stream.once('error', (error) => unpacked.destroy(error));
  return { stream: stream.pipe(unpacked), skip: offset, read: () => stream.bytesRead };
}

interface Lines {
  readonly lines: readonly string[];
  /** How many were longer than a line may be. */
  readonly isLong: number;
  /** Bytes up to the end of the last of them. */
  readonly end: number;
  read(): number;
}

/** Lines of each chunk. A line that is too long is passed over without being kept. */
async function* linesOf({ stream, skip, read }: Bytes): AsyncIterable<Lines> {
  let rest: Buffer = Buffer.alloc(0);
  let isPassing = false;
  let end = 0;
  let total = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const from = Math.max(0, Math.min(chunk.length, skip - total));
    total += chunk.length;
    if (from === chunk.length) continue;
    if (end < skip) end = skip;
    const bytes = rest.length === 0 ? chunk.subarray(from) : Buffer.concat([rest, chunk.subarray(from)]);
    const lines: string[] = [];
    let isLong = 0;
    let at = 0;
    for (let next = bytes.indexOf(NEWLINE); next >= 0; next = bytes.indexOf(NEWLINE, at)) {
      if (isPassing || next - at > MAX_LINE) isLong++;
      else if (next > at) lines.push(bytes.toString('utf8', at, next));
      isPassing = false;
      at = next + 1;
    }
    end += at;
    rest = bytes.subarray(at);
    if (rest.length > MAX_LINE) {
      isPassing = true;
      end += rest.length;
      rest = Buffer.alloc(0);
    }
    if (lines.length > 0 || isLong > 0) yield { lines: lines.filter(isText), isLong, end, read };
  }
  const last = isPassing ? '' : rest.toString();
  if (isText(last) || isPassing)
    yield { lines: isText(last) ? [last] : [], isLong: Number(isPassing), end: end + rest.length, read };
}

const isText = (line: string): boolean => line.trim() !== '';
