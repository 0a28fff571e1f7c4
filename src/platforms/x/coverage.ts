/**
 * What the stream has shown whole, and what is missing: the one place that opens and closes gaps. A gap is closed as
 * recovered only when a replay of all of it has come through; until then it is in the cursor, for the next start.
 * Lengths are measured on the clock that never jumps.
 */
import type { Clock } from '../../base/clock.ts';
import type { Entry } from './backlog-entry.ts';
import { type Cursor, writeCursor } from './cursor.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A backfill is asked for a little more than what is missing, and reaches back so many minutes at most. */
const BACKFILL_MARGIN_MS = 30_000;
const MOST_BACKFILL = 5;
/** A recovery begins this much before the gap. */
export const RECOVERY_MARGIN_MS = MINUTE_MS;
/** What is older cannot be had back; some minutes are left for asking. */
const RECOVERABLE_MS = DAY_MS - 5 * MINUTE_MS;
const MARK_EVERY_MS = 1_000;

export interface Missing {
  readonly from: Date;
  /** Undefined until the stream is live again. */
  to: Date | undefined;
  readonly cause: string;
  /** When it began, on the clock that never jumps. */
  readonly since: number;
  /** False when nothing will bring it back. */
  mendable: boolean;
  /** The connection that is open was asked to bring it. */
  inBackfill: boolean;
}

interface Options {
  readonly clock: Clock;
  /** Whether the access level has backfill and recovery at all. */
  readonly replay: boolean;
  readonly start: Cursor | undefined;
  readonly push: (entry: Entry) => void;
}

export interface Coverage {
  /** The cursor of what comes now. */
  cursor(): string;
  /** A whole record or a heartbeat came: nothing is missing up to now. */
  receipt(): void;
  /** Says that nothing is missing, at most once a second. */
  mark(): void;
  /** The stream is gone: a gap opens, unless one is open. It begins at the last receipt, or at `since` where that is earlier. */
  lost(cause: string, since?: number): void;
  /** Minutes of backfill to ask for with the next connection. */
  backfill(): number;
  /** Nothing will be replayed: what is missing stays missing. */
  refuseReplay(): void;
  /** The stream is open again; `opened` is X's time. */
  live(opened: Date): void;
  /** All that the backfill had has come. */
  backfilled(): void;
  readonly awaitsBackfill: boolean;
  /** The next one that needs a connection of its own to come back. */
  toRecover(): Missing | undefined;
  /** What X has of it still. What is older than a day is given up, and the rest, if any, is a gap of its own. */
  trim(missing: Missing): Missing | undefined;
  close(missing: Missing, recovered: boolean): void;
  /** When we were connected lately, each up to the last receipt and by X's clock; the latest last. */
  readonly connected: readonly Connected[];
}

export interface Connected {
  readonly from: Date;
  readonly to: Date;
}

/** As many as could still be on X's list by mistake. */
const MOST_CONNECTED = 10;

