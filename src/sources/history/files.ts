/** The operator's files of history: those below one folder, and no others. */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import nodePath, { basename, dirname, type PlatformPath } from 'node:path';
import { HistoryError, type HistoryOptions, type HistoryPart } from './history.ts';
import { ndjsonHistory } from './ndjson-history.ts';
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
