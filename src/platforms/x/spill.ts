/**
 * A file for records that do not fit in memory: blocks are written at its end and read from its beginning. The file is
 * unlinked as soon as it is open, so that a crash leaves nothing behind. What was in it was not committed, and a restart
 * knows that it is missing.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Spill {
  /** False if the disk refuses the block. */
  write(block: Buffer): boolean;
  /** The oldest block that was not read yet; undefined if all were. */
  read(): Buffer | undefined;
  close(): void;
}

export function createSpill(folder: string, name: string): Spill {
  let file: number | undefined;
  let blocks: { at: number; size: number }[] = [];
  let end = 0;
  return {
    write(block) {
      try {
        file ??= openUnlinked(folder, `${name}.spill`);
        writeAt(file, block, end);
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
      const block = readAt(file, next.at, next.size);
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

function openUnlinked(folder: string, name: string): number {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const file = openSync(path, 'w+', 0o600);
  unlinkSync(path);
  return file;
}

function writeAt(file: number, block: Buffer, at: number): void {
  for (let done = 0; done < block.length; ) done += writeSync(file, block, done, block.length - done, at + done);
}

function readAt(file: number, at: number, size: number): Buffer {
  const block = Buffer.allocUnsafe(size);
  for (let done = 0; done < size; ) {
    const read = readSync(file, block, done, size - done, at + done);
    if (read === 0) throw new Error('The spill file ended too early.');
    done += read;
  }
  return block;
}
