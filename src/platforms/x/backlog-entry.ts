/** What waits between the reader of the stream and whoever stores it: plain data, so that it can wait in a file. */
import type { StreamState } from '../platform.ts';

export type Entry =
  /** A line as it came; it is parsed when its turn comes. What is replayed tells nothing of how much comes now. */
  | {
      readonly kind: 'record';
      readonly at: number;
      readonly cursor: string;
      readonly replayed: boolean;
      readonly line: Buffer;
    }
  | { readonly kind: 'mark'; readonly at: number; readonly cursor: string }
  | { readonly kind: 'state'; readonly state: StreamState; readonly reason?: string }
  | {
      readonly kind: 'gap';
      readonly from: number;
      readonly to?: number;
      readonly cause: string;
      readonly recovered: boolean;
    }
  | { readonly kind: 'broken'; readonly cursor: string; readonly reason: string; readonly sample: string };

const LINE_FEED = 0x0a;

/** Each entry is two lines: itself, and the record's bytes, which have no line break. */
export function writeEntries(entries: readonly Entry[]): Buffer {
  const end = Buffer.from('\n');
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.kind !== 'record') return [Buffer.from(JSON.stringify(entry)), end, end];
      const { line, ...rest } = entry;
      return [Buffer.from(JSON.stringify(rest)), end, line, end];
    }),
  );
}

/** What `writeEntries` wrote, and nobody else. */
export function readEntries(block: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let start = 0; start < block.length; ) {
    const middle = block.indexOf(LINE_FEED, start);
    const end = block.indexOf(LINE_FEED, middle + 1);
    const entry = JSON.parse(block.toString('utf8', start, middle)) as Entry;
    entries.push(entry.kind === 'record' ? { ...entry, line: block.subarray(middle + 1, end) } : entry);
    start = end + 1;
  }
  return entries;
}
