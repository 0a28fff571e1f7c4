/** All characters of a Unicode plane as one text, for the tables that say what kind each character is. */

const PLANE_SIZE = 0x10000;

/**
 * One unit for each code point of plane 0, two for each of plane 1. Lone surrogates are no characters; U+0000 stands for
 * each, so that every character keeps its place.
 */
export function charactersOfPlane(plane: 0 | 1): string {
  const units = new Uint16Array(PLANE_SIZE * (plane + 1));
  for (let code = 0; code < PLANE_SIZE; code++) {
    if (plane === 0) units[code] = code >= 0xd800 && code <= 0xdfff ? 0 : code;
    else {
      units[2 * code] = 0xd800 + (code >> 10);
      units[2 * code + 1] = 0xdc00 + (code & 0x3ff);
    }
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
}
