/**
 * Texts that strangers wrote are kept as JSON strings: NUL and half a surrogate pair then survive every database. The
 * other way round, the text of a column that we wrote is trusted.
 */
export const encodeText = (text: string): string => JSON.stringify(text);
export const decodeText = (text: string): string => JSON.parse(text) as string;

export const dateOrNone = (milliseconds: number | null): Date | undefined =>
  milliseconds === null ? undefined : new Date(milliseconds);
