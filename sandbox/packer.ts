/** A gzip stream whose reader can decompress each record at once. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface Packer {
  /** Comes first. */
  readonly head: Buffer;
  pack(body: Buffer): Buffer;
  /** Comes last. */
  tail(): Buffer;
}

/** A gzip header without optional fields. */
const HEAD = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty last block. */
const LAST_BLOCK = Buffer.of(3, 0);

export function createPacker(): Packer {
  let sum = 0;
  let length = 0;
  return {
    head: HEAD,
    pack(body) {
      sum = crc32(body, sum);
      length = (length + body.length) >>> 0;
      // Flushed but not finished, so that separate blocks can follow each other in one stream.
      return deflateRawSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    },
    tail() {
      const sums = Buffer.alloc(8);
      sums.writeUInt32LE(sum, 0);
      sums.writeUInt32LE(length, 4);
      return Buffer.concat([LAST_BLOCK, sums]);
    },
  };
}
