/**
 * Texts that strangers wrote are stored in the form of JSON strings: NUL and half a surrogate pair then survive every
 * database. In the other direction, the text of a column that we wrote is trusted.
 */
export const encodeText = (text: string): string => JSON.stringify(text);

/** The value of a JSON column, which only we have written. */
export function parseColumn<T>(text: string): T {
  const value: T = JSON.parse(text);
  return value;
}

/** Most texts have nothing escaped and are only unquoted. */
export const decodeText = (text: string): string =>
  text.includes('\\') ? parseColumn<string>(text) : text.slice(1, -1);

export const textOrNull = (text: string | undefined): string | null => (text === undefined ? null : encodeText(text));

export const timeOrNull = (date: Date | undefined): number | null => date?.getTime() ?? null;

export const dateOrNone = (milliseconds: number | null): Date | undefined =>
  milliseconds === null ? undefined : new Date(milliseconds);
