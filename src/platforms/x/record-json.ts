/**
 * Parses the JSON of a record. It scans the text first: a megabyte of brackets would take the parser half a second, and
 * an integer beyond 2^53 would lose its last digits, which matter in an id. Such integers become strings.
 */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Shorter integers are exact as numbers. */
const EXACT_DIGITS = 15;

export type RecordJson = { readonly value: unknown } | { readonly broken: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseRecord(bytes: Uint8Array): RecordJson {
  try {
    return parseExact(utf8.decode(bytes));
  } catch {
    return { broken: 'it is not valid UTF-8' };
  }
}

/** Like `parseRecord`, for text. */
export function parseExact(text: string): RecordJson {
  const exact = withExactIntegers(text);
  if (exact === undefined) return { broken: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(exact) };
  } catch {
    return { broken: 'it is not valid JSON' };
  }
}

/** The text with long integers in quotes; undefined if it is nested too deep. Strings are skipped. */
function withExactIntegers(text: string): string | undefined {
  const parts: string[] = [];
  let taken = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) return undefined;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    } else if (unit >= DIGIT_0 && unit <= DIGIT_9) {
      const end = endOfNumber(text, at);
      if (end - at > EXACT_DIGITS && /^\d+$/.test(text.slice(at, end)) && text[at - 1] !== '-') {
        parts.push(text.slice(taken, at), '"', text.slice(at, end), '"');
        taken = end;
      }
      at = end - 1;
    }
  }
  return taken === 0 ? text : parts.join('') + text.slice(taken);
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The end of the characters that a number may consist of. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end]!)) end++;
  return end;
}
