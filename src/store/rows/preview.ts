/** The walk through recent events that a preview makes, newest first, whatever the database. */
import type { Platform } from '../../domain/platform.ts';
import type { RecentEvent } from '../store.ts';
import type { Erased } from './erased.ts';
import { eventsOf, type RecentRow } from './recent.ts';
import type { Named } from './tombstones.ts';

/** Events given at a time. */
const SLICE = 100;
/** Events parsed and looked up among the erased at once: a row of the smallest ones has ten thousand. */
const PART = 250;

interface Steps {
  readonly platform: Platform;
  readonly limit: number;
  readonly erased: Erased;
  /** Some rows before a number, newest first; none at the end. */
  readonly rowsBefore: (number: number) => Promise<readonly RecentRow[]>;
  /** Finds the events that the account must not see. */
  readonly hidden: (events: readonly Named[]) => Promise<(event: Named) => boolean>;
  readonly breathe?: () => Promise<void>;
}

export async function* recentSlices({
  platform,
  limit,
  erased,
  rowsBefore,
  hidden,
  breathe,
}: Steps): AsyncIterable<RecentEvent[]> {
  /** A post that came again, or in parts, is shown once. */
  const seen = new Set<string>();
  let slice: RecentEvent[] = [];
  for (
    let rows = await rowsBefore(Number.MAX_SAFE_INTEGER);
    rows.length > 0;
    rows = await rowsBefore(rows.at(-1)!.number)
  ) {
    await breathe?.();
    for (const part of partsOf(rows, platform)) {
      await breathe?.();
      const isHidden = await hidden(part.map(({ recent }) => recent.event));
      // Looking a part up takes as long as reading it, or as trying a slice of it.
      await breathe?.();
      for (const { row, recent } of part) {
        const { postId } = recent.event;
        if (seen.size === limit) break;
        if (seen.has(postId) || erased.isHidden(row.number, postId) || isHidden(recent.event)) continue;
        seen.add(postId);
        slice.push(recent);
        if (slice.length < SLICE) continue;
        yield slice;
        slice = [];
        await breathe?.();
      }
      if (seen.size === limit) break;
    }
    if (seen.size === limit) break;
  }
  if (slice.length > 0) yield slice;
}

interface FoundEvent {
  readonly row: RecentRow;
  readonly recent: RecentEvent;
}

/** The events of rows, some at a time; the next ones are parsed when they are asked for. */
function* partsOf(rows: readonly RecentRow[], platform: Platform): Generator<FoundEvent[]> {
  let part: FoundEvent[] = [];
  for (const row of rows) {
    for (const recent of eventsOf(row, platform)) {
      part.push({ row, recent });
      if (part.length < PART) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

/** The characters of the rows that are read at once, about. */
const READ_AT_ONCE = 512 * 1024;

/** How many of these rows to read: at least one. */
export function enough(rows: readonly { readonly number: number; readonly bytes: number }[]): number[] {
  const numbers: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (numbers.length > 0 && bytes > READ_AT_ONCE) break;
    numbers.push(row.number);
  }
  return numbers;
}
