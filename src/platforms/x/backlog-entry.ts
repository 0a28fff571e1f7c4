/** Entries between the reader of the stream and the consumer that stores them: plain data, which can wait in a file. */
import type { StreamState } from '../platform.ts';

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
