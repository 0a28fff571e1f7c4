/**
 * Whether words stand one after another: those of a phrase at neighbouring positions, those of a literal in one piece with
 * one blank between them or, when it is written out, in just its bytes. Of a long event the places of the rarest word are tried,
 * if they are few. Otherwise the first way tries every place of the first word. A sender can make a text on which that fails
 * late and often; such a text is searched a second way (Knuth, Morris and Pratt's), in time linear in its length.
 */
import { PHRASE, scratch, TEXT, TEXT_END, WORD_COUNT, WORDS } from './memory';
import { PHRASE_TERMS, termOf } from './phrase-form';
import { END, firstWord, nextWord, PLACE, POSITION, START, spend, WORD, WORD_TERM } from './words';

const LITERAL: u32 = 4;
const WRITTEN: u32 = 8;
/** Steps of the first way for each word of the event, after which the second way takes over. */
const PATIENCE: i32 = 2;
/** An event of more words is searched the second way from the start. */
const MANY: u32 = 50000;
/** In an event of fewer words looking for the rarest word takes longer than it saves. */
const LONG: u32 = 256;
/** A word that stands at more places is not rare. */
const RARE: u32 = 32;

export function findsRun(at: u32, form: u32, count: u32): bool {
  const words = load<u32>(scratch, WORD_COUNT);
  const written = (form & WRITTEN) !== 0;
  if (words > LONG) {
    const rare = rarestOf(at, count);
    if (rare < count) return findsAround(at, form, count, rare);
  }
  if (words > MANY) return written ? searchWritten(at, count) : searchJoined(at, form, count);
  const end = load<u32>(scratch, WORDS) + words * WORD;
  let patience = PATIENCE * <i32>words;
  for (let word = firstWord(termOf(at, 0)); word !== 0; word = nextWord(word)) {
    if (word + count * WORD > end) return false;
    const same = termsFrom(at, count, word);
    spend(same);
    patience -= same;
    if (same === count) {
      if (written ? standsWritten(at, count, word) : standsJoined(form, count, word)) return true;
      patience -= count;
    }
    if (patience < 0) return written ? searchWritten(at, count) : searchJoined(at, form, count);
  }
  return false;
}

/** The index of the term that stands at the fewest places, or `count` when none is rare. All are followed place by place. */
function rarestOf(at: u32, count: u32): u32 {
  const places = load<u32>(scratch, PHRASE);
  for (let met: u32 = 0; met <= RARE; met++) {
    for (let index: u32 = 0; index < count; index++) {
      const place = places + (index << 2);
      const next = met === 0 ? firstWord(termOf(at, index)) : nextWord(load<u32>(place));
      if (next === 0) return index;
      store<u32>(place, next);
    }
  }
  return count;
}

/** Tries every place of the term of this index. */
function findsAround(at: u32, form: u32, count: u32, rare: u32): bool {
  const written = (form & WRITTEN) !== 0;
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  for (let place = firstWord(termOf(at, rare)); place !== 0; place = nextWord(place)) {
    const word = place - rare * WORD;
    if (place < first + rare * WORD || word + count * WORD > end) continue;
    spend(count);
    if (!hasTerms(at, count, word, end)) continue;
    if (written ? standsWritten(at, count, word) : standsJoined(form, count, word)) return true;
  }
  return false;
}

/** How many of the phrase's terms the words from this one on have, one after another. */
function termsFrom(at: u32, count: u32, word: u32): u32 {
  let same: u32 = 1;
  while (same < count && load<u32>(word + same * WORD, WORD_TERM) === termOf(at, same)) same++;
  return same;
}

/** Whether a word follows the one before it as the phrase, or the literal, wants. */
// @inline
function isJoined(form: u32, word: u32): bool {
  const before = word - WORD;
  if ((form & LITERAL) === 0) return load<i32>(word, POSITION) === load<i32>(before, POSITION) + 1;
  const end = load<u32>(before, END);
  return (
    load<u32>(word, PLACE) >> 16 === load<u32>(before, PLACE) >> 16 &&
    load<u32>(word, START) === end + 1 &&
    load<u8>(end) === 0x20
  );
}

function standsJoined(form: u32, count: u32, word: u32): bool {
  for (let index: u32 = 1; index < count; index++) if (!isJoined(form, word + index * WORD)) return false;
  return true;
}

