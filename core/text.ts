/**
 * Strings of a line on their way to words: unescaped, folded and cut just as `rules/x/words.ts` does it, with its own tables.
 * A character that the tables call odd, for instance one that may melt into another, leaves the line to TypeScript.
 *
 *     kind   one byte a code point of the first two planes: kind 0–2 | odd 3 | in hashtags 4 | a letter of hashtags 5 | special 6
 *     rank   one byte a code point of the first plane: the order among marks, 0 for what stays where it is
 */
import { HAS, HASHTAG, isWanted, MENTION } from './fields';
import { at, moveTo } from './json';
import { CANDIDATES, KINDS, LOWER, scratch } from './memory';
import { closePiece, moveOut, openPieces, out, push, skipPositions, write } from './pieces';
import { readCode } from './strings';

const LETTER: u32 = 1;
const MARK: u32 = 2;
const SPACELESS: u32 = 3;
const EMOJI: u32 = 4;
const KEYCAP: u32 = 5;
const LEFT_OUT: u32 = 7;
const KIND: u32 = 7;
const ODD: u32 = 8;
const IN_TAG: u32 = 16;
const TAG_LETTER: u32 = 32;
const SPECIAL: u32 = 64;

const RANKS: u32 = KINDS + 131072;
/** More than any rule has words, so that no phrase reaches from one text into the next. */
const GAP: u32 = 4096;
const LONGEST_NAME: u32 = 20;
/** Runs that no kind stands for: the first half of a flag, an emoji with its skin tone. */
const FLAG: u32 = 8;
const TONED: u32 = 9;
/** An emoji and a joiner after it: the next emoji belongs to the word, anything else ends it before the joiner. */
const JOINING: u32 = 10;
const JOINER: u32 = 0x200d;
/** This many bytes before a tag are searched for the path of a link. */
const LOOKED_BACK: u32 = 64;
/** Tags and names of one text; more are left to TypeScript. */
const MOST_FOUND: u32 = 256;

/** Tags and names found in the text itself: start, end and field of each stand among the candidates. */
let found: u32 = 0;
export let tagsFound: u32 = 0;
export let namesFound: u32 = 0;
/** Some of them have no blank before them, so that they may stand in a link. */
export let someAreJoined: bool = false;
export let mayHaveLink: bool = false;
export let mayHaveCashtag: bool = false;

// The run of characters that may become a word: what it is of, and where it began.
let run: u32 = 0;
let runStart: u32 = 0;
let joinerStart: u32 = 0;
// The tag that is being read: where it began, and whether it has a letter.
let tagStart: u32 = 0;
let tagHasLetter: bool = false;
let tagIsJoined: bool = false;

export function openText(from: u32): void {
  openPieces(from);
  found = 0;
  tagsFound = 0;
  namesFound = 0;
  someAreJoined = false;
  mayHaveLink = false;
  mayHaveCashtag = false;
}

// @inline
function kindOf(code: u32): u32 {
  return code < 0x20000 ? load<u8>(KINDS + code) : ODD;
}

// @inline
function lowerOf(code: u32): u32 {
  return code < 0x10000 ? load<u16>(LOWER + (code << 1)) : code;
}

/** Whether marks stand in another order than they would be put into. */
// @inline
function isOutOfOrder(code: u32, rank: u32): bool {
  const own = code < 0x10000 ? <u32>load<u8>(RANKS + code) : 0;
  return own !== 0 && own < rank;
}

// @inline
function rankOf(code: u32): u32 {
  return code < 0x10000 ? load<u8>(RANKS + code) : 0;
}

/** Reads the rest of a string as one exact value of a field. False where the line is to be left. */
export function readValue(field: u32, longest: u32): bool {
  const start = out;
  const from = at;
  let rank: u32 = 0;
  while (load<u8>(at) !== 0x22) {
    const code = readCode();
    if (code < 0) return false;
    const kind = kindOf(code);
    if ((kind & ODD) !== 0 || isOutOfOrder(code, rank)) return false;
    rank = rankOf(code);
    if ((kind & KIND) !== LEFT_OUT) write(lowerOf(code));
  }
  moveTo(at + 1);
  if (at - from > longest) return false;
  // Nothing but what is left out is still a value; an empty one counts as absent.
  if (at - from === 1) return true;
  push(start, out, field, 2);
  closePiece();
  return true;
}

