/** The thread behind `parquet-history.ts`: answers each request with the next rows of the file. */
import { parentPort, workerData } from 'node:worker_threads';
import zlib from 'node:zlib';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { ParquetFailure, ParquetRows } from './parquet-history.ts';

/** Rows of an answer and their characters, about: what the other side reads at once. */
const ROWS = 200;
const CHARACTERS = 256 * 1024;
/** A longer row is no event. */
const LONGEST_ROW = 4 * 1024 * 1024;
/** A group is held whole while it is read. */
const MAX_GROUP = 256 * 1024 * 1024;

/** Node has these; Snappy is built in. */
const compressors = {
  GZIP: (input: Uint8Array) => zlib.gunzipSync(input, { maxOutputLength: MAX_GROUP }),
  BROTLI: (input: Uint8Array) => zlib.brotliDecompressSync(input, { maxOutputLength: MAX_GROUP }),
  ZSTD: (input: Uint8Array) => zlib.zstdDecompressSync(input, { maxOutputLength: MAX_GROUP }),
};

const port = parentPort!;
const { path, row }: { path: string; row: number } = workerData;
const rows = rowsOf();

port.on('message', () => void answerNext());

async function answerNext(): Promise<void> {
  const answer = await rows.next().catch((error: unknown): { value: ParquetFailure } => ({
    value: { problem: `The file cannot be read: ${error instanceof Error ? error.message : String(error)}` },
  }));
  port.postMessage(answer.value ?? { rows: [], next: 0, total: 0 }, []);
}

async function* rowsOf(): AsyncGenerator<ParquetRows, undefined> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const total = Number(metadata.num_rows);
  for (const { start, end } of groupsOf(metadata)) {
    if (end <= row) continue;
    const group = await parquetReadObjects({
      file,
      metadata,
      compressors,
      rowStart: Math.max(start, row),
      rowEnd: end,
    });
    const first = Math.max(start, row);
    let part: string[] = [];
    let characters = 0;
    for (const [at, one] of group.entries()) {
      const text = JSON.stringify(one, plain);
      part.push(text.length > LONGEST_ROW ? 'null' : text);
      characters += part.at(-1)!.length;
      if (part.length < ROWS && characters < CHARACTERS && at < group.length - 1) continue;
      yield { rows: part, next: first + at + 1, total };
      [part, characters] = [[], 0];
    }
  }
  return undefined;
}

function groupsOf({ row_groups }: FileMetaData): { start: number; end: number }[] {
  let start = 0;
  return row_groups.map(({ num_rows, total_byte_size }) => {
    if (Number(total_byte_size) > MAX_GROUP)
      throw new Error('a row group has over 256 MiB. Write the file with smaller row groups.');
    const end = start + Number(num_rows);
    const group = { start, end };
    start = end;
    return group;
  });
}

/** Numbers that JSON cannot hold are texts. */
const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? plainNumber(value) : value);

const plainNumber = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
