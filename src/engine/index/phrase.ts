/**
 * Whether words stand where a phrase wants them. Every search goes forward only, and asks first what failed last time,
 * so that neither a long text nor a long phrase of few words makes it slow.
 */
import type { Presence } from './presence.ts';
import { PHRASE_TERMS, payloadOf, SLOP_SHIFT, SPREAD } from './program.ts';
import { findsRun } from './word-run.ts';

/** The search for one phrase: where it stands in its program, and for each of its terms the word looked at. */
interface Search {
  readonly code: Int32Array;
  readonly count: number;
  readonly terms: number;
  /** GeoPlace of the offsets; 0 when they are 0, 1, 2, … */
  readonly offsets: number;
}

/** Looks that a search may take in one go: a few milliseconds. */
const MOST_LOOKS = 1 << 17;

let words = new Int32Array(64);
let order = new Int32Array(64);

/** Whether the search for the phrase at `at` may take long. Words that just follow one another are always found soon. */
export function takesLong(code: Int32Array, at: number, presence: Presence): boolean {
  const form = code[at + 1]!;
  const count = code[at + 2]!;
  if (form >>> SLOP_SHIFT === 0 && (form & SPREAD) === 0) return false;
  if (count * presence.event.words.count <= MOST_LOOKS) return false;
  return hasTerms(code, at, presence);
}

function hasTerms(code: Int32Array, at: number, presence: Presence): boolean {
  const terms = at + PHRASE_TERMS;
  for (let term = terms; term < terms + code[at + 2]!; term++) if (!presence.has(payloadOf(code[term]!))) return false;
  return true;
}

/** Whether the phrase at `at` is found; its being negated is the caller's business. */
export function findsPhrase(code: Int32Array, at: number, presence: Presence): boolean {
  const form = code[at + 1]!;
  const count = code[at + 2]!;
  const terms = at + PHRASE_TERMS;
  if (!hasTerms(code, at, presence)) return false;
  const slop = form >>> SLOP_SHIFT;
  presence.steps += presence.event.words.count >>> 3;
  if (slop === 0 && (form & SPREAD) === 0) return findsRun(code, at, presence);
  // Each term may be looked for from one end of the event to the other.
  presence.steps += (count * presence.event.words.count) >>> 3;
  const search = { code, count, terms, offsets: (form & SPREAD) === 0 ? 0 : terms + count };
  begin(search, presence);
  return slop === 0 ? findsExact(search, presence) : findsSloppy(search, slop, presence);
}

function begin({ code, count, terms }: Search, presence: Presence): void {
  if (count > words.length) {
    words = new Int32Array(count * 2);
    order = new Int32Array(count * 2);
  }
  for (let index = 0; index < count; index++) {
    words[index] = presence.firstWord(payloadOf(code[terms + index]!));
    order[index] = index;
  }
}

const offsetOf = ({ code, offsets }: Search, index: number): number => (offsets === 0 ? index : code[offsets + index]!);

/** Moves the place where the phrase may begin forward until every term agrees with it. */
function findsExact(search: Search, presence: Presence): boolean {
  const { positions } = presence.event.words;
  let place = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < search.count; step++) {
    const index = order[step]!;
    const wanted = place + offsetOf(search, index);
    let word = words[index]!;
    while (word >= 0 && positions[word]! < wanted) word = presence.nextWord(word);
    if (word < 0) return false;
    words[index] = word;
    if (positions[word] === wanted) continue;
    place = positions[word]! - offsetOf(search, index);
    askFirst(step);
    step = -1;
  }
  return true;
}

function askFirst(step: number): void {
  if (step === 0) return;
  const failed = order[step]!;
  order[step] = order[1]!;
  order[1] = order[0]!;
  order[0] = failed;
}

/** The same with leeway: each term's position less its offset must lie within `slop` from `place` on. */
function findsSloppy(search: Search, slop: number, presence: Presence): boolean {
  const { positions } = presence.event.words;
  noteRepeats(search);
  let place = positions[words[0]!]! - offsetOf(search, 0) - slop;
  for (let index = 0; index < search.count; index++) {
    const offset = offsetOf(search, index);
    const same = order[index]!;
    // A term that is asked for twice must stand twice.
    const after = same < 0 ? Number.NEGATIVE_INFINITY : positions[words[same]!]!;
    let word = words[index]!;
    while (word >= 0 && (positions[word]! < place + offset || positions[word]! <= after))
      word = presence.nextWord(word);
    if (word < 0) return false;
    words[index] = word;
    if (positions[word]! <= place + offset + slop) continue;
    place = positions[word]! - offset - slop;
    index = -1;
  }
  return true;
}

/** Leaves in `order`, for each term, the index of the same term before it, or -1. */
function noteRepeats({ code, count, terms }: Search): void {
  for (let index = 0; index < count; index++) {
    let before = index - 1;
    while (before >= 0 && payloadOf(code[terms + before]!) !== payloadOf(code[terms + index]!)) before--;
    order[index] = before;
  }
}
