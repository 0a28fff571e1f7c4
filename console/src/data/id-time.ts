/** Ids begin with the time at which they were made: ten characters of Crockford's base 32, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]+$/;

/** In milliseconds; undefined if it is no id. */
export function timeOfId(id: string): number | undefined {
  const time = TIME.exec(id)?.[1];
  if (time === undefined) return undefined;
  const at = Array.from(time).reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0);
  return Number.isNaN(new Date(at + 1).getTime()) ? undefined : at;
}
