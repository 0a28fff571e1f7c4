/**
 * Parses the JSON of a record. It scans the text first: a megabyte of brackets would take the parser half a second, and
 * an integer beyond 2^53 would lose its last digits, which matter in an id. Such integers become strings.
 */
import { endOfString, isDeeperThan } from '../../base/json.ts';

const MAX_DEPTH = 64;

const QUOTE = 0x22;
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
  if (isDeeperThan(text, MAX_DEPTH)) return { broken: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(withExactIntegers(text)) };
  } catch {
    return { broken: 'it is not valid JSON' };
  }
}

/** The text with long integers in quotes. Strings are stepped over. */
function withExactIntegers(text: string): string {
  const parts: string[] = [];
  let taken = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
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

/** The end of the characters that a number may consist of. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end]!)) end++;
  return end;
}
