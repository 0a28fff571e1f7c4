/**
 * Which part of X's stream we have shown to be complete, and which parts are missing. Only this file opens and closes
 * gaps. A gap is closed as recovered only after a replay of all of it has come; until then it is in the cursor, so that a
 * restart continues with it.
 */
import type { Clock } from '../../base/clock.ts';
import {
  isAwaited,
  isSameSpan,
  type MissingSpan,
  nextToRecover,
  planBackfill,
  splitByAge,
  writeXCursor,
  type XCursor,
} from './cursor.ts';
import type { BacklogEntry } from './spill.ts';

/**
 * X delivers 99 of 100 posts within 7 seconds. So a receipt shows only that posts older than 7 seconds have come. Younger
 * ones may still be inside X, and are lost to us if the connection breaks. Gaps begin this much before the last receipt.
 */
export const X_DELAY_MS = 7_000;
const MARK_EVERY_MS = 1_000;
/** Connections of ours that X may still list although their sockets are gone. */
const MOST_CONNECTED_SPANS = 10;

/** Up to when the stream is complete: by the wall clock, and by the one that never jumps. */
export interface Reach {
  readonly at: Date;
  readonly elapsed: number;
}

export interface ConnectedSpan {
  readonly from: Date;
  readonly to: Date;
}

interface CoverageOptions {
  readonly clock: Clock;
  /** Whether the access level has backfill and recovery. */
  readonly replay: boolean;
  readonly start: XCursor | undefined;
  readonly push: (entry: BacklogEntry) => void;
}

export class Coverage {
  readonly #clock: Clock;
  readonly #replay: boolean;
  readonly #push: (entry: BacklogEntry) => void;
  readonly #connected: ConnectedSpan[];
  #reach: Reach;
  #missing: MissingSpan[];
  /** When the last connection was opened, and when bytes came last. */
  #openedAt: number;
  #receivedAt: number;
  #markedAt = Number.NEGATIVE_INFINITY;
  #received: number | undefined;
  #written: { at: number; cursor: string } | undefined;

