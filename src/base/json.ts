/**
 * JSON from strangers. `JSON.parse` accepts a million nested arrays and silently keeps the last of two equal keys; both
 * are refused here before anything is built, by one pass over the characters.
 */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
}

/** Keys that mean something to JavaScript objects; no honest request has them. */
const RESERVED = new Set(['__proto__', 'prototype', 'constructor']);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export function parseJson(text: string, limits: JsonLimits): ParsedJson {
  const problem = hostile(text, limits);
  if (problem !== undefined) return { ok: false, problem };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: 'It is not valid JSON.' };
  }
}

/** True when a string anywhere inside is not well-formed Unicode: half a surrogate pair cannot be kept as UTF-8. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) => !key.isWellFormed() || hasLoneSurrogate(inside));
}

/**
 * What is wrong with the text beyond its grammar, which is left to `JSON.parse`: on broken JSON the answer here may be
 * anything, since the text is refused either way.
 */
function hostile(text: string, limits: JsonLimits): string | undefined {
  /** The keys seen in each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        open.push(text.charCodeAt(at) === OPEN_OBJECT ? new Set() : undefined);
        if (open.length > limits.depth) return `It is nested deeper than ${limits.depth} levels.`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        const seen = open.at(-1);
        if (seen !== undefined && isKey(text, end)) {
          const key = readKey(text.slice(at, end + 1));
          if (key === undefined) return undefined;
          if (RESERVED.has(key)) return `The key "${key}" is not allowed.`;
          if (seen.has(key)) return `The key "${shown(key)}" is there twice.`;
          if (++keys > limits.keys) return `It has more than ${limits.keys} keys.`;
          seen.add(key);
        }
        at = end;
      }
    }
  }
  return undefined;
}

/** Where the string that starts at a quote ends, or the end of the text when it never does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) at++;
    else if (character === QUOTE) return at;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/** Escapes are resolved, so that `"\u0061"` and `"a"` are one key; undefined when the string itself is broken. */
function readKey(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

const shown = (key: string): string => (key.length > 40 ? `${key.slice(0, 40)}…` : key);
