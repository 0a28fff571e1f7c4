/**
 * Tables that say of what kind each character of a Unicode plane is. They are made by regular expressions, which takes some 20
 * milliseconds for each, so they are made ahead and kept as text (`plane-tables.ts`): every start and every page that shows
 * an editor would pay for them. So all have the same Unicode, too, whatever Node or browser they run in.
 */

const PLANE_SIZE = 0x10000;

/**
 * All characters of a plane as one text: one unit for each code point of plane 0, two for each of plane 1. Lone surrogates
 * are no characters; U+0000 stands for each, so that every character keeps its place.
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

/** The letter that stands for kind 0; the others follow it. Digits of lengths are none of them. */
const FIRST_KIND = 'A'.charCodeAt(0);
const RUN = /([A-Z])([0-9a-z]+)/g;

/** Runs of one kind: a capital letter for the kind, then how many characters have it, with 36 digits. */
export function packPlane(kinds: Uint8Array): string {
  let packed = '';
  for (let from = 0; from < kinds.length; ) {
    let end = from;
    while (end < kinds.length && kinds[end] === kinds[from]) end++;
    packed += String.fromCharCode(FIRST_KIND + kinds[from]!) + (end - from).toString(36);
    from = end;
  }
  return packed;
}

export function unpackPlane(packed: string): Uint8Array {
  const kinds = new Uint8Array(PLANE_SIZE);
  let from = 0;
  for (const [, kind, length] of packed.matchAll(RUN)) {
    const end = from + Number.parseInt(length!, 36);
    kinds.fill(kind!.charCodeAt(0) - FIRST_KIND, from, end);
    from = end;
  }
  return kinds;
}
