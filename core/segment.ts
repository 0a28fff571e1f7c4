/**
 * Finds where a word of a page ends: by the word boundaries of UAX #29 over folded text, step for step as `rules/firehose/words.ts` finds
 * them. The byte between pieces is of no class, so no search needs to ask for the end of the text. That a word is cut at 255
 * characters is not known here: the caller leaves texts with such words.
 */
import {
  COMPLEX,
  CR,
  classAt,
  classOf,
  codeAt,
  DOUBLE_QUOTE,
  followsJoiner,
  followsStyle,
  HEBREW,
  isCore,
  isLetter,
  isMark,
  JOINER,
  KATAKANA,
  LETTER,
  LF,
  MID_BOTH,
  MID_LETTER,
  MID_NUMBER,
  NEWLINE,
  NUMERIC,
  OTHER,
  PICTOGRAPH,
  REGIONAL,
  SINGLE_QUOTE,
  SKIN_TONE,
  SPACE,
  widthAt,
  ZWJ,
} from './page-classes';

const TEXT_STYLE: u32 = 0xfe0e;
const EMOJI_STYLE: u32 = 0xfe0f;
const KEYCAP: u32 = 0x20e3;
const FIRST_TAG: u32 = 0xe0020;

/** The end of the piece whose last known character, of class `first`, ends at `from`. */
export function segmentEnd(from: u32, first: u32): u32 {
  if (first === CR) return load<u8>(from) === 0x0a ? from + 1 : from;
  if (first === LF || first === NEWLINE) return from;
  let last = first;
  let place = from;
  let flagHalves: u32 = first === REGIONAL ? 1 : 0;
  let adjacent = true;
  let goesOn = true;
  while (goesOn) {
    const kind = classAt(place);
    if (isPlain(kind) && isPlain(last)) {
      place += widthAt(place);
      last = kind;
      adjacent = true;
    } else if (isMark(kind)) {
      place += widthAt(place);
      adjacent = false;
    } else if (joins(place, last, kind, flagHalves, adjacent)) {
      if (kind === REGIONAL) flagHalves++;
      last = kind;
      place += widthAt(place);
      adjacent = true;
    } else {
      const next = afterMid(place, last, kind);
      if (next !== place) last = classAt(next);
      // A Hebrew letter keeps a single quote even if nothing follows.
      goesOn = next !== place && isCore(last);
      place = goesOn ? next + widthAt(next) : next;
      adjacent = true;
    }
  }
  return place;
}

/** Letters and digits that stay together. */
// @inline
function isPlain(kind: u32): bool {
  return kind - LETTER <= HEBREW - LETTER;
}

/** Whether a character stays with the one before it. */
function joins(place: u32, last: u32, kind: u32, flagHalves: u32, adjacent: bool): bool {
  if (kind === PICTOGRAPH) return followsJoiner(place);
  if (kind === SPACE) return last === SPACE && adjacent;
  if (kind === REGIONAL) return last === REGIONAL && flagHalves === 1;
  if (kind === JOINER) return isCore(last) || last === JOINER;
  if (last === JOINER) return isCore(kind);
  if (last === KATAKANA || kind === KATAKANA) return last === kind;
  return isCore(last) && isCore(kind);
}

/** The place after punctuation inside a word, otherwise `place`. */
function afterMid(place: u32, last: u32, kind: u32): u32 {
  const inLetters = isLetter(last) && (kind === MID_LETTER || kind === MID_BOTH || kind === SINGLE_QUOTE);
  const inNumber = last === NUMERIC && (kind === MID_NUMBER || kind === MID_BOTH || kind === SINGLE_QUOTE);
  const inHebrew = last === HEBREW && kind === DOUBLE_QUOTE;
  if (!inLetters && !inNumber && !inHebrew) return place;
  const next = skipMarks(place + widthAt(place));
  const behind = classAt(next);
  if (inLetters && isLetter(behind)) return next;
  if (inNumber && behind === NUMERIC) return next;
  if (inHebrew && behind === HEBREW) return next;
  return last === HEBREW && kind === SINGLE_QUOTE ? next : place;
}

function skipMarks(from: u32): u32 {
  let place = from;
  while (isMark(classAt(place))) place += widthAt(place);
  return place;
}

/** The end of a run of a script that is written without blanks between words. */
export function complexEnd(from: u32): u32 {
  let place = from;
  while (classAt(place) === COMPLEX) place = skipMarks(place + widthAt(place));
  return place;
}

/** The end of the emoji that starts here, or the start if there is none. */
export function emojiEnd(start: u32, kind: u32): u32 {
  if (kind === REGIONAL) {
    const second = skipMarks(start + 4);
    return classAt(second) === REGIONAL ? skipMarks(second + 4) : start;
  }
  if (kind === OTHER) return keycapEnd(start);
  if (kind !== PICTOGRAPH && kind !== SKIN_TONE && kind !== ZWJ) return start;
  let place = start;
  while (classAt(place) === ZWJ) place += 3;
  const first = classAt(place);
  if (first !== PICTOGRAPH && first !== SKIN_TONE) return start;
  place = emojiMarksEnd(place + widthAt(place));
  while (followsJoiner(place) && classAt(place) === PICTOGRAPH) place = emojiMarksEnd(place + widthAt(place));
  return place;
}

/** Marks after an emoji. A text style ends it, and after an emoji style only a joiner or a tag may follow. */
function emojiMarksEnd(from: u32): u32 {
  let place = from;
  let code = codeAt(place);
  while (isMark(classOf(code))) {
    if (code === TEXT_STYLE) return place;
    if (code !== EMOJI_STYLE && followsStyle(place) && code !== 0x200d && code < FIRST_TAG) return place;
    place += widthAt(place);
    code = codeAt(place);
  }
  return place;
}

function keycapEnd(start: u32): u32 {
  const end = skipMarks(start + 1);
  for (let place = start + 1; place < end; place += widthAt(place)) if (codeAt(place) === KEYCAP) return end;
  return start;
}
