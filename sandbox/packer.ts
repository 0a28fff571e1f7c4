/** One gzip stream whose reader can unpack each record as soon as it is there. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface Packer {
  /** Comes first. */
  readonly head: Buffer;
  pack(body: Buffer): Buffer;
  /** Comes last. */
  tail(): Buffer;
}

/** A gzip header that says nothing but that. */
const HEAD = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty block that is the last. */
const LAST_BLOCK = Buffer.of(3, 0);

export function createPacker(): Packer {
  let sum = 0;
  let length = 0;
  return {
    head: HEAD,
    pack(body) {
      sum = crc32(body, sum);
      length = (length + body.length) >>> 0;
      // Flushed and not finished: blocks made apart stand side by side in one stream.
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
