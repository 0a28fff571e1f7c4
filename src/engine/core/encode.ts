/**
 * Texts as the core has them: UTF-8, in which half a surrogate pair is written like any other character, so that different
 * texts stay different. Bytes are written in place, as no string or array is to be made for a word.
 */

/** Writes units of a text from `at` on, and returns where it ended. There must be room for three bytes a unit. */
export function writeBytes(into: Uint8Array, at: number, text: string, from: number, to: number): number {
  let place = at;
  for (let unit = from; unit < to; unit++) {
    const code = text.charCodeAt(unit);
    if (code < 0x80) {
      into[place++] = code;
    } else if (code < 0x800) {
      into[place++] = 0xc0 | (code >> 6);
      into[place++] = 0x80 | (code & 0x3f);
    } else {
      const point = code >= 0xd800 && code <= 0xdbff && unit + 1 < to ? text.codePointAt(unit)! : code;
      if (point > 0xffff) {
        unit++;
        into[place++] = 0xf0 | (point >> 18);
        into[place++] = 0x80 | ((point >> 12) & 0x3f);
      } else {
        into[place++] = 0xe0 | (point >> 12);
      }
      into[place++] = 0x80 | ((point >> 6) & 0x3f);
      into[place++] = 0x80 | (point & 0x3f);
    }
  }
  return place;
}

/** The bytes of a text as they stand in a program, four to an integer. */
export function packBytes(text: string): { length: number; packed: Int32Array } {
  const bytes = new Uint8Array(text.length * 3 + 3);
  const length = writeBytes(bytes, 0, text, 0, text.length);
  return { length, packed: new Int32Array(bytes.buffer.slice(0, (length + 3) & ~3)) };
}
