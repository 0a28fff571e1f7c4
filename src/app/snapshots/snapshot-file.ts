/**
 * The file of a snapshot: a header that says what it belongs to, then the parts of the image. Whatever is wrong with it is
 * found: each part is read with its digest, and the header has one of its own.
 *
 *     magic 16 | length of the header 4 | SHA-256 of the header 32 | header, JSON | parts one after another
 */
import { createHash, hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import { SNAPSHOT_MARK } from '../../service/cluster/load-rules.ts';
import type { Store } from '../../store/store.ts';

const MAGIC = Buffer.from('sluice rules 01\n');
const LENGTH_AT = MAGIC.length;
const DIGEST_AT = LENGTH_AT + 4;
const HEADER_AT = DIGEST_AT + 32;
const LONGEST_HEADER = 1024 * 1024;
/** Read between two turns of the program: a few milliseconds of work. */
const SLICE = 4 * 1024 * 1024;

export interface SnapshotHeader {
  /** It names the code and the settings that made the programs: see `program-fingerprint.ts`. */
  readonly fingerprint: string;
  /** Stands in the store's log of rule changes, at the position. */
  readonly token: string;
  readonly position: number;
}

interface Header extends SnapshotHeader {
  readonly parts: readonly { readonly name: string; readonly size: number; readonly digest: string }[];
}

export interface SnapshotFile extends SnapshotHeader, ImageReader, AsyncDisposable {}

/** The file is no snapshot, or a damaged one. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/** Returns undefined when there is no file. Throws `SnapshotError`. */
export async function openSnapshotFile(path: string): Promise<SnapshotFile | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new SnapshotError('it cannot be read', { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    return snapshotOf(file, await readHeader(file));
  } catch (error) {
    await file.close();
    throw error;
  }
}

function snapshotOf(file: FileHandle, { parts, end, ...header }: Header & { end: number }): SnapshotFile {
  const places = new Map<string, { size: number; digest: string; at: number }>();
  let at = end;
  for (const { name, size, digest } of parts) {
    places.set(name, { size, digest, at });
    at += size;
  }
  function placeOf(name: string) {
    const place = places.get(name);
    if (place === undefined) throw new SnapshotError(`it has no part ${name}`);
    return place;
  }
  return {
    ...header,
    sizeOf: (name) => placeOf(name).size,
    async readInto(name, target) {
      const place = placeOf(name);
      const summed = createHash('sha256');
      for (let from = 0; from < place.size; from += SLICE) {
        const slice = target.subarray(from, Math.min(from + SLICE, place.size));
        await readFully(file, slice, place.at + from);
        summed.update(slice);
      }
      if (summed.digest('hex') !== place.digest) throw new SnapshotError(`its part ${name} is damaged`);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function readHeader(file: FileHandle): Promise<Header & { end: number }> {
  const start = Buffer.alloc(HEADER_AT);
  await readFully(file, start, 0);
  const length = start.readUInt32LE(LENGTH_AT);
  if (!start.subarray(0, MAGIC.length).equals(MAGIC)) throw new SnapshotError('it has another format');
  if (length > LONGEST_HEADER) throw new SnapshotError('its header is damaged');
  const text = Buffer.alloc(length);
  await readFully(file, text, HEADER_AT);
  if (!hash('sha256', text, 'buffer').equals(start.subarray(DIGEST_AT, HEADER_AT)))
    throw new SnapshotError('its header is damaged');
  return { ...(JSON.parse(text.toString()) as Header), end: HEADER_AT + length };
}

async function readFully(file: FileHandle, target: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file
      .read(target, done, target.length - done, position + done)
      .catch((cause: unknown) => {
        throw new SnapshotError('it cannot be read', { cause });
      });
    if (bytesRead === 0) throw new SnapshotError('it is cut short');
    done += bytesRead;
  }
}

/** Replaces the file by one that is whole on the disk. The parts must not change meanwhile. */
export async function writeSnapshotFile(
  path: string,
  header: SnapshotHeader,
  parts: readonly ImagePart[],
): Promise<void> {
  const described = parts.map(({ name, bytes }) => ({ name, size: bytes.length, digest: hash('sha256', bytes) }));
  const text = Buffer.from(JSON.stringify({ ...header, parts: described } satisfies Header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const unfinished = `${path}.new`;
  // One that a crash left keeps neither its content nor its mode.
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    for (const bytes of [MAGIC, length, hash('sha256', text, 'buffer'), text]) await file.writeFile(bytes);
    for (const { bytes } of parts) await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

// Whether a snapshot is one of this store and this program.

/**
 * Returns undefined when there is no file. Throws `SnapshotError` when it is damaged, or not one of this store and
 * program.
 */
export async function fittingSnapshot(
  path: string,
  store: Pick<Store, 'ruleChanges'>,
  fingerprint: () => string,
): Promise<SnapshotFile | undefined> {
  const file = await openSnapshotFile(path);
  if (file === undefined) return undefined;
  try {
    if (file.fingerprint !== fingerprint()) throw new SnapshotError('another version of the program has made it');
    // A log that has dropped the mark, one of another store or of an older state of this store does not have it there.
    const [marked] = await store.ruleChanges(file.position - 1, 1);
    if (marked?.number !== file.position || marked.ruleId !== SNAPSHOT_MARK + file.token)
      throw new SnapshotError('it is not one of this database');
    return file;
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}
