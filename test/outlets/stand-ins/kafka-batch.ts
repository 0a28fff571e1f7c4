/** A batch of records of version 2, as brokers store it. */
import { Reader } from './kafka-wire.ts';

export interface StoredRecord {
  readonly key: string | undefined;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Batch {
  readonly producerId: bigint;
  readonly sequence: number;
  readonly records: readonly StoredRecord[];
}

const MAGIC = 2;

/** Returns undefined when the batch is not whole: another version, a wrong checksum, a wrong length or compressed. */
export function readBatch(bytes: Buffer): Batch | undefined {
  const reader = new Reader(bytes);
  reader.int64();
  if (reader.int32() !== reader.left) return undefined;
  reader.int32();
  if (reader.int8() !== MAGIC) return undefined;
  const checksum = reader.uint32();
  if (crc32c(bytes.subarray(bytes.length - reader.left)) !== checksum) return undefined;
  if ((reader.int16() & 0b111) !== 0) return undefined;
  const last = reader.int32();
  reader.take(16);
  const producerId = reader.int64();
  reader.int16();
  const sequence = reader.int32();
  const count = reader.int32();
  if (last !== count - 1) return undefined;
  const records = Array.from({ length: count }, (_, index) => readRecord(reader, index));
  return reader.left === 0 ? { producerId, sequence, records } : undefined;
}

function readRecord(from: Reader, index: number): StoredRecord {
  const reader = new Reader(from.take(from.varint()));
  reader.int8();
  reader.varint();
  if (reader.varint() !== index) throw new Error('The records are out of order.');
  const key = reader.varblock()?.toString();
  const value = reader.varblock()?.toString() ?? '';
  const headers = Array.from({ length: reader.varint() }, () => [
    reader.varblock()!.toString(),
    reader.varblock()!.toString(),
  ]);
  return { key, value, headers: Object.fromEntries(headers) as Record<string, string> };
}

const CASTAGNOLI = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
  return value >>> 0;
});

function crc32c(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