/** Reads the rest of a string as words of a field, and finds tags and names in it where `finding`. */
export function readText(field: u32, finding: bool): bool {
  const findingTags = finding && (isWanted(HASHTAG) || isWanted(HAS));
  const findingNames = finding && (isWanted(MENTION) || isWanted(HAS));
  let before: u32 = 0;
  let rank: u32 = 0;
  beginText();
  let byte = <u32>load<u8>(at);
  while (byte !== 0x22) {
    let code: i32 = byte;
    let kind: u32 = byte < 0x80 ? load<u8>(KINDS + byte) : SPECIAL;
    if ((kind & (SPECIAL | KIND)) === LETTER && tagStart === 0) {
      before = readWord(field);
      rank = 0;
      byte = load<u8>(at);
      continue;
    }
    if ((kind & SPECIAL) === 0) {
      moveTo(at + 1);
      rank = 0;
      if (tagStart !== 0 && !followTag(code, kind)) return false;
      before = code;
    } else {
      const from = at;
      code = byte === 0x26 ? readAmpersand() : readCode();
      // An ampersand that an escape hides may begin one of X's own escapes.
      if (code < 0 || (byte === 0x5c && code === 0x26)) return false;
      kind = kindOf(code);
      if ((kind & ODD) !== 0 || isOutOfOrder(code, rank)) return false;
      rank = rankOf(code);
      if (tagStart !== 0 && !followTag(code, kind)) return false;
      if (finding && !lookAround(code, before, findingTags, findingNames)) return false;
      // Entities are looked for in the text as it came, where an escape of X ends with a semicolon.
      before = byte === 0x26 && at > from + 1 ? 0x3b : code;
    }
    if ((kind & KIND) === LETTER && run === LETTER) write(lowerOf(code));
    else if (!cut(code, kind & KIND, field)) return false;
    byte = load<u8>(at);
  }
  return endText(field);
}

function beginText(): void {
  run = 0;
  tagStart = 0;
}

/** False where more was found in the text than there is room for. */
function endText(field: u32): bool {
  moveTo(at + 1);
  flush(field);
  if (tagStart !== 0) closeTag();
  skipPositions(GAP);
  closePiece();
  return found <= MOST_FOUND;
}

/** Reads the letters of a word, and the blank behind it, as most words end with one. Answers the last character. */
// @inline
function readWord(field: u32): u32 {
  if (run !== LETTER) {
    flush(field);
    run = LETTER;
    runStart = out;
  }
  const last = readLetters();
  if (load<u8>(at) !== 0x20) return last;
  flush(field);
  store<u8>(out, 0x20);
  moveOut(out + 1);
  moveTo(at + 1);
  return 0x20;
}

/** Reads ASCII letters and digits as far as they go, and answers the last. */
function readLetters(): u32 {
  let place = at;
  let to = out;
  let last: u32 = 0;
  let byte = <u32>load<u8>(place);
  while (byte < 0x80 && (load<u8>(KINDS + byte) & (SPECIAL | KIND)) === LETTER) {
    store<u8>(to, load<u8>(LOWER + (byte << 1)));
    last = byte;
    to++;
    place++;
    byte = load<u8>(place);
  }
  moveTo(place);
  moveOut(to);
  return last;
}

/** `&amp;`, `&lt;` and `&gt;` stand for one character each. */
function readAmpersand(): i32 {
  const bytes = load<u32>(at, 1);
  if (bytes === 0x3b706d61) {
    moveTo(at + 5);
    return 0x26;
  }
  const three = bytes & 0xffffff;
  if (three === 0x3b746c || three === 0x3b7467) {
    moveTo(at + 4);
    return three === 0x3b746c ? 0x3c : 0x3e;
  }
  // An escape may hide the rest of one.
  if (
    (bytes & 0xff) === 0x5c ||
    ((bytes >> 8) & 0xff) === 0x5c ||
    ((bytes >> 16) & 0xff) === 0x5c ||
    bytes >> 24 === 0x5c
  )
    return -1;
  moveTo(at + 1);
  return 0x26;
}

/** Ends the run where this character does not go on with it, and begins the next. False where the line is to be left. */
function cut(code: u32, kind: u32, field: u32): bool {
  if (kind === LEFT_OUT) return true;
  if (kind === KEYCAP) return false;
  if (code === JOINER && (run === EMOJI || run === TONED)) {
    joinerStart = out;
    run = JOINING;
    write(code);
    return true;
  }
  if (kind === EMOJI && run === JOINING) {
    run = EMOJI;
    write(code);
    return true;
  }
  if (kind === MARK && (run === LETTER || run === SPACELESS)) {
    write(lowerOf(code));
    return true;
  }
  if (kind === EMOJI && goesOn(code)) {
    write(code);
    if (run === FLAG) flush(field);
    else run = TONED;
    return true;
  }
  flush(field);
  const start = out;
  write(lowerOf(code));
  if (kind === 0) return true;
  runStart = start;
  run = kind === MARK ? LETTER : kind === EMOJI && isRegional(code) ? FLAG : kind;
  return true;
}

