/**
 * A page of Firehose from the bytes of its line to its words, for the fields that rules name: what `engine/events/page-event.ts`
 * makes of it. The walk checks the line and notes where strings begin; they are read afterwards, field by field, since phrases
 * run on from one text of a field to the next. A line of which the walk is not sure is left to TypeScript.
 */
import { addDomains } from './domains';
import { isWanted } from './fields';
import {
  at,
  comesNext,
  isKey,
  isLongKey,
  isOver,
  MOST_ENTRIES,
  moveTo,
  openLine,
  pass,
  readKey,
  skipPlainString,
  skipString,
  skipUnknown,
} from './json';
import {
  FOR_SHAPE,
  FOR_TEXT,
  LEFT_FOR,
  LINE_HAS_OTHERS,
  LINE_ID,
  LINE_ID_END,
  RESULTS,
  scratch,
  TEXT,
  TEXT_END,
} from './memory';
import { ID, TEXT as TEXT_KEY, TITLE as TITLE_KEY, URL as URL_KEY } from './names';
import * as field from './page-fields';
import * as name from './page-names';
import { readExact, readPassage } from './passage';
import { openPieces, out } from './pieces';
import { reserveEvent } from './words';

/** Longer lines are rare, and left to TypeScript. */
const LONGEST_LINE: u32 = 131072;
const LONGEST_ID: u32 = 1024;

/**
 * While a line is walked the results are free: of each string that counts, where it begins and its place in the order in which
 * the analyzer reads them. There is room for 8,192, and a line has no more: a change takes 24 bytes of it, and lists are short.
 */
const STRINGS: u32 = RESULTS;

// The order of the analyzer. What a page has changed comes before what it gives under the name of the field.
const ADDED_CHUNK: u32 = 0;
const ADDED: u32 = 1;
const REMOVED_CHUNK: u32 = 2;
const REMOVED: u32 = 3;
const ADDED_ANCHOR: u32 = 4;
const REMOVED_ANCHOR: u32 = 5;
const TITLE: u32 = 6;
const URL: u32 = 7;
const DOMAIN: u32 = 8;
const PUBLISH_TIME: u32 = 9;
const PAGE_CATEGORY: u32 = 10;
const PAGE_TYPES: u32 = 11;
const PAGE_TYPE: u32 = 12;
const LANGUAGE: u32 = 13;
const LAST: u32 = 13;

let strings: u32 = 0;
/** A bit for each place in the order that has a string, and for each key that was met. */
let noted: u32 = 0;
let met: u32 = 0;
let hasId: bool = false;
let hasDiff: bool = false;
let hasChunks: bool = false;
let addressAt: u32 = 0;

/** Makes the words of a line. False where TypeScript must read it. */
export function walkPage(from: u32, to: u32): bool {
  const length = to - from;
  store<u32>(scratch, FOR_SHAPE, LEFT_FOR);
  if (length > LONGEST_LINE) return false;
  // Folding makes two bytes into three at most. An address counts three times: in lower case and in its domains.
  reserveEvent(length + 1024, (length << 2) + 4096);
  openLine(from, to);
  openPieces(load<u32>(scratch, TEXT));
  strings = 0;
  noted = 0;
  met = 0;
  hasId = false;
  hasDiff = false;
  hasChunks = false;
  addressAt = 0;
  memory.fill(scratch + LINE_ID, 0, LINE_HAS_OTHERS + 4 - LINE_ID);
  if (!walkTop() || !isOver() || !(hasId || addressAt !== 0)) return false;
  store<u32>(scratch, FOR_TEXT, LEFT_FOR);
  if (!readStrings()) return false;
  store<u32>(scratch, out, TEXT_END);
  return true;
}

function walkTop(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey() || !walkKey()) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

function walkKey(): bool {
  if (isKey(ID)) {
    if (hasId || !pass(0x22) || load<u8>(at) === 0x22) return false;
    hasId = true;
    store<u32>(scratch, at, LINE_ID);
    if (!skipPlainString(LONGEST_ID)) return false;
    store<u32>(scratch, at - 1, LINE_ID_END);
    return true;
  }
  if (isKey(name.DIFF)) {
    if (hasDiff) return false;
    hasDiff = true;
    return walkDiff();
  }
  if (isKey(URL_KEY)) return walkAddress();
  if (isKey(TITLE_KEY)) return walkStrings(TITLE, field.TITLE, 8192);
  if (isKey(name.LANGUAGE)) return walkStrings(LANGUAGE, field.LANGUAGE, 64);
  if (isKey(name.DOMAIN)) return walkStrings(DOMAIN, field.DOMAIN, 253);
  if (isKey(name.ADDED)) return walkStrings(ADDED, field.ADDED, LONGEST_LINE);
  if (isKey(name.REMOVED)) return walkStrings(REMOVED, field.REMOVED, LONGEST_LINE);
  return walkLongKey();
}

