/** Reads the one file inside a zip archive, in chunks and up to a limit, so that no archive fills the memory. */
import { createInflateRaw } from 'node:zlib';
import { SourceError } from './source-error.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
/** The end may be followed by a comment of this length. */
const MAX_COMMENT = 65_535;
const CHUNK = 256 * 1024;

/** It will not become better when it is fetched again. */
export class DamagedError extends SourceError {}

/** Throws when it is no zip, holds more than one file, is damaged, or unpacks to more than `maxBytes`. */
export async function* unzipped(archive: Buffer, maxBytes: number): AsyncIterable<Buffer> {
  const { packed, size, isStored } = contentOf(archive);
  if (size > maxBytes) throw new DamagedError(`A zip archive unpacks to more than ${maxBytes} bytes.`);
  let count = 0;
  for await (const chunk of isStored ? [packed] : inflated(packed)) {
    count += chunk.length;
    if (count > maxBytes) throw new DamagedError(`A zip archive unpacks to more than ${maxBytes} bytes.`);
    yield chunk;
  }
  if (count !== size) throw broken();
}

const broken = (cause?: unknown): DamagedError => new DamagedError('A zip archive is damaged.', { cause });

async function* inflated(packed: Buffer): AsyncIterable<Buffer> {
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  inflate.end(packed);
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw broken(error);
  } finally {
    inflate.destroy();
  }
}

/** By the directory at the end of the archive: the header before the content may leave out its sizes. */
function contentOf(archive: Buffer): { packed: Buffer; size: number; isStored: boolean } {
  try {
    const end = endOf(archive);
    const entry = archive.readUInt32LE(end + 16);
    const files = archive.readUInt16LE(end + 10);
    if (files !== 1 || archive.readUInt32LE(entry) !== ENTRY) throw broken();
    const method = archive.readUInt16LE(entry + 10);
    const packedSize = archive.readUInt32LE(entry + 20);
    const local = archive.readUInt32LE(entry + 42);
    if (archive.readUInt32LE(local) !== LOCAL || (method !== 0 && method !== 8)) throw broken();
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    if (from + packedSize > entry) throw broken();
    const packed = archive.subarray(from, from + packedSize);
    return { packed, size: archive.readUInt32LE(entry + 24), isStored: method === 0 };
  } catch (error) {
    throw error instanceof DamagedError ? error : broken(error);
  }
}

function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_SIZE - MAX_COMMENT);
  for (let at = archive.length - END_SIZE; at >= first; at--) if (archive.readUInt32LE(at) === END) return at;
  throw broken();
}
