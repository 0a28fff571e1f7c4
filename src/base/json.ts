/**
 * JSON from senders that are not trusted. `JSON.parse` accepts a million nested arrays and silently keeps the last of two equal
 * keys. Both are refused here before anything is built.
 */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
  /** The most entries of all lists together, where an empty list counts as one; any number if it is absent. */
  readonly entries?: number;
}

/** Keys that mean something to JavaScript objects. No request needs them. */
const RESERVED = new Set(['__proto__', 'prototype', 'constructor']);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export function parseJson(text: string, limits: JsonLimits): ParsedJson {
  if (isDeeperThan(text, limits.depth))
    return { ok: false, problem: `It is nested deeper than ${limits.depth} levels.` };
  const problem = problemWithParts(text, limits);
  if (problem !== undefined) return { ok: false, problem };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: 'It is not valid JSON.' };
  }
}

/** Whether any string inside is not well-formed Unicode: half a surrogate pair cannot be stored as UTF-8. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) => !key.isWellFormed() || hasLoneSurrogate(inside));
}

/**
 * Whether objects and arrays are nested deeper than this. Asked before parsing: a megabyte of brackets takes the parser half a
 * second. Brackets inside strings do not count. On broken JSON the answer may be either.
 */
export function isDeeperThan(json: string, limit: number): boolean {
  if (!opensMoreThan(json, limit)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(json, at);
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (++depth > limit) return true;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      depth--;
    }
  }
  return false;
}

/** A text with few brackets is never deep, and counting brackets is much faster than finding which are in strings. */
function opensMoreThan(json: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) if (left-- === 0) return true;
  }
  return false;
}

/** The end of the string that starts at a quote, or the end of the text if the string never ends. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/**
 * The problem with the keys or with the number of entries, if there is one. `JSON.parse` checks the grammar: on broken JSON the
 * answer here may be anything, because the text is refused either way.
 */
function problemWithParts(text: string, most: JsonLimits): string | undefined {
  /** The keys seen in each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  const mostEntries = most.entries ?? Number.POSITIVE_INFINITY;
  let [keys, entries] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
        open.push(new Set());
        break;
      case OPEN_ARRAY:
        open.push(undefined);
        // One comma fewer than entries follows.
        if (++entries > mostEntries) return tooManyEntries(mostEntries);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        break;
      case COMMA:
        if (open.at(-1) === undefined && ++entries > mostEntries) return tooManyEntries(mostEntries);
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        const seen = open.at(-1);
        if (seen !== undefined && isKey(text, end)) {
          const key = readKey(text.slice(at, end + 1));
          if (key === undefined) return undefined;
          const problem = ++keys > most.keys ? `It has more than ${most.keys} keys.` : problemWithKey(key, seen);
          if (problem !== undefined) return problem;
          seen.add(key);
        }
        at = end;
      }
    }
  }
  return undefined;
}

const tooManyEntries = (most: number): string => `Its lists have more than ${most} entries.`;

function problemWithKey(key: string, seen: ReadonlySet<string>): string | undefined {
  if (RESERVED.has(key)) return `The key "${key}" is not allowed.`;
  return seen.has(key) ? `The key "${shown(key)}" is there twice.` : undefined;
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/** Escapes are resolved, so that `"\u0061"` and `"a"` are one key; undefined if the string itself is broken. */
function readKey(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

const shown = (key: string): string => (key.length > 40 ? `${key.slice(0, 40)}…` : key);

/** Readers for JSON of unknown shape. Each returns the field if it has the expected type, and nothing otherwise. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: readonly unknown[] = [];

export const recordIn = (value: unknown): JsonRecord | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY);

/** A string with at least one character: an empty one counts as absent. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Ids are strings, but JSON written by hand often has numbers. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textIn(value);

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
