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