/** Whether the words stand in just these bytes, and neither end is inside another word. */
function standsWritten(at: u32, count: u32, word: u32): bool {
  const tail = at + PHRASE_TERMS + (count << 2);
  const length = load<u32>(tail, 4);
  const piece = load<u32>(word, PLACE) >> 16;
  const start = load<u32>(word, START) - load<u32>(tail);
  const end = start + length;
  const first = load<u32>(scratch, WORDS);
  const last = first + load<u32>(scratch, WORD_COUNT) * WORD;
  // Pieces stand apart in the text, with a byte between them that stands in no text.
  if (
    start < load<u32>(scratch, TEXT) ||
    end > load<u32>(scratch, TEXT_END) ||
    memory.compare(start, tail + 8, length) !== 0
  )
    return false;
  const before = word - WORD;
  if (before >= first && load<u32>(before, PLACE) >> 16 === piece && load<u32>(before, END) > start) return false;
  const after = word + count * WORD;
  if (after < last && load<u32>(after, PLACE) >> 16 === piece && load<u32>(after, START) < end) return false;
  const closing = after - WORD;
  return load<u32>(closing, PLACE) >> 16 === piece && load<u32>(closing, END) <= end;
}

/** Follows the words. A word that is not joined to the one before it starts the search anew. */
function searchJoined(at: u32, form: u32, count: u32): bool {
  spend(load<u32>(scratch, WORD_COUNT));
  const wanted = load<u32>(scratch, PHRASE);
  const fallback = wanted + (count << 2);
  for (let index: u32 = 0; index < count; index++) store<u32>(wanted + (index << 2), termOf(at, index));
  findFallbacks(wanted, count, fallback);
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  let held: u32 = 0;
  for (let word = first; word < end; word += WORD) {
    if (word > first && !isJoined(form, word)) held = 0;
    held = follow(load<u32>(word, WORD_TERM), held, wanted, fallback);
    if (held === count) return true;
  }
  return false;
}

// @inline
function follow(next: u32, from: u32, wanted: u32, fallback: u32): u32 {
  let held = from;
  while (held > 0 && load<u32>(wanted + (held << 2)) !== next) held = load<u32>(fallback + ((held - 1) << 2));
  return load<u32>(wanted + (held << 2)) === next ? held + 1 : held;
}

/** Follows the bytes of the text, and checks each find by its words. */
function searchWritten(at: u32, count: u32): bool {
  const tail = at + PHRASE_TERMS + (count << 2);
  const lead = load<u32>(tail);
  const length = load<u32>(tail, 4);
  spend((load<u32>(scratch, TEXT_END) - load<u32>(scratch, TEXT)) >> 1);
  const wanted = load<u32>(scratch, PHRASE);
  const fallback = wanted + (length << 2);
  for (let index: u32 = 0; index < length; index++) store<u32>(wanted + (index << 2), load<u8>(tail + 8 + index));
  findFallbacks(wanted, length, fallback);
  const last = load<u32>(scratch, WORDS) + load<u32>(scratch, WORD_COUNT) * WORD;
  const end = load<u32>(scratch, TEXT_END);
  let word = load<u32>(scratch, WORDS);
  let held: u32 = 0;
  for (let byte = load<u32>(scratch, TEXT); byte < end; byte++) {
    held = follow(load<u8>(byte), held, wanted, fallback);
    if (held < length) continue;
    held = load<u32>(fallback + ((held - 1) << 2));
    const start = byte + 1 - length + lead;
    while (word < last && load<u32>(word, START) < start) word += WORD;
    if (hasTerms(at, count, word, last) && standsWritten(at, count, word)) return true;
  }
  return false;
}

function hasTerms(at: u32, count: u32, word: u32, last: u32): bool {
  return (
    word + count * WORD <= last && load<u32>(word, WORD_TERM) === termOf(at, 0) && termsFrom(at, count, word) === count
  );
}

/** For each beginning of what is wanted, how much of it its own end could be the beginning of. */
function findFallbacks(wanted: u32, length: u32, fallback: u32): void {
  let held: u32 = 0;
  store<u32>(fallback, 0);
  for (let index: u32 = 1; index < length; index++) {
    held = follow(load<u32>(wanted + (index << 2)), held, wanted, fallback);
    store<u32>(fallback + (index << 2), held);
  }
}
