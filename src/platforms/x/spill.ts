/**
 * A file for records that do not fit in memory: blocks are written at its end and read from its beginning. The file is
 * unlinked as soon as it is open, so that a crash leaves nothing behind. What was in it was not committed, and a restart
 * knows that it is missing.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamState } from '../platform.ts';

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

export type BacklogEntry =
  | {
      readonly kind: 'record';
      /** When it was read. */
      readonly at: number;
      /** The stream is complete up to here, except for gaps. */
      readonly through: number;
      readonly cursor: string;
      /** It came with a replay, so it says nothing about how many posts come now. */
      readonly replayed: boolean;
      /** Since when posts are missing that the replay brings. */
      readonly since?: number;
      /** The line as it came. It is parsed when the consumer takes it. */
      readonly line: Buffer;
    }
  | { readonly kind: 'mark'; readonly through: number; readonly cursor: string }
  | { readonly kind: 'state'; readonly state: StreamState; readonly reason?: string }
  | {
      readonly kind: 'gap';
      readonly from: number;
      readonly to?: number;
      readonly cause: string;
      readonly recovered: boolean;
    }
  | {
      readonly kind: 'broken';
      readonly through: number;
      readonly since?: number;
      readonly cursor: string;
      readonly reason: string;
      readonly sample: string;
    };

const LINE_FEED = 0x0a;
/** The memory that an entry takes beside its bytes, roughly. */
const OVERHEAD = 200;

/** Entries between the reader of the stream and the consumer that stores them: plain data, which can wait in a file. */
export const sizeOf = (entry: BacklogEntry): number => OVERHEAD + (entry.kind === 'record' ? entry.line.length : 0);

/** Writes each entry as two lines: the entry as JSON, and the record's bytes, which contain no line break. */
export function writeEntries(entries: readonly BacklogEntry[]): Buffer {
  const end = Buffer.from('\n');
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.kind !== 'record') return [Buffer.from(JSON.stringify(entry)), end, end];
      const { line, ...rest } = entry;
      return [Buffer.from(JSON.stringify(rest)), end, line, end];
    }),
  );
}

/** Reads what `writeEntries` of this process wrote; it checks nothing. */
export function readEntries(block: Buffer): BacklogEntry[] {
  const entries: BacklogEntry[] = [];
  for (let start = 0; start < block.length; ) {
    const middle = block.indexOf(LINE_FEED, start);
    const end = block.indexOf(LINE_FEED, middle + 1);
    const entry = JSON.parse(block.toString('utf8', start, middle)) as BacklogEntry;
    entries.push(entry.kind === 'record' ? { ...entry, line: block.subarray(middle + 1, end) } : entry);
    start = end + 1;
  }
  return entries;
}
