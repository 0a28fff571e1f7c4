/**
 * Parses Lucene's regular expressions with all optional operators. They are anchored at both ends and have no assertions
 * or references, so each is a regular language: a tree that `dfa.ts` turns into a table.
 */
export type Regex =
  /** Pairs of first and last code point, sorted and disjoint. */
  | { readonly kind: 'set'; readonly ranges: readonly number[] }
  | { readonly kind: 'cat'; readonly of: readonly Regex[] }
  | { readonly kind: 'or'; readonly of: readonly Regex[] }
  | { readonly kind: 'and'; readonly of: readonly Regex[] }
  | { readonly kind: 'not'; readonly of: Regex }
  | { readonly kind: 'repeat'; readonly of: Regex; readonly min: number; readonly max: number };

export interface RegexProblem {
  readonly message: string;
  /** The offset in the pattern, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export type ReadRegex = { readonly regex: Regex } | { readonly problem: RegexProblem };

const LAST_CODE_POINT = 0x10ffff;
const MAX_DEPTH = 50;
const MAX_COUNT = 2_147_483_647;

export const EMPTY: Regex = { kind: 'cat', of: [] };
export const NO_STRING: Regex = { kind: 'or', of: [] };
export const ANY_STRING: Regex = { kind: 'not', of: NO_STRING };
export const ANY_CHARACTER: Regex = { kind: 'set', ranges: [0, LAST_CODE_POINT] };

export const character = (code: number): Regex => ({ kind: 'set', ranges: [code, code] });

export function text(literal: string): Regex {
  return { kind: 'cat', of: Array.from(literal, (one) => character(one.codePointAt(0)!)) };
}

export function readRegex(pattern: string): ReadRegex {
  const reader = new Reader(pattern);
  try {
    return { regex: reader.whole() };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.problem };
    throw error;
  }
}

class Problem extends Error {
  readonly problem: RegexProblem;
  constructor(message: string, start: number, end: number) {
    super(message);
    this.problem = { message, start, end };
  }
}

const CLASSES: Readonly<Record<string, readonly number[]>> = {
  d: [0x30, 0x39],
  s: [0x09, 0x0a, 0x0d, 0x0d, 0x20, 0x20],
  w: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
};

class Reader {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  whole(): Regex {
    if (this.#pattern === '') return EMPTY;
    const regex = this.#union();
    if (this.#more()) throw new Problem('This ) closes no group.', this.#at, this.#at + 1);
    return regex;
  }

  #union(): Regex {
    const of = [this.#intersection()];
    while (this.#take('|')) of.push(this.#intersection());
    return of.length === 1 ? of[0]! : { kind: 'or', of };
  }

  #intersection(): Regex {
    const of = [this.#concatenation()];
    while (this.#take('&')) of.push(this.#concatenation());
    return of.length === 1 ? of[0]! : { kind: 'and', of };
  }

  #concatenation(): Regex {
    const of = [this.#repetition()];
    while (this.#more() && !this.#sees(')|&')) of.push(this.#repetition());
    return of.length === 1 ? of[0]! : { kind: 'cat', of };
  }

  #repetition(): Regex {
    let regex = this.#complement();
    for (;;) {
      if (this.#take('?')) regex = { kind: 'repeat', of: regex, min: 0, max: 1 };
      else if (this.#take('*')) regex = { kind: 'repeat', of: regex, min: 0, max: Infinity };
      else if (this.#take('+')) regex = { kind: 'repeat', of: regex, min: 1, max: Infinity };
      else if (this.#take('{')) regex = this.#counted(regex, this.#at - 1);
      else return regex;
    }
  }

  #counted(of: Regex, start: number): Regex {
    const min = this.#integer();
    if (min === undefined) throw new Problem('A number is missing in {…}.', start, this.#at);
    let max: number = min;
    if (this.#take(',')) max = this.#integer() ?? Infinity;
    if (!this.#take('}')) throw new Problem('This { is never closed by }.', start, this.#at);
    if (max < min) throw new Problem(`The bounds ${min} and ${max} are the wrong way round.`, start, this.#at);
    return { kind: 'repeat', of, min, max };
  }

  #integer(): number | undefined {
    const start = this.#at;
    while (this.#sees('0123456789')) this.#at++;
    if (this.#at === start) return undefined;
    const value = Number(this.#pattern.slice(start, this.#at));
    if (value > MAX_COUNT) throw new Problem('This number is too large.', start, this.#at);
    return value;
  }

  /** `~` is the complement of the one element after it, without that element's repetition. */
  #complement(): Regex {
    let negated = false;
    while (this.#take('~')) negated = !negated;
    const of = this.#element();
    return negated ? { kind: 'not', of } : of;
  }

