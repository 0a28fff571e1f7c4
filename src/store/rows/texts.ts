/**
 * Texts that strangers wrote are kept as JSON strings: NUL and half a surrogate pair then survive every database. The
 * other way round, the text of a column that we wrote is trusted.
 */
export const encodeText = (text: string): string => JSON.stringify(text);
/** Most texts have nothing escaped and are only unquoted. */
export const decodeText = (text: string): string =>
  text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);

export const dateOrNone = (milliseconds: number | null): Date | undefined =>
  milliseconds === null ? undefined : new Date(milliseconds);