export function createCoverage({ clock, replay, start, push }: Options): Coverage {
  let at = start?.at ?? clock.now();
  let elapsed = elapsedAt(at);
  let openedAt = start?.opened === undefined ? elapsed : elapsedAt(start.opened);
  let marked = Number.NEGATIVE_INFINITY;
  let written: { at: number; cursor: string } | undefined;
  const connected: Connected[] = start?.opened === undefined ? [] : [{ from: start.opened, to: start.at }];
  let missing: Missing[] = (start?.missing ?? []).map(({ from, to, cause }) => ({
    from,
    to,
    cause,
    since: elapsedAt(from),
    mendable: replay,
    inBackfill: false,
  }));

  /** For a moment in the past that only the wall clock knew. */
  function elapsedAt(moment: Date): number {
    return clock.elapsed() - Math.max(0, clock.now().getTime() - moment.getTime());
  }

  function cursor(): string {
    if (written?.at !== at.getTime()) {
      // A gap that begins now is what the cursor says by itself.
      const known = missing.filter(({ from, to }) => to !== undefined || from < at);
      const pending = known.map(({ from, to = at, cause }) => ({ from, to, cause }));
      written = { at: at.getTime(), cursor: writeCursor({ at, opened: connected.at(-1)?.from, missing: pending }) };
    }
    return written.cursor;
  }

  function pushMark(): void {
    marked = clock.elapsed();
    push({ kind: 'mark', at: at.getTime(), cursor: cursor() });
  }

  function pushGap({ from, to, cause }: Missing, recovered: boolean): void {
    const end = to === undefined ? {} : { to: to.getTime() };
    push({ kind: 'gap', from: from.getTime(), ...end, cause, recovered });
  }

  function add(cause: string, since: number): Missing {
    const from = new Date(at.getTime() - Math.max(0, elapsed - since));
    const one = { from, to: undefined, cause, since, mendable: replay, inBackfill: false };
    missing.push(one);
    written = undefined;
    return one;
  }

  function close(one: Missing, recovered: boolean): void {
    missing = missing.filter((other) => other !== one);
    written = undefined;
    pushGap(one, recovered);
  }

  function trim(one: Missing): Missing | undefined {
    const tooOld = clock.elapsed() - one.since - RECOVERABLE_MS;
    if (tooOld <= 0 || one.to === undefined) return one;
    const cut = new Date(one.from.getTime() + tooOld);
    if (cut >= one.to) {
      close(one, false);
      return undefined;
    }
    close({ ...one, to: cut }, false);
    const rest = { ...one, from: cut, since: one.since + tooOld };
    missing = [...missing.filter((other) => other !== one), rest];
    pushGap({ ...rest, to: undefined }, false);
    return rest;
  }

  // What an earlier run left open is open still, and so is all that happened since.
  for (const one of missing) pushGap({ ...one, to: undefined }, false);
  if (start !== undefined) pushGap(add('restart', elapsed), false);

  return {
    cursor,
    receipt() {
      at = clock.now();
      elapsed = clock.elapsed();
    },
    mark() {
      if (clock.elapsed() - marked >= MARK_EVERY_MS) pushMark();
    },
    lost(cause, since = elapsed) {
      if (missing.some(({ to }) => to === undefined)) return;
      const last = connected.at(-1);
      const lasted = Math.max(0, elapsed - openedAt);
      if (last !== undefined) {
        connected[connected.length - 1] = { from: last.from, to: new Date(last.from.getTime() + lasted) };
      }
      const one = add(cause, since);
      // What the gap begins with is durable first, so that a restart finds the same gap.
      pushMark();
      pushGap(one, false);
    },
    backfill() {
      let minutes = 0;
      for (const one of missing) {
        const need = Math.ceil((clock.elapsed() - one.since + BACKFILL_MARGIN_MS) / MINUTE_MS);
        one.inBackfill = one.mendable && need <= MOST_BACKFILL;
        if (one.inBackfill) minutes = Math.max(minutes, need);
      }
      return minutes;
    },
    refuseReplay() {
      for (const one of missing) one.mendable = false;
    },
    live(openedByX) {
      connected.push({ from: openedByX, to: openedByX });
      if (connected.length > MOST_CONNECTED) connected.shift();
      at = clock.now();
      elapsed = clock.elapsed();
      openedAt = elapsed;
      written = undefined;
      const last = missing.find(({ to }) => to === undefined);
      if (last !== undefined) {
        last.to = new Date(Math.max(at.getTime(), last.from.getTime()));
        if (last.mendable) trim(last);
      }
      for (const one of missing) if (!one.mendable) close(one, false);
      pushMark();
    },
    backfilled() {
      for (const one of missing) if (one.inBackfill && one.to !== undefined) close(one, true);
    },
    get awaitsBackfill() {
      return missing.some(({ inBackfill, to }) => inBackfill && to !== undefined);
    },
    toRecover: () => missing.find(({ inBackfill, mendable, to }) => mendable && !inBackfill && to !== undefined),
    trim,
    close,
    connected,
  };
}
