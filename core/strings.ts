/** The strings of a line, code point by code point: unescaped, and checked to be UTF-8. */
import { at, isHex, isSimpleEscape, moveTo } from './json';

/** The code point that stands in the line, which is passed; -1 where the line is to be left. */
export function readCode(): i32 {
  const byte = <u32>load<u8>(at);
  if (byte < 0x80) {
    if (byte === 0x5c) return readEscape();
    if (byte < 0x20) return -1;
    moveTo(at + 1);
    return byte;
  }
  const second = <u32>load<u8>(at, 1) ^ 0x80;
  if (byte < 0xe0) {
    if (byte < 0xc2 || second > 0x3f) return -1;
    moveTo(at + 2);
    return ((byte & 0x1f) << 6) | second;
  }
  const third = <u32>load<u8>(at, 2) ^ 0x80;
  if (byte < 0xf0) {
    const code = ((byte & 0xf) << 12) | (second << 6) | third;
    if (second > 0x3f || third > 0x3f || code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) return -1;
    moveTo(at + 3);
    return code;
  }
  const fourth = <u32>load<u8>(at, 3) ^ 0x80;
  const code = ((byte & 7) << 18) | (second << 12) | (third << 6) | fourth;
  if (byte > 0xf4 || second > 0x3f || third > 0x3f || fourth > 0x3f || code < 0x10000 || code > 0x10ffff) return -1;
  moveTo(at + 4);
  return code;
}

/** A NUL and half a pair are left to TypeScript. */
function readEscape(): i32 {
  const byte = load<u8>(at, 1);
  if (byte !== 0x75) {
    if (!isSimpleEscape(byte)) return -1;
    moveTo(at + 2);
    if (byte === 0x62) return 8;
    if (byte === 0x66) return 12;
    if (byte === 0x6e) return 10;
    if (byte === 0x72) return 13;
    return byte === 0x74 ? 9 : byte;
  }
  const first = readUnit(at + 2);
  if (first <= 0 || (first >= 0xdc00 && first <= 0xdfff)) return -1;
  moveTo(at + 6);
  if (first < 0xd800 || first > 0xdfff) return first;
  if (load<u8>(at) !== 0x5c || load<u8>(at, 1) !== 0x75) return -1;
  const second = readUnit(at + 2);
  if (second < 0xdc00 || second > 0xdfff) return -1;
  moveTo(at + 6);
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

function readUnit(place: u32): i32 {
  let unit: i32 = 0;
  for (let digit = place; digit < place + 4; digit++) {
    if (!isHex(digit)) return -1;
    const byte = <i32>load<u8>(digit);
    unit = (unit << 4) | (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
  }
  return unit;
}
