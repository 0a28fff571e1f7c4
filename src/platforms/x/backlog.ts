/**
 * Between the reader, which never waits, and the consumer, which may be slow: X drops who does not read. What is more
 * than memory should hold waits in a file. Order is kept: memory first, then the file, then what is about to go there.
 */
import type { Entry } from './backlog-entry.ts';
import { readEntries, writeEntries } from './backlog-entry.ts';
import type { Spill } from './spill.ts';

export interface BacklogLimits {
  readonly records: number;
  readonly bytes: number;
  /** What is written to the file at once. */
  readonly block: number;
}

const LIMITS: BacklogLimits = { records: 50_000, bytes: 64 * 1024 * 1024, block: 256 * 1024 };
/** What an entry weighs beside its bytes, roughly. */
const OVERHEAD = 200;

export interface Backlog {
  /** False when there is no room left anywhere: a record was not taken. What is no record is always taken. */
  push(entry: Entry): boolean;
  /** The oldest entry; waits for one, and is undefined when the signal aborts. */
  take(signal: AbortSignal): Promise<Entry | undefined>;
  close(): void;
}

export function createBacklog(spill: Spill, count: () => void, limits: BacklogLimits = LIMITS): Backlog {
  let head: Entry[] = [];
  let next = 0;
  let headBytes = 0;
  let tail: Entry[] = [];
  let tailBytes = 0;
  let spilled = 0;
  let wake: (() => void) | undefined;

  const hasRoom = (): boolean =>
    spilled === 0 && tail.length === 0 && head.length - next < limits.records && headBytes < limits.bytes;

  function flush(): boolean {
    if (!spill.write(writeEntries(tail))) return false;
    for (const { kind } of tail) if (kind === 'record') count();
    spilled++;
    tail = [];
    tailBytes = 0;
    return true;
  }

  /** Gives the head what is oldest elsewhere. */
  function refill(): void {
    const block = spilled > 0 ? spill.read() : undefined;
    if (block !== undefined) {
      spilled--;
      head = readEntries(block);
    } else {
      head = tail;
      tail = [];
      tailBytes = 0;
    }
    next = 0;
    headBytes = head.reduce((sum, entry) => sum + sizeOf(entry), 0);
  }

  return {
    push(entry) {
      const size = sizeOf(entry);
      if (hasRoom()) {
        head.push(entry);
        headBytes += size;
      } else {
        if (tailBytes >= limits.block && !flush() && entry.kind === 'record') return false;
        tail.push(entry);
        tailBytes += size;
      }
      wake?.();
      return true;
    },
    async take(signal) {
      for (;;) {
        if (signal.aborted) return undefined;
        if (next === head.length) refill();
        const entry = head[next];
        if (entry !== undefined) {
          next++;
          headBytes -= sizeOf(entry);
          if (next > 1_000 && next * 2 > head.length) {
            head = head.slice(next);
            next = 0;
          }
          return entry;
        }
        await new Promise<void>((resolve) => {
          const woken = () => {
            signal.removeEventListener('abort', woken);
            resolve();
          };
          wake = woken;
          signal.addEventListener('abort', woken);
        });
        wake = undefined;
      }
    },
    close: () => spill.close(),
  };
}

const sizeOf = (entry: Entry): number => OVERHEAD + (entry.kind === 'record' ? entry.line.length : 0);
