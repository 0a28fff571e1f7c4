/** The ring of recent events as rows: many events to a row, one line each, `["account", "post id", payload]`. */
import type { Platform } from '../../domain/platform.ts';
import type { RecentEvent } from '../store.ts';

export interface RecentLimits {
  /** Events of a platform. */
  readonly events: number;
  /** Bytes of a platform. */
  readonly bytes: number;
}

/** A row holds about so many characters, so that reading or rewriting one is quick. */
const ROW_LENGTH = 256 * 1024;

export interface RingEvent {
  readonly accountId: string | undefined;
  readonly postId: string;
  /** JSON on one line. */
  readonly payload: string;
}

export interface RecentTotals {
  readonly events: number;
  readonly bytes: number;
}

export interface RecentRow {
  readonly number: number;
  readonly at: number;
  readonly lines: string;
}

interface PackedRow extends RecentTotals {
  readonly lines: string;
}

export function pack(events: readonly RingEvent[]): PackedRow[] {
  const rows: PackedRow[] = [];
  let lines = '';
  let count = 0;
  events.forEach(({ accountId, postId, payload }, index) => {
    const line = `[${JSON.stringify(accountId ?? '')},${JSON.stringify(postId)},${payload}]`;
    lines += count === 0 ? line : `\n${line}`;
    count++;
    if (lines.length < ROW_LENGTH && index < events.length - 1) return;
    rows.push({ lines, events: count, bytes: Buffer.byteLength(lines) });
    lines = '';
    count = 0;
  });
  return rows;
}

/** The events of a row that an account sees, newest first: everybody's and its own. */
export function* eventsOf({ at, lines }: RecentRow, platform: Platform, accountId: string): Generator<RecentEvent> {
  const own = `[${JSON.stringify(accountId)},`;
  for (const line of lines.split('\n').toReversed()) {
    // An emptied row has one empty line.
    if (!line.startsWith('["",') && !line.startsWith(own)) continue;
    const [owner, postId, payload] = JSON.parse(line) as [string, string, RecentEvent['event']['payload']];
    yield { at: new Date(at), event: { platform, postId, payload, accountId: owner === '' ? undefined : owner } };
  }
}
