/**
 * Where the stream resumes: by the time of receipt, and never by the highest id, since posts come in any order. A
 * cursor also holds which earlier times are still to be fetched, so that a restart goes on with them.
 */
export interface Cursor {
  /** When the last whole record or heartbeat came. */
  readonly at: Date;
  /** When the connection was opened, by X's clock: by this we know our own among X's list of connections. */
  readonly opened: Date | undefined;
  readonly missing: readonly { readonly from: Date; readonly to: Date; readonly cause: string }[];
}

export const writeCursor = ({ at, opened, missing }: Cursor): string =>
  JSON.stringify({ at, opened, ...(missing.length === 0 ? {} : { missing }) });

/** Undefined when it is none of ours: then the stream begins now. */
export function readCursor(text: string | undefined): Cursor | undefined {
  try {
    const { at, opened, missing = [] } = JSON.parse(text ?? '') as Written;
    return {
      at: dateOf(at),
      opened: opened === undefined ? undefined : dateOf(opened),
      missing: missing.map(({ from, to, cause }) => ({ from: dateOf(from), to: dateOf(to), cause })),
    };
  } catch {
    return undefined;
  }
}

interface Written {
  at: string;
  opened?: string;
  missing?: { from: string; to: string; cause: string }[];
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}
