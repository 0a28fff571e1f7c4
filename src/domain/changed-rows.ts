/** The changes of a watched page, old and new beside each other, as its event has them. Strangers wrote the texts. */
import type { Payload } from './match.ts';

export interface ChangedRow {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The rows of an event of a watched page; none for any other event, and none where nothing went: then all of it is new text. */
export function changedRows(payload: Payload): ChangedRow[] {
  const rows = fieldOf(fieldOf(payload['source'], 'original'), 'rows');
  const read = Array.isArray(rows) ? rows.map((row) => rowOf(row)) : [];
  return read.some(({ before }) => before !== undefined) ? read : [];
}

function rowOf(row: unknown): ChangedRow {
  const [before, after] = [fieldOf(row, 'before'), fieldOf(row, 'after')];
  return {
    before: typeof before === 'string' ? before : undefined,
    after: typeof after === 'string' ? after : undefined,
  };
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The changes as lines: `-` for what went, `+` for what came. */
export const changedLines = (rows: readonly ChangedRow[]): string[] =>
  rows.flatMap(({ before, after }) => [
    ...(before === undefined ? [] : [`- ${before}`]),
    ...(after === undefined ? [] : [`+ ${after}`]),
  ]);
