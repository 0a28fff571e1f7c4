/** The characters of a hashtag, in rules and in posts. */

/** Joiners, dots and dashes inside words of some scripts. */
const INNER = new Set(
  [0x200c, 0x200d, 0xa67e, 0x05be, 0x05f3, 0x05f4, 0xff5e, 0x301c, 0x309b, 0x309c, 0x30a0, 0x30fb, 0x3003].concat([
    0x0f0b, 0x0f0c, 0x00b7, 0x5f,
  ]),
);

/** A hashtag needs at least one of these: digits alone are not a hashtag. */
export const isTagLetter = (code: number): boolean =>
  code < 0x80 ? isAsciiLetter(code) : /[\p{L}\p{M}]/u.test(String.fromCodePoint(code));

const isAsciiLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

export function isTagCharacter(code: number): boolean {
  if (code < 0x80) return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
  return INNER.has(code) || /[\p{L}\p{M}\p{Nd}]/u.test(String.fromCodePoint(code));
}