  #element(): Regex {
    const start = this.#at;
    if (this.#take('[')) return this.#characterClass(start);
    if (this.#take('.')) return ANY_CHARACTER;
    if (this.#take('#')) return NO_STRING;
    if (this.#take('@')) return ANY_STRING;
    if (this.#take('"')) return text(this.#upTo('"', start));
    if (this.#take('(')) return this.#group(start);
    if (this.#take('<')) return this.#interval(start);
    return this.#shorthand() ?? character(this.#character());
  }

  #group(start: number): Regex {
    if (this.#take(')')) return EMPTY;
    if (++this.#depth > MAX_DEPTH) throw new Problem(`Groups are nested more than ${MAX_DEPTH} deep.`, start, this.#at);
    const regex = this.#union();
    if (!this.#take(')')) throw new Problem('This ( is never closed.', start, start + 1);
    this.#depth--;
    return regex;
  }

  #characterClass(start: number): Regex {
    const negated = this.#take('^');
    const ranges = [...this.#classPart()];
    while (this.#more() && !this.#sees(']')) ranges.push(...this.#classPart());
    if (!this.#take(']')) throw new Problem('This [ is never closed by ].', start, this.#at);
    const tidy = tidyRanges(ranges);
    return { kind: 'set', ranges: negated ? otherRanges(tidy) : tidy };
  }

  #classPart(): readonly number[] {
    const shorthand = this.#shorthand();
    if (shorthand?.kind === 'set') return shorthand.ranges;
    const start = this.#at;
    const from = this.#character();
    if (!this.#take('-')) return [from, from];
    const to = this.#character();
    if (from > to) {
      const range = this.#pattern.slice(start, this.#at);
      throw new Problem(`The range ${range} is the wrong way round.`, start, this.#at);
    }
    return [from, to];
  }

  /** `\d`, `\D`, …: undefined, and nothing is read, if there is none. A backslash before other letters is an error. */
  #shorthand(): Regex | undefined {
    const name = this.#pattern[this.#at] === '\\' ? (this.#pattern[this.#at + 1] ?? '') : '';
    if (!/^[a-z]$/i.test(name)) return undefined;
    const ranges = CLASSES[name.toLowerCase()];
    this.#at += 2;
    if (ranges === undefined)
      throw new Problem(`\\${name} has no meaning in Lucene's patterns.`, this.#at - 2, this.#at);
    return { kind: 'set', ranges: name === name.toLowerCase() ? ranges : otherRanges(ranges) };
  }

  #character(): number {
    this.#take('\\');
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new Problem('The pattern ends where an element is expected.', this.#at, this.#at);
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #interval(start: number): Regex {
    const inside = this.#upTo('>', start);
    const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(inside) ?? [];
    const low = Math.min(Number(from), Number(to));
    const high = Math.max(Number(from), Number(to));
    if (from === '' || high > MAX_COUNT)
      throw new Problem('Between < and > stand two numbers, as in <1-12>.', start, this.#at);
    return numbers(low, high, from.length === to.length ? from.length : 0);
  }

  #upTo(closing: string, start: number): string {
    const end = this.#pattern.indexOf(closing, this.#at);
    if (end === -1) throw new Problem(`The closing ${closing} is missing.`, start, this.#pattern.length);
    const inside = this.#pattern.slice(this.#at, end);
    this.#at = end + 1;
    return inside;
  }

  #more(): boolean {
    return this.#at < this.#pattern.length;
  }

  #sees(some: string): boolean {
    return this.#more() && some.includes(this.#pattern[this.#at]!);
  }

  #take(one: string): boolean {
    if (this.#pattern[this.#at] !== one) return false;
    this.#at++;
    return true;
  }
}

function tidyRanges(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) pairs.push([ranges[index]!, ranges[index + 1]!]);
  pairs.sort((one, other) => one[0] - other[0]);
  const tidy: number[] = [];
  for (const [from, to] of pairs) {
    if (tidy.length > 0 && from <= tidy.at(-1)! + 1) tidy[tidy.length - 1] = Math.max(tidy.at(-1)!, to);
    else tidy.push(from, to);
  }
  return tidy;
}

function otherRanges(tidy: readonly number[]): number[] {
  const others: number[] = [];
  let next = 0;
  for (let index = 0; index < tidy.length; index += 2) {
    if (tidy[index]! > next) others.push(next, tidy[index]! - 1);
    next = tidy[index + 1]! + 1;
  }
  if (next <= LAST_CODE_POINT) others.push(next, LAST_CODE_POINT);
  return others;
}

/** Decimal numbers from `low` to `high` with exactly `digits` digits; if `digits` is 0, with any number of leading zeros. */
function numbers(low: number, high: number, digits: number): Regex {
  if (digits > 0) return between(String(low).padStart(digits, '0'), String(high).padStart(digits, '0'));
  const of: Regex[] = [];
  for (let length = String(low).length; length <= String(high).length; length++) {
    const least = Math.max(low, length === 1 ? 0 : 10 ** (length - 1));
    of.push(between(String(least), String(Math.min(high, 10 ** length - 1))));
  }
  return {
    kind: 'cat',
    of: [
      { kind: 'repeat', of: character(0x30), min: 0, max: Infinity },
      { kind: 'or', of },
    ],
  };
}

/** All digit strings between two digit strings of the same length. */
function between(low: string, high: string): Regex {
  if (low === '') return EMPTY;
  const [first, last] = [low.charCodeAt(0), high.charCodeAt(0)];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (first === last) return { kind: 'cat', of: [character(first), between(lowRest, highRest)] };
  const of: Regex[] = [
    { kind: 'cat', of: [character(first), between(lowRest, '9'.repeat(lowRest.length))] },
    { kind: 'cat', of: [character(last), between('0'.repeat(lowRest.length), highRest)] },
  ];
  if (last - first > 1) {
    const digit: Regex = { kind: 'set', ranges: [0x30, 0x39] };
    const rest: Regex = { kind: 'repeat', of: digit, min: lowRest.length, max: lowRest.length };
    of.push({ kind: 'cat', of: [{ kind: 'set', ranges: [first + 1, last - 1] }, rest] });
  }
  return { kind: 'or', of };
}
