/** The core offers these to TypeScript: numbers and addresses in, numbers and addresses out. */
import { matchBatch } from './batch';
import { hashOfTerm, POSTINGS, releaseTerm, slotOf, startDictionary, useTerm } from './dictionary';
import { addEntry, removeEntry } from './lists';
import { countWords, matchWords } from './match';
import { countUsed, give, INPUT, INPUT_ROOM, reserve, SLOW_LIST, scratch, start, take } from './memory';
import { walkPage } from './page';
import { forgetMarks, meetsPattern, reserveMarks } from './patterns';
import { walkPost } from './post';
import { clearScratch, growRules, openScratch, reservePhrase } from './scratch';
import { countAt, isCounted } from './shares';
import { reserveEvent, spreadWords } from './words';

export {
  clearScratch,
  countWords,
  growRules,
  isCounted,
  matchBatch,
  matchWords,
  meetsPattern,
  openScratch,
  releaseTerm,
  reserve,
  reserveEvent,
  reserveMarks,
  reservePhrase,
  spreadWords,
  useTerm,
  walkPage,
  walkPost,
};

export function open(seed: u32): void {
  start(seed);
  startDictionary();
  forgetMarks();
  reserveInput(4096);
  reserveEvent(512, 4096);
  reservePhrase(64);
  growRules(64);
}

/** Has room for this many bytes from outside, and answers where. What was there is lost. */
export function reserveInput(bytes: u32): u32 {
  const held = load<u32>(scratch, INPUT_ROOM);
  // Strings are read 16 bytes at a time.
  const wanted = bytes + 32;
  if (wanted > held) {
    if (held !== 0) give(load<u32>(scratch, INPUT), held);
    const room = max(wanted, held << 1);
    store<u32>(scratch, take(room), INPUT);
    store<u32>(scratch, room, INPUT_ROOM);
  }
  return load<u32>(scratch, INPUT);
}

/** Copies a program of this many integers from the input, and answers where it stands. */
export function putProgram(length: u32): u32 {
  const program = take(length << 2);
  countUsed(length << 2);
  memory.copy(program, load<u32>(scratch, INPUT), length << 2);
  return program;
}

export function dropProgram(program: u32, length: u32): void {
  give(program, length << 2);
  countUsed(-((<i32>length) << 2));
}

export function addPosting(term: u32, rule: i32, first: i32, second: i32): void {
  const slot = slotOf(term);
  store<u32>(slot, addEntry(load<u32>(slot, POSTINGS), rule, first, second), POSTINGS);
}

export function removePosting(term: u32, rule: i32, proven: i32): void {
  const slot = slotOf(term);
  store<u32>(slot, removeEntry(load<u32>(slot, POSTINGS), rule, proven), POSTINGS);
}

export function addSlow(rule: i32): void {
  store<u32>(SLOW_LIST, addEntry(load<u32>(SLOW_LIST), rule, 0, 0));
}

export function removeSlow(rule: i32): void {
  store<u32>(SLOW_LIST, removeEntry(load<u32>(SLOW_LIST), rule, rule));
}

/** How often a term was counted. */
export function countOf(term: u32): u32 {
  return countAt(hashOfTerm(term));
}
