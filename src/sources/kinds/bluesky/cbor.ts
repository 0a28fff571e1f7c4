/**
 * DAG-CBOR, as records of atproto are written, read into what their JSON form has: a link is `{ $link }`, bytes are
 * `{ $bytes }`. What is not DAG-CBOR throws: definite lengths only, keys are strings, one tag.
 */
const MAX_DEPTH = 64;
const LINK = 42;

export class CborError extends Error {}

export function readCbor(bytes: Buffer, from = 0, to = bytes.length): unknown {
  const reader = { bytes, at: from, to };
  const value = readValue(reader, 0);
  if (reader.at !== to) throw new CborError('there is something after the end');
  return value;
}

interface CborReader {
  readonly bytes: Buffer;
  readonly to: number;
  at: number;
}

function readValue(reader: CborReader, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new CborError('it is nested too deep');
  const first = byteOf(reader);
  const major = first >> 5;
  const info = first & 31;
  if (major === 7) return simpleOf(reader, info);
  const count = countOf(reader, info);
  switch (major) {
    case 0:
      return count;
    case 1:
      return -1 - count;
    case 2:
      return {
        $bytes: part(reader, count)
          .toString('base64')
          .replace(/={1,2}$/, ''),
      };
    case 3:
      return textOf(reader, count);
    case 4:
      return listOf(reader, count, depth);
    case 5:
      return mapOf(reader, count, depth);
    default:
      return linkOf(reader, count);
  }
}

function listOf(reader: CborReader, count: number, depth: number): unknown[] {
  roomFor(reader, count);
  const list: unknown[] = [];
  for (let index = 0; index < count; index++) list.push(readValue(reader, depth + 1));
  return list;
}

function mapOf(reader: CborReader, count: number, depth: number): Record<string, unknown> {
  roomFor(reader, 2 * count);
  const map: Record<string, unknown> = {};
  for (let index = 0; index < count; index++) {
    const first = byteOf(reader);
    if (first >> 5 !== 3) throw new CborError('a key is no text');
    const key = textOf(reader, countOf(reader, first & 31));
    const value = readValue(reader, depth + 1);
    // As JSON.parse does: a key of this name is a plain key.
    if (key === '__proto__') Object.defineProperty(map, key, { value, enumerable: true });
    else map[key] = value;
  }
  return map;
}

/** A link is a byte string that begins with a zero. */
function linkOf(reader: CborReader, tag: number): { $link: string } {
  const first = byteOf(reader);
  if (tag !== LINK || first >> 5 !== 2) throw new CborError('a tag that is no link');
  const bytes = part(reader, countOf(reader, first & 31));
  if (bytes[0] !== 0) throw new CborError('a link without its zero');
  return { $link: `b${base32(bytes.subarray(1))}` };
}

function simpleOf(reader: CborReader, info: number): unknown {
  if (info === 20) return false;
  if (info === 21) return true;
  if (info === 22) return null;
  if (info === 27) return part(reader, 8).readDoubleBE(0);
  throw new CborError('a value that is not known');
}

function countOf(reader: CborReader, info: number): number {
  if (info < 24) return info;
  if (info === 24) return byteOf(reader);
  if (info === 25) return part(reader, 2).readUInt16BE(0);
  if (info === 26) return part(reader, 4).readUInt32BE(0);
  if (info !== 27) throw new CborError('a length that is not known');
  const count = Number(part(reader, 8).readBigUInt64BE(0));
  if (!Number.isSafeInteger(count)) throw new CborError('a number that is too large');
  return count;
}

function byteOf(reader: CborReader): number {
  if (reader.at >= reader.to) throw new CborError('it ends too soon');
  return reader.bytes[reader.at++]!;
}

function part(reader: CborReader, length: number): Buffer {
  roomFor(reader, length);
  reader.at += length;
  return reader.bytes.subarray(reader.at - length, reader.at);
}

function textOf(reader: CborReader, length: number): string {
  roomFor(reader, length);
  reader.at += length;
  return reader.bytes.toString('utf8', reader.at - length, reader.at);
}

/** Every element takes a byte: nothing is made in advance that cannot be there. */
function roomFor({ to, at }: CborReader, length: number): void {
  if (length > to - at) throw new CborError('it ends too soon');
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(held << (5 - bits)) & 31];
}
