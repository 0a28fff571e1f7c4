/**
 * A file for what memory has no room for: blocks are written at its end and read from its beginning. It has no name,
 * so that nothing is left behind by a crash: what was in it was not committed, and a restart knows that it is missing.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Spill {
  /** False when the disk does not take it. */
  write(block: Buffer): boolean;
  /** The oldest block that was not read; undefined when all were. */
  read(): Buffer | undefined;
  close(): void;
}

export function createSpill(folder: string, name: string): Spill {
  let file: number | undefined;
  let blocks: { at: number; size: number }[] = [];
  let end = 0;

  function opened(): number {
    if (file !== undefined) return file;
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.spill`);
    file = openSync(path, 'w+', 0o600);
    unlinkSync(path);
    return file;
  }

  return {
    write(block) {
      try {
        for (let done = 0; done < block.length; ) {
          done += writeSync(opened(), block, done, block.length - done, end + done);
        }
      } catch {
        return false;
      }
      blocks.push({ at: end, size: block.length });
      end += block.length;
      return true;
    },
    read() {
      const next = blocks.shift();
      if (next === undefined || file === undefined) return undefined;
      const block = Buffer.allocUnsafe(next.size);
      for (let done = 0; done < next.size; ) {
        const read = readSync(file, block, done, next.size - done, next.at + done);
        if (read === 0) throw new Error('The spill file ended too early.');
        done += read;
      }
      if (blocks.length === 0) {
        ftruncateSync(file, 0);
        end = 0;
      }
      return block;
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
      blocks = [];
    },
  };
}
