/**
 * The time at which the stream resumes. It never resumes after an id, because posts come in any order. A cursor also
 * holds the earlier times that are still missing, so that a restart goes on fetching them.
 */
export interface XCursor {
  /** Up to when the stream is complete, except for what is missing below. */
  readonly at: Date;
  /** When the connection was opened, by X's clock. It tells our connection among those that X lists. */
  readonly opened: Date | undefined;
  /** Up to where the inbox of a webhook was read. It holds for the run that wrote it. */
  readonly received?: number | undefined;
  readonly missing: readonly { readonly from: Date; readonly to: Date; readonly cause: string }[];
}

export const writeXCursor = ({ at, opened, received, missing }: XCursor): string =>
  JSON.stringify({ at, opened, received, ...(missing.length === 0 ? {} : { missing }) });

/** Returns undefined if the text is not a cursor of ours; then the stream begins now. */
export function readXCursor(text: string | undefined): XCursor | undefined {
  try {
    const { at, opened, received, missing = [] } = JSON.parse(text ?? '') as Written;
    return {
      at: dateOf(at),
      opened: opened === undefined ? undefined : dateOf(opened),
      ...(received !== undefined && { received }),
      missing: missing.map(({ from, to, cause }) => ({ from: dateOf(from), to: dateOf(to), cause })),
    };
  } catch {
    return undefined;
  }
}

interface Written {
  at: string;
  opened?: string;
  received?: number;
  missing?: { from: string; to: string; cause: string }[];
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}

/**
 * Times for which posts may be missing, and what can be done for each: asked for with the next connection (a backfill),
 * fetched by a connection of its own (a recovery), or given up. Everything here is pure. Lengths are measured on the
 * clock that never jumps.
 */
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A backfill is asked for this much more than what is missing, because connecting takes time. X offers at most 5 minutes. */
const BACKFILL_MARGIN_MS = 20_000;
const MOST_BACKFILL = 5;
/** X recovers one day. Five minutes of it are left for asking. */
const RECOVERABLE_MS = DAY_MS - 5 * MINUTE_MS;

export interface MissingSpan {
  readonly from: Date;
  /** It is undefined until the stream is live again. */
  readonly to: Date | undefined;
  readonly cause: string;
  /** When it began, on the clock that never jumps. */
  readonly since: number;
  /** False if nothing will bring the posts. */
  readonly mendable: boolean;
  /** The connection that is open, or about to be, was asked to bring the posts. */
  readonly inBackfill: boolean;
}

/** Chooses the spans that one backfill can bring, and how many minutes to ask for. */
export function planBackfill(
  spans: readonly MissingSpan[],
  elapsed: number,
): { readonly minutes: number; readonly spans: MissingSpan[] } {
  const needed = (span: MissingSpan): number => Math.ceil((elapsed - span.since + BACKFILL_MARGIN_MS) / MINUTE_MS);
  const planned = spans.map((span) => ({ ...span, inBackfill: span.mendable && needed(span) <= MOST_BACKFILL }));
  const minutes = planned.filter(({ inBackfill }) => inBackfill).map(needed);
  return { minutes: Math.max(0, ...minutes), spans: planned };
}

/** Cuts off the part of a closed span that is too old to be fetched. Either part may be empty. */
export function splitByAge(
  span: MissingSpan,
  elapsed: number,
): { readonly tooOld?: MissingSpan; readonly rest?: MissingSpan } {
  const excess = elapsed - span.since - RECOVERABLE_MS;
  if (excess <= 0 || span.to === undefined) return { rest: span };
  const cut = new Date(span.from.getTime() + excess);
  if (cut >= span.to) return { tooOld: span };
  return { tooOld: { ...span, to: cut }, rest: { ...span, from: cut, since: span.since + excess } };
}

/** The next span that needs a connection of its own. */
export const nextToRecover = (spans: readonly MissingSpan[]): MissingSpan | undefined =>
  spans.find(({ inBackfill, mendable, to }) => mendable && !inBackfill && to !== undefined);

/** True for a span that the open connection's backfill is about to bring. */
export const isAwaited = ({ inBackfill, to }: MissingSpan): boolean => inBackfill && to !== undefined;

/** Spans are copied when they change. A copy keeps the very `Date` at which the span begins, and no other span has it. */
export const isSameSpan = (one: MissingSpan, other: MissingSpan): boolean => one.from === other.from;