// @inline
function isRegional(code: u32): bool {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

/** Whether an emoji belongs to the one before it: a skin tone, the second half of a flag. */
// @inline
function goesOn(code: u32): bool {
  if (run === FLAG) return isRegional(code);
  return run === EMOJI && code >= 0x1f3fb && code <= 0x1f3ff;
}

// @inline
function flush(field: u32): void {
  if (run !== 0) push(runStart, run === JOINING ? joinerStart : out, field, 1);
  run = 0;
}

/** Looks at signs that may begin a tag, a name, a link. False where the line is to be left. */
function lookAround(code: u32, before: u32, findingTags: bool, findingNames: bool): bool {
  if (code === 0x2e) mayHaveLink = mayHaveLink || mayJoinLink();
  if (code === 0x24) mayHaveCashtag = mayHaveCashtag || isLetter(load<u8>(at)) || load<u8>(at) === 0x5c;
  if (findingTags && (code === 0x23 || code === 0xff03)) beginTag(code, before);
  if (findingNames && (code === 0x40 || code === 0xff20)) return readName(code, before);
  return true;
}

/** Whether the dot that was just passed may stand in a link. */
function mayJoinLink(): bool {
  const byte = <u32>load<u8>(at);
  if (isNameByte(byte) || byte >= 0x80 || byte === 0x2d || byte === 0x60) return true;
  return byte === 0x5c && (load<u8>(at, 1) === 0x75 || load<u8>(at, 1) === 0x22);
}

// @inline
function isLetter(byte: u32): bool {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

// @inline
function isNameByte(byte: u32): bool {
  return isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;
}

/** A hashtag may follow anything that cannot be part of one, but no `&`. */
function beginTag(code: u32, before: u32): void {
  const mayFollow = before === 0xfe0e || before === 0xfe0f || (before !== 0x26 && (kindOf(before) & IN_TAG) === 0);
  if (!mayFollow) return;
  tagStart = out + (code < 0x80 ? 1 : 3);
  tagHasLetter = false;
  tagIsJoined = mayStandInLink(before);
}

/**
 * Whether the sign that was just passed may stand in a link: links have no blanks, no emoji and few other characters, and only
 * their paths and queries have such signs.
 */
function mayStandInLink(before: u32): bool {
  if (
    before <= 0x20 ||
    before >= 0x10000 ||
    (before > 0x2013 && before < 0x2c00) ||
    before === 0xfe0e ||
    before === 0xfe0f
  )
    return false;
  const first = at - LOOKED_BACK;
  for (let place = at - 1; place >= first; place--) {
    const byte = load<u8>(place);
    // A quote begins the text, and an escape may hide anything.
    if (byte === 0x20 || byte === 0x22) return false;
    if (byte === 0x2f || byte === 0x3f || byte === 0x5c) return true;
  }
  return true;
}

/** Goes on with a tag, or ends it. False where it may be the beginning of an address. */
function followTag(code: u32, kind: u32): bool {
  if (code === 0xfe0f && out === tagStart) {
    tagStart = 0;
    return true;
  }
  if ((kind & IN_TAG) !== 0) {
    tagHasLetter = tagHasLetter || (kind & TAG_LETTER) !== 0;
    return true;
  }
  if (code === 0x3a && (load<u8>(at) === 0x2f || load<u8>(at) === 0x5c)) return false;
  if (code === 0x23 || code === 0xff03) tagStart = 0;
  else closeTag();
  return true;
}

function closeTag(): void {
  if (tagHasLetter) {
    note(tagStart, out, HASHTAG);
    tagsFound++;
    someAreJoined = someAreJoined || tagIsJoined;
  }
  tagStart = 0;
}

function note(start: u32, stop: u32, field: u32): void {
  if (found < MOST_FOUND) {
    const place = scratch + CANDIDATES + found * 12;
    store<u32>(place, start);
    store<u32>(place, stop, 4);
    store<u32>(place, field, 8);
  }
  found++;
}

/** A name of up to twenty letters, digits and `_`. False where the line is to be left. */
function readName(code: u32, before: u32): bool {
  let length: u32 = 0;
  while (isNameByte(load<u8>(at + length))) length++;
  const after = load<u8>(at + length);
  if (after === 0x5c && load<u8>(at + length, 1) === 0x75) return false;
  if (length === 0) return true;
  if (before !== 0 && mayNotPrecedeName(before)) return (before | 0x20) !== 0x74;
  if (length > LONGEST_NAME || after >= 0x80) return false;
  if (after === 0x3a && (load<u8>(at + length, 1) === 0x2f || load<u8>(at + length, 1) === 0x5c)) return false;
  if (after === 0x40) return true;
  const start = out + (code < 0x80 ? 1 : 3);
  note(start, start + length, MENTION);
  namesFound++;
  someAreJoined = someAreJoined || mayStandInLink(before);
  return true;
}

function mayNotPrecedeName(before: u32): bool {
  if (before < 0x80 && isNameByte(before)) return true;
  return (
    before === 0x21 || (before >= 0x23 && before <= 0x26) || before === 0x2a || before === 0x40 || before === 0xff20
  );
}

/** Adds the tags and names that were found, as values of their fields. */
export function addFound(): void {
  for (let index: u32 = 0; index < found; index++) {
    const place = scratch + CANDIDATES + index * 12;
    const start = load<u32>(place);
    const length = load<u32>(place, 4) - start;
    memory.copy(out, start, length);
    moveOut(out + length);
    push(out - length, out, load<u32>(place, 8), 2);
    closePiece();
  }
}
