/**
 * Texts that strangers wrote are stored in the form of JSON strings: NUL and half a surrogate pair then survive every
 * database. In the other direction, the text of a column that we wrote is trusted.
 */
import { legible } from '../../base/legible.ts';

export const encodeText = (text: string): string => JSON.stringify(text);

/** The value of a JSON column, which only we have written. */
export function parseColumn<T>(text: string): T {
  const value: T = JSON.parse(text);
  return value;
}

/** Most texts have nothing escaped and are only unquoted. */
export const decodeText = (text: string): string =>
  text.includes('\\') ? parseColumn<string>(text) : text.slice(1, -1);

/** A name; what cannot be seen in one that was stored before such names were refused is written out. */
export const decodeName = (text: string): string => legible(decodeText(text));

export const textOrNull = (text: string | undefined): string | null => (text === undefined ? null : encodeText(text));

export const timeOrNull = (date: Date | undefined): number | null => date?.getTime() ?? null;

export const dateOrNone = (milliseconds: number | null): Date | undefined =>
  milliseconds === null ? undefined : new Date(milliseconds);