function walkLongKey(): bool {
  if (isLongKey(12, name.PUBLISH_TIME, name.PUBLISH_TIME_END)) return walkStrings(PUBLISH_TIME, field.PUBLISH_TIME, 64);
  if (isLongKey(13, name.PAGE_CATEGORY, name.PAGE_CATEGORY_END))
    return walkStrings(PAGE_CATEGORY, field.PAGE_CATEGORY, 1024);
  if (isLongKey(10, name.PAGE_TYPES, name.PAGE_TYPES_END)) return walkStrings(PAGE_TYPES, field.PAGE_TYPE, 1024);
  if (isLongKey(9, name.PAGE_TYPE, name.PAGE_TYPE_END)) return walkStrings(PAGE_TYPE, field.PAGE_TYPE, 1024);
  if (isLongKey(12, name.ADDED_ANCHOR, name.ADDED_ANCHOR_END))
    return walkStrings(ADDED_ANCHOR, field.ADDED_ANCHOR, LONGEST_LINE);
  if (isLongKey(14, name.REMOVED_ANCHOR, name.REMOVED_ANCHOR_END))
    return walkStrings(REMOVED_ANCHOR, field.REMOVED_ANCHOR, LONGEST_LINE);
  return skipUnknown(1);
}

/** The address of a page without an id is its id: it must be a string that is not empty. */
function walkAddress(): bool {
  if (addressAt !== 0 || !pass(0x22) || load<u8>(at) === 0x22) return false;
  addressAt = at;
  if (isWanted(field.URL)) note(URL, at);
  return skipString(8192);
}

/**
 * A string or a list of strings. A key that stands twice is left, as the last one counts, and so is a page whose domain is empty:
 * it has that of its address.
 */
function walkStrings(order: u32, wanted: u32, longest: u32): bool {
  if ((met >> order) & 1) return false;
  met |= 1 << order;
  const counts = isWanted(wanted);
  if (pass(0x22)) return !(order === DOMAIN && load<u8>(at) === 0x22) && walkString(order, counts, longest);
  if (!pass(0x5b)) return false;
  let more = !comesNext(0x5d);
  if (order === DOMAIN && !more) return false;
  let entries: u32 = 0;
  while (more) {
    if (++entries > MOST_ENTRIES || !pass(0x22) || !walkString(order, counts, longest)) return false;
    more = pass(0x2c);
  }
  return pass(0x5d);
}

// @inline
function walkString(order: u32, counts: bool, longest: u32): bool {
  if (counts) note(order, at);
  return skipString(longest);
}

function note(order: u32, place: u32): void {
  const string = scratch + (strings << 3);
  store<u32>(string, place, STRINGS);
  store<u32>(string, order, STRINGS + 4);
  strings++;
  noted |= 1 << order;
}

function walkDiff(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.CHUNKS)) {
      if (hasChunks || !walkChunks()) return false;
      hasChunks = true;
    } else if (!skipUnknown(2)) return false;
    more = pass(0x2c);
  }
  return pass(0x7d);
}

function walkChunks(): bool {
  if (!pass(0x5b)) return false;
  let more = !comesNext(0x5d);
  while (more) {
    if (!walkChunk()) return false;
    more = pass(0x2c);
  }
  return pass(0x5d);
}

function walkChunk(): bool {
  if (!pass(0x7b)) return false;
  let more = !comesNext(0x7d);
  let kindAt: u32 = 0;
  let textAt: u32 = 0;
  while (more) {
    if (!readKey()) return false;
    if (isKey(name.TYP)) {
      if (kindAt !== 0 || !pass(0x22)) return false;
      kindAt = at;
      if (!skipPlainString(LONGEST_LINE)) return false;
    } else if (isKey(TEXT_KEY)) {
      if (textAt !== 0 || !pass(0x22)) return false;
      textAt = at;
      if (!skipString(LONGEST_LINE)) return false;
    } else if (!skipUnknown(4)) return false;
    more = pass(0x2c);
  }
  if (textAt !== 0 && kindAt !== 0) noteChunk(kindAt, textAt);
  return pass(0x7d);
}

/** `ins` or `del`, with the quote after it. */
function noteChunk(kindAt: u32, textAt: u32): void {
  if (load<u8>(kindAt, 3) !== 0x22) return;
  const kind = <u64>(load<u32>(kindAt) & 0xffffff);
  if (kind === name.INS && isWanted(field.ADDED)) note(ADDED_CHUNK, textAt);
  else if (kind === name.DEL && isWanted(field.REMOVED)) note(REMOVED_CHUNK, textAt);
}

function readStrings(): bool {
  for (let order: u32 = 0; order <= LAST; order++) {
    if (((noted >> order) & 1) !== 0 && !readAll(order)) return false;
    const takesDomains = order === DOMAIN && addressAt !== 0 && ((met >> DOMAIN) & 1) === 0 && isWanted(field.DOMAIN);
    if (takesDomains && !addDomains(addressAt)) return false;
  }
  return true;
}

function readAll(order: u32): bool {
  const first = scratch + STRINGS;
  const end = first + (strings << 3);
  const known = fieldAt(order);
  for (let string = first; string < end; string += 8) {
    if (load<u32>(string, 4) !== order) continue;
    moveTo(load<u32>(string));
    if (!(order <= TITLE ? readPassage(known, order !== TITLE) : readExact(known))) return false;
  }
  return true;
}

/** The field of each place in the order. */
function fieldAt(order: u32): u32 {
  if (order <= REMOVED) return order >> 1;
  if (order <= PAGE_CATEGORY) return order - 2;
  return order === LANGUAGE ? field.LANGUAGE : field.PAGE_TYPE;
}
