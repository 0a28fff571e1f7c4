/**
 * A walk over the bytes of one JSON value. It accepts nothing that `JSON.parse` refuses. Where it meets something that it is
 * not sure of, it stops, and the line is left to TypeScript: deep nesting, long lists, long strings, anything that is wrong.
 *
 * The byte after the line is 0, which ends every loop.
 */

/** The walk stands at `at`; then comes the end of the line. */
export let at: u32 = 0;
let end: u32 = 0;

/** The key read last: where it stands, how long it is, and its first eight bytes, padded with zeros. */
export let keyStart: u32 = 0;
export let keyLength: u32 = 0;
let keyHead: u64 = 0;

const DEEPEST: u32 = 24;
/** No list that is this short is beyond a limit, and no string but a text. */
export const MOST_ENTRIES: u32 = 64;
const LONGEST_STRING: u32 = 1024;
/** The limits of the value that is being passed. */
let longestString: u32 = 0;
let mostEntries: u32 = 0;

export function openLine(from: u32, to: u32): void {
  at = from;
  end = to;
  store<u8>(to, 0);
}

// @inline
export function moveTo(place: u32): void {
  at = place;
}

// @inline
export function isOver(): bool {
  skipBlanks();
  return at === end;
}

// @inline
export function skipBlanks(): void {
  let byte = load<u8>(at);
  while (byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) byte = load<u8>(++at);
}

/** Passes a byte, and blanks before it. */
// @inline
export function pass(byte: u8): bool {
  skipBlanks();
  if (load<u8>(at) !== byte) return false;
  at++;
  return true;
}

// @inline
export function comesNext(byte: u8): bool {
  skipBlanks();
  return load<u8>(at) === byte;
}

/** Reads a key and its colon. A key with an escape in it may be any key, so it is none that the walk is sure of. */
export function readKey(): bool {
  if (!pass(0x22)) return false;
  keyStart = at;
  if (!skipPlain()) return false;
  keyLength = at - keyStart;
  const head = load<u64>(keyStart);
  keyHead = keyLength >= 8 ? head : head & (((<u64>1) << ((<u64>keyLength) << 3)) - 1);
  at++;
  return pass(0x3a);
}

// @inline
export function isKey(start: u64): bool {
  return keyHead === start && keyLength <= 8;
}

/** For keys of more than eight bytes: of more than sixteen only the ends are compared. */
// @inline
export function isLongKey(length: u32, start: u64, last: u64): bool {
  return keyLength === length && keyHead === start && load<u64>(keyStart + length - 8) === last;
}

/** Passes the rest of a string, whose first quote is passed. */
export function skipString(longest: u32 = LONGEST_STRING): bool {
  const from = at;
  let place = at;
  while (place < end) {
    const found = specialAt(place);
    if (found === 0) {
      place += 16;
    } else {
      place += ctz(found);
      const byte = load<u8>(place);
      if (byte === 0x22) {
        at = place + 1;
        return place - from <= longest;
      }
      if (byte !== 0x5c) return false;
      place = afterEscape(place);
      if (place === 0) return false;
    }
  }
  return false;
}

/** Passes bytes up to a quote. False where an escape or the end of the line comes first. */
// @inline
function skipPlain(): bool {
  let place = at;
  let found = specialAt(place);
  while (found === 0) {
    place += 16;
    found = specialAt(place);
  }
  at = place + ctz(found);
  return load<u8>(at) === 0x22;
}

/** Passes the rest of a string that is compared byte by byte: one with an escape is left. */
export function skipPlainString(longest: u32 = LONGEST_STRING): bool {
  const from = at;
  if (!skipPlain()) return false;
  at++;
  return at - from <= longest + 1;
}

/** A bit for each of the next 16 bytes that is a quote, a backslash or a control. The byte after the line is one. */
// @inline
function specialAt(place: u32): i32 {
  const bytes = v128.load(place);
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c)));
  return i8x16.bitmask(v128.or(ends, v128.lt<u8>(bytes, i8x16.splat(0x20))));
}

/** The place after an escape, or 0 when it is none. */
function afterEscape(place: u32): u32 {
  const byte = load<u8>(place, 1);
  if (byte === 0x75)
    return isHex(place + 2) && isHex(place + 3) && isHex(place + 4) && isHex(place + 5) ? place + 6 : 0;
  return isSimpleEscape(byte) ? place + 2 : 0;
}

// @inline
export function isSimpleEscape(byte: u8): bool {
  return (
    byte === 0x22 ||
    byte === 0x5c ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}

// @inline
export function isHex(place: u32): bool {
  const byte = load<u8>(place);
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

// @inline
function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** Passes any value whose strings and lists are short. */
export function skipValue(depth: u32): bool {
  longestString = LONGEST_STRING;
  mostEntries = MOST_ENTRIES;
  return skipAny(depth);
}

/** Passes any value, however long. */
export function skipUnknown(depth: u32): bool {
  longestString = u32.MAX_VALUE;
  mostEntries = u32.MAX_VALUE;
  return skipAny(depth);
}

function skipAny(depth: u32): bool {
  skipBlanks();
  const byte = load<u8>(at);
  if (byte === 0x22) {
    at++;
    return skipString(longestString);
  }
  if (byte === 0x7b) return skipObject(depth);
  if (byte === 0x5b) return skipList(depth);
  if (byte === 0x74) return passWord(0x65757274, 4);
  if (byte === 0x6e) return passWord(0x6c6c756e, 4);
  if (byte === 0x66) return load<u8>(at, 4) === 0x65 && passWord(0x736c6166, 5);
  return skipNumber();
}

// @inline
function passWord(bytes: u32, length: u32): bool {
  if (load<u32>(at) !== bytes) return false;
  at += length;
  return true;
}

function skipObject(depth: u32): bool {
  if (depth > DEEPEST) return false;
  at++;
  if (pass(0x7d)) return true;
  let more = true;
  while (more) {
    if (!readKey() || !skipAny(depth + 1)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

function skipList(depth: u32): bool {
  if (depth > DEEPEST) return false;
  at++;
  if (pass(0x5d)) return true;
  let entries: u32 = 0;
  let more = true;
  while (more) {
    if (++entries > mostEntries || !skipAny(depth + 1)) return false;
    more = pass(0x2c);
  }
  return pass(0x5d);
}

function skipNumber(): bool {
  if (load<u8>(at) === 0x2d) at++;
  if (load<u8>(at) === 0x30) at++;
  else if (!skipDigits()) return false;
  if (load<u8>(at) === 0x2e) {
    at++;
    if (!skipDigits()) return false;
  }
  if ((load<u8>(at) | 0x20) !== 0x65) return true;
  at++;
  if (load<u8>(at) === 0x2b || load<u8>(at) === 0x2d) at++;
  return skipDigits();
}

function skipDigits(): bool {
  const from = at;
  while (isDigit(load<u8>(at))) at++;
  return at > from;
}

/** Reads a whole number of at most seven digits; -1 for any other value, which is not passed. */
export function readCount(): i32 {
  skipBlanks();
  let place = at;
  let value: i32 = 0;
  while (isDigit(load<u8>(place)) && place - at < 8) value = value * 10 + (load<u8>(place++) - 0x30);
  const length = place - at;
  const next = load<u8>(place);
  const isWhole = next === 0x2c || next === 0x7d || next === 0x5d || next === 0x20;
  if (length === 0 || length > 7 || !isWhole || (length > 1 && load<u8>(at) === 0x30)) return -1;
  at = place;
  return value;
}