  constructor({ clock, replay, start, push }: CoverageOptions) {
    this.#clock = clock;
    this.#replay = replay;
    this.#push = push;
    this.#reach = start === undefined ? this.reachNow(0) : { at: start.at, elapsed: this.#elapsedAt(start.at) };
    this.#receivedAt = clock.elapsed();
    this.#openedAt = start?.opened === undefined ? this.#receivedAt : this.#elapsedAt(start.opened);
    this.#connected = start?.opened === undefined ? [] : [{ from: start.opened, to: start.at }];
    this.#missing = (start?.missing ?? []).map((span) => this.#span(span, this.#elapsedAt(span.from)));
    // Gaps that an earlier run left open are still open, and so is the time since then.
    for (const span of this.#missing) this.#pushGap({ ...span, to: undefined }, false);
    if (start !== undefined) this.#pushGap(this.#add('restart', this.#reach.elapsed), false);
  }

  /** How far a receipt at this moment reaches. `lag` is how long its bytes may have waited for us to read them. */
  reachNow(lag: number): Reach {
    const late = X_DELAY_MS + lag;
    return { at: new Date(this.#clock.now().getTime() - late), elapsed: this.#clock.elapsed() - late };
  }

  /** A whole record or a heartbeat came and was taken: the stream is complete up to `reach`. */
  receipt(reach: Reach): void {
    this.#reach = reach;
    this.#receivedAt = this.#clock.elapsed();
  }

  /** Up to when the stream is complete, except for gaps. */
  get through(): Date {
    return this.#reach.at;
  }

  /** Since when posts are missing that a replay may bring. */
  get missingSince(): Date | undefined {
    const [first, ...others] = this.#missing;
    return first && others.reduce((from, other) => (other.from < from ? other.from : from), first.from);
  }

  /** The cursor from which a restart goes on, if it is complete up to `reach`. */
  cursor({ at }: Reach = this.#reach): string {
    if (this.#written?.at !== at.getTime()) {
      // A gap that begins at the cursor's own time is left out: resuming from the cursor implies it.
      const known = this.#missing.filter(({ from, to }) => to !== undefined || from < at);
      const missing = known.map(({ from, to = at, cause }) => ({ from, to, cause }));
      const cursor = writeXCursor({
        at,
        opened: this.#connected.at(-1)?.from,
        received: this.#received,
        missing,
      });
      this.#written = { at: at.getTime(), cursor };
    }
    return this.#written.cursor;
  }

  /** Pushes a mark, at most one a second. */
  mark(): void {
    if (this.#clock.elapsed() - this.#markedAt >= MARK_EVERY_MS) this.#pushMark();
  }

  /**
   * The connection is lost: a gap opens, unless one is open. It begins where the stream is complete or, if heartbeats are
   * not to be trusted, X's delay before `heardUntil`.
   */
  lost(cause: string, heardUntil?: number): void {
    this.#endConnected();
    if (this.#missing.some(({ to }) => to === undefined)) return;
    const { elapsed } = this.#reach;
    const span = this.#add(cause, heardUntil === undefined ? elapsed : Math.min(elapsed, heardUntil - X_DELAY_MS));
    // The mark is stored before the gap, so that a restart finds the gap with the same beginning.
    this.#pushMark();
    this.#pushGap(span, false);
  }

  /** The inbox of the webhook was read up to here. */
  read(position: number): void {
    this.#received = position;
    this.#written = undefined;
  }

  /** Gives the open gap another cause, in the place of the first. */
  relabel(cause: string): void {
    this.#missing = this.#missing.map((span) => {
      if (span.to !== undefined || span.cause === cause) return span;
      const named = { ...span, cause };
      this.#pushGap(named, false);
      return named;
    });
    this.#written = undefined;
  }

  /** Deliveries failed between two times, while the others came. */
  missed(from: Date, to: Date, cause: string): void {
    const began = new Date(from.getTime() - X_DELAY_MS);
    // A gap that is open has them.
    if (this.#missing.some((span) => span.to === undefined && span.from <= began)) return;
    const span = this.#span({ from: began, to, cause }, this.#elapsedAt(began));
    this.#missing.push(span);
    this.#written = undefined;
    this.#pushGap(span, false);
  }

  /** How many minutes of backfill to ask for with the next connection. */
  backfill(): number {
    const { minutes, spans } = planBackfill(this.#missing, this.#clock.elapsed());
    this.#missing = spans;
    return minutes;
  }

  /** Nothing will be replayed: what is missing stays missing. */
  refuseReplay(): void {
    this.#missing = this.#missing.map((span) => ({ ...span, mendable: false }));
  }

  /** The stream is open again. `opened` is the time by X's clock. */
  live(opened: Date): void {
    this.doubtful(opened);
    this.trust();
  }

  /** The stream is open again, and nothing shows yet that it brings posts: the gap stays open until `trust`. */
  doubtful(opened: Date): void {
    this.#connected.push({ from: opened, to: opened });
    if (this.#connected.length > MOST_CONNECTED_SPANS) this.#connected.shift();
    this.stayed();
    this.#openedAt = this.#receivedAt;
    this.#written = undefined;
  }

  /** The connection lives, which shows nothing of its posts. */
  stayed(): void {
    this.#receivedAt = this.#clock.elapsed();
  }

  /** The gap ends now. `isWhole`: the connection has brought every post since it was opened. */
  trust(isWhole = true): void {
    this.receipt(this.reachNow(0));
    this.#written = undefined;
    const open = this.#missing.find(({ to }) => to === undefined);
    if (open !== undefined) {
      const to = new Date(Math.max(this.#clock.now().getTime(), open.from.getTime()));
      // A backfill ends where its connection began.
      const ended = { ...open, to, inBackfill: open.inBackfill && isWhole };
      this.#missing = this.#missing.map((span) => (span === open ? ended : span));
      if (ended.mendable) this.trim(ended);
    }
    for (const span of this.#missing.filter(({ mendable }) => !mendable)) this.close(span, false);
    this.#pushMark();
  }

  /** Everything that the backfill had to bring has come. */
  backfilled(): void {
    for (const span of this.#missing.filter(isAwaited)) this.close(span, true);
  }

  get awaitsBackfill(): boolean {
    return this.#missing.some(isAwaited);
  }

  toRecover(): MissingSpan | undefined {
    return nextToRecover(this.#missing);
  }

  /** Whether the span is still missing. */
  has(span: MissingSpan): boolean {
    return this.#missing.some((other) => isSameSpan(other, span));
  }

  /** Gives up the part that X does not have any more. The rest, if any, is a gap of its own. */
  trim(known: MissingSpan): MissingSpan | undefined {
    const span = this.#missing.find((other) => isSameSpan(other, known)) ?? known;
    const { tooOld, rest } = splitByAge(span, this.#clock.elapsed());
    if (tooOld === undefined) return rest;
    this.close(span, false, tooOld.to);
    if (rest === undefined) return undefined;
    this.#missing.push(rest);
    this.#pushGap({ ...rest, to: undefined }, false);
    return rest;
  }

  /** Closes a gap at its end, or at `to`. */
  close(span: MissingSpan, recovered: boolean, to = span.to): void {
    this.#missing = this.#missing.filter((other) => !isSameSpan(other, span));
    this.#written = undefined;
    this.#pushGap({ ...span, to }, recovered);
  }

  /** The latest times at which we were connected, by X's clock, each up to the last receipt. */
  get connected(): readonly ConnectedSpan[] {
    return this.#connected;
  }

  #add(cause: string, since: number): MissingSpan {
    const { at, elapsed } = this.#reach;
    const span = this.#span({ from: new Date(at.getTime() - (elapsed - since)), to: undefined, cause }, since);
    this.#missing.push(span);
    this.#written = undefined;
    return span;
  }

  #span(span: Pick<MissingSpan, 'from' | 'to' | 'cause'>, since: number): MissingSpan {
    const { from, to, cause } = span;
    return { from, to, cause, since, mendable: this.#replay, inBackfill: false };
  }

  #endConnected(): void {
    const last = this.#connected.at(-1);
    if (last === undefined) return;
    const lasted = Math.max(0, this.#receivedAt - this.#openedAt);
    this.#connected[this.#connected.length - 1] = { ...last, to: new Date(last.from.getTime() + lasted) };
  }

  #pushMark(): void {
    this.#markedAt = this.#clock.elapsed();
    this.#push({ kind: 'mark', through: this.#reach.at.getTime(), cursor: this.cursor() });
  }

  #pushGap({ from, to, cause }: MissingSpan, recovered: boolean): void {
    const end = to === undefined ? {} : { to: to.getTime() };
    this.#push({ kind: 'gap', from: from.getTime(), ...end, cause, recovered });
  }

  /** The time on the clock that never jumps for a past time of the wall clock. */
  #elapsedAt(moment: Date): number {
    return this.#clock.elapsed() - Math.max(0, this.#clock.now().getTime() - moment.getTime());
  }
}
