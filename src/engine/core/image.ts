/** An engine as named pieces of bytes: what it takes to go on with it in another process. */
import type { StringColumn } from '../../base/string-column.ts';

export interface ImagePart {
  readonly name: string;
  /** Valid until the engine changes. */
  readonly bytes: Uint8Array;
}

export interface ImageReader {
  /** Throws where there is no such part. */
  sizeOf(name: string): number;
  /** Fills the target, which is as long as the part. */
  readInto(name: string, target: Uint8Array): Promise<void>;
}

export async function readPart(reader: ImageReader, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(reader.sizeOf(name));
  await reader.readInto(name, bytes);
  return bytes;
}

export async function readWords(reader: ImageReader, name: string): Promise<Int32Array<ArrayBuffer>> {
  return new Int32Array((await readPart(reader, name)).buffer);
}

export async function readJson<T>(reader: ImageReader, name: string): Promise<T> {
  return JSON.parse(Buffer.from((await readPart(reader, name)).buffer).toString()) as T;
}

export const jsonPart = (name: string, value: unknown): ImagePart => ({
  name,
  bytes: Buffer.from(JSON.stringify(value)),
});

export const bytesOf = (array: Int32Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

export const columnParts = (name: string, { ends, bytes }: StringColumn): ImagePart[] => [
  { name: `${name}-ends`, bytes: bytesOf(ends) },
  { name, bytes },
];

export async function readColumn(reader: ImageReader, name: string): Promise<StringColumn> {
  const ends = new Uint32Array((await readPart(reader, `${name}-ends`)).buffer);
  return { ends, bytes: Buffer.from((await readPart(reader, name)).buffer) };
}
