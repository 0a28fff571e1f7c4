/**
 * Unicode's normal forms in linear time. `String.normalize` puts a run of marks into order, and joins what can be joined, in
 * time that grows with the square of the run: one text of nothing but marks would take minutes. So a run ends where the
 * stream-safe process of UAX #15 ends it, before its 31st mark, and the marks behind that stay as they stand: nothing is put
 * in or taken out. A text without such a run gets the normal form itself. Whatever the text, a second time changes nothing.
 */

/** UAX #15 allows this many, since no language writes as many. */
const LONGEST_ROW = 30;

/** Characters that may join the one before them, as a regular expression's class: marks, later Hangul, Kirat Rai. */
export const JOINING = String.raw`\p{M}\u1160-\u11ff\u{16d63}-\u{16d6a}`;
const JOINS = new RegExp(`^[${JOINING}]`, 'u');

/** Taken apart, each of them is at most three, and so is what they join: nine of them are never too many. */
const SHORTEST_RUN = 10;

export function normalize(text: string, form: 'NFC' | 'NFD'): string {
  let whole = '';
  let done = 0;
  // Ten of them have a unit at one of these places.
  for (let at = SHORTEST_RUN - 1; at < text.length; at += SHORTEST_RUN) {
    if (!joinsAt(text, at)) continue;
    let from = at;
    while (from > done && joinsAt(text, from - 1)) from--;
    while (at < text.length && joinsAt(text, at)) at++;
    if (at - from < SHORTEST_RUN) continue;
    const base = Math.max(done, isSecondHalf(text, from - 1) ? from - 2 : from - 1);
    whole += text.slice(done, base).normalize(form) + normalizeRun(text.slice(base, at), form);
    done = at;
  }
  return done === 0 ? text.normalize(form) : whole + text.slice(done).normalize(form);
}

/** A character with all that may join it: rows of non-starters, counted upwards, and of starters, counted downwards. */
function normalizeRun(run: string, form: 'NFC' | 'NFD'): string {
  const base = String.fromCodePoint(run.codePointAt(0)!);
  let row = rowsOf(base).at(-1)!;
  let whole = '';
  let from = 0;
  let isRest = false;
  for (let at = base.length; at < run.length; ) {
    const code = run.codePointAt(at)!;
    const first = firstRowOf(code);
    const last = lastRowOf(code);
    const goesOn = first > 0 === row > 0;
    // Parts of Hangul join two others at most, so they may be as many as they like.
    const fits: boolean = !goesOn || Math.abs(row + first) <= LONGEST_ROW || (isJamo(code) && !isRest);
    // Nothing joins a non-starter, so a cut behind the last one changes nothing.
    const mayBeCut = !goesOn && row > 0 && at - from >= LONGEST_ROW;
    if (fits === isRest || mayBeCut) {
      whole += isRest ? run.slice(from, at) : run.slice(from, at).normalize(form);
      from = at;
      isRest = !fits;
    }
    if (first > 0 === last > 0) row = goesOn ? row + first : first;
    else row = last;
    at += code > 0xffff ? 2 : 1;
  }
  return whole + (isRest ? run.slice(from) : run.slice(from).normalize(form));
}

/** The rows of a character that is taken apart. */
function rowsOf(character: string): number[] {
  const rows: number[] = [];
  for (const part of character.normalize('NFD')) {
    const step = isNonStarter(part) ? 1 : -1;
    const row = rows.at(-1) ?? 0;
    if (row * step > 0) rows[rows.length - 1] = row + step;
    else rows.push(step);
  }
  return rows;
}

/** It changes places with a mark of the lowest class behind it, or of the highest before it. */
const isNonStarter = (part: string): boolean =>
  `${part}\u0334`.normalize('NFD') !== `${part}\u0334` || `\u0345${part}`.normalize('NFD') !== `\u0345${part}`;

const isJamo = (code: number): boolean => code >= 0x1160 && code <= 0x11ff;

/** The first and the last row of the code points that have been met. Planes after these hold no marks but selectors of variants. */
const FIRST_ROWS = new Int8Array(0x20000);
const LAST_ROWS = new Int8Array(0x20000);
const FIRST_MARK = 0x300;
const NOT_MET = 0;
/** Joins nothing. */
const BASE = 127;

function firstRowOf(code: number): number {
  if (code < FIRST_MARK) return BASE;
  if (code >= FIRST_ROWS.length) return code >= 0xe0100 && code <= 0xe01ef ? -1 : BASE;
  if (FIRST_ROWS[code] === NOT_MET) meet(code);
  return FIRST_ROWS[code]!;
}

const lastRowOf = (code: number): number => LAST_ROWS[code] ?? -1;

function meet(code: number): void {
  const character = String.fromCodePoint(code);
  const rows = JOINS.test(character) ? rowsOf(character) : [BASE];
  FIRST_ROWS[code] = rows[0]!;
  LAST_ROWS[code] = rows.at(-1)!;
}

/** Whether the character of which this unit is a part may join the one before it. */
function joinsAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xf800) !== 0xd800) return firstRowOf(unit) !== BASE;
  return firstRowOf(text.codePointAt(isSecondHalf(text, at) ? at - 1 : at)!) !== BASE;
}

const isSecondHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
