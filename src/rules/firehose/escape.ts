/** Removes and adds backslashes. Reads and writes numbers like 32-bit floats, which Lucene has in suffixes and prints. */
import { fold } from './words.ts';

export type Unescaped =
  | { readonly text: string }
  | { readonly problem: 'dangling-escape' | 'bad-escape'; readonly at: number };

/** A backslash makes the next character plain; `\uXXXX` is a UTF-16 unit. */
export function unescapeText(image: string): Unescaped {
  let at = image.indexOf('\\');
  if (at === -1) return { text: image };
  let text = '';
  let from = 0;
  for (; at !== -1; at = image.indexOf('\\', from)) {
    text += image.slice(from, at);
    if (at + 1 === image.length) return { problem: 'dangling-escape', at };
    if (image[at + 1] !== 'u') {
      text += image[at + 1];
      from = at + 2;
      continue;
    }
    const digits = image.slice(at + 2, at + 6);
    if (!/^[0-9a-f]{4}$/i.test(digits)) return { problem: 'bad-escape', at };
    text += String.fromCharCode(Number.parseInt(digits, 16));
    from = at + 6;
  }
  return { text: text + image.slice(from) };
}

const SPECIAL = /[+\-!():^[\]"{}~*?\\/\s\u3000]/g;
const OPERATOR_WORD = /^(?:AND|OR|NOT|&&|\|\|)$/;

/** The text as one bare term. */
export function escapeTerm(text: string): string {
  if (OPERATOR_WORD.test(text)) return `\\${text}`;
  return text.replace(SPECIAL, '\\$&');
}

export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Lower-cases a wildcard, except characters after a backslash. */
export const foldWildcard = (pattern: string): string =>
  pattern.includes('\\')
    ? pattern.replace(/\\.|[^\\]+/gsu, (part) => (part[0] === '\\' ? part : fold(part)))
    : fold(pattern);

/** Reads and writes numbers like Java's 32-bit floats, which Lucene uses in suffixes and when it prints a query. */
const FLOAT = /^\s*([+-]?)(?:(NaN|Infinity)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)\s*$/;

export function floatOf(text: string): number | undefined {
  const [, sign, name, digits] = FLOAT.exec(text) ?? [];
  const value = name ?? digits;
  if (value === undefined) return undefined;
  return Math.fround(sign === '-' ? -Number(value) : Number(value));
}

export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0.0';
  const shortest = shortestDigits(value);
  if (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e7) return withPoint(String(Number(shortest)));
  const [mantissa, exponent] = Number(shortest).toExponential().split('e');
  return `${withPoint(mantissa!)}E${Number(exponent)}`;
}

function shortestDigits(value: number): string {
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}

const withPoint = (digits: string) => (digits.includes('.') ? digits : `${digits}.0`);
