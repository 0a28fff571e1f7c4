/** Shared by the parts of the lexer: tokens, state, and the ends of words and clauses. */
import type { Diagnostic, Fix, Span } from '../diagnostic.ts';
import { diagnose, replace, type XCode } from './messages.ts';
import { wordsOf } from './words.ts';

type TokenKind = 'open' | 'close' | 'dash' | 'or' | ClauseKind;
export type ClauseKind = 'keyword' | 'and' | 'phrase' | 'hashtag' | 'mention' | 'cashtag' | 'operator' | 'broken';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  end: number;
  /** The keyword, the phrase without quotes, the tag without its sigil, or the operator's value. */
  readonly text: string;
  /** The operator's name in lower case. */
  readonly name: string;
  /** Offset of the operator's value. */
  readonly valueStart: number;
  readonly form: 'bare' | 'quoted' | 'list';
  /** The number after a phrase; −1 if there is none. */
  slop: number;
}

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly problems: Diagnostic[];
}

export interface Lexer {
  readonly text: string;
  readonly tokens: Token[];
  readonly problems: Diagnostic[];
  /** Closing characters that do not occur any more. Searching for them again would take quadratic time. */
  absent: string;
}

export function push(lexer: Lexer, kind: TokenKind, start: number, end: number, text = ''): number {
  lexer.tokens.push({ kind, start, end, text, name: '', valueStart: start, form: 'bare', slop: -1 });
  return end;
}

export function broken(
  lexer: Lexer,
  code: XCode,
  start: number,
  end: number,
  about: Parameters<typeof diagnose>[3],
): number {
  lexer.problems.push(diagnose(code, start, end, about));
  return push(lexer, 'broken', start, end);
}

export const isBlank = (unit: number) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
/** Ends a clause: a blank, a parenthesis, the end of the text (NaN). */
export const isEdge = (unit: number) => isBlank(unit) || unit === 0x28 || unit === 0x29 || Number.isNaN(unit);
export const isLetter = (unit: number) => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
export const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39;

/** The end of a bare word or value. A quote ends it too, although it is not allowed there. */
export function endOfRun(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isEdge(unit) || unit === 0x22) break;
    at++;
  }
  return at;
}

/** Offset of the quote that closes the one at `open`, or −1. */
export function endOfQuoted(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (unit === 0x5c && (text.charCodeAt(at + 1) === 0x22 || text.charCodeAt(at + 1) === 0x5c)) at++;
  }
  return -1;
}

export const unescapeQuoted = (text: string) => (text.includes('\\') ? text.replaceAll(/\\(["\\])/g, '$1') : text);

export function indexOfOnce(lexer: Lexer, what: string, from: number): number {
  if (lexer.absent.includes(what)) return -1;
  const found = lexer.text.indexOf(what, from);
  if (found < 0) lexer.absent += what;
  return found;
}

export function closingQuote(lexer: Lexer, mark: string, from: number): number {
  const { text } = lexer;
  if (lexer.absent.includes(mark)) return -1;
  let close = text.indexOf(mark, from);
  while (close >= 0 && !isEdge(text.charCodeAt(close + 1))) close = text.indexOf(mark, close + 1);
  if (close < 0) lexer.absent += mark;
  return close;
}

/** A blank or parenthesis must follow a clause. */
export function endClause(lexer: Lexer, from: number): number {
  const { text, tokens } = lexer;
  if (isEdge(text.charCodeAt(from))) return from;
  const isQuote = text.charAt(from) === '"';
  const end = isQuote ? from + 1 : endOfRun(text, from);
  const { start, kind } = tokens.at(-1)!;
  const junk = text.slice(from, end);
  const fixes = isQuote ? [replace(from, from, ' ')] : apart(text, kind, start, from, end);
  lexer.problems.push(diagnose('missing-blank', from, end, { what: junk, fixes }));
  return isQuote ? from : end;
}

/** `"lava"magma` is two clauses; `#lava-flow` and `$BTC-USD` may be the tag alone or a text to look for. */
function apart(text: string, kind: Token['kind'], start: number, from: number, end: number): Fix[] {
  const [before, junk, whole] = [text.slice(start, from), text.slice(from, end), text.slice(start, end)];
  const span = { start, end };
  if (wordsOf(junk).length === 0) return [{ span, text: before, intent: { clause: before } }];
  if (kind === 'phrase' || kind === 'operator') {
    if (/^[-~+!]/.test(junk)) return [];
    if (/^[/|][\p{L}\p{N}#@$]/u.test(junk)) return eachOrAll([before, junk.slice(1)], span);
    return [{ span, text: `${before} ${junk}`, intent: { all: [{ clause: before }, { clause: junk }] } }];
  }
  const tags = whole.split(/[,;|/]+/);
  if (tags.length > 1 && tags.every((one) => /^[#@$][\p{L}\p{N}_]+$/u.test(one))) return eachOrAll(tags, span);
  const plain = kind === 'cashtag' ? whole.slice(1) : whole;
  const tag: Fix = { span, text: before, meaning: `posts with the ${kind} ${before}` };
  const written: Fix = { span, text: quoted(plain), meaning: `posts with the text ${plain}` };
  return kind === 'hashtag' ? [written, tag] : [tag, written];
}

/** Several clauses joined by commas or bars: any of them, or all. */
export function eachOrAll(clauses: readonly string[], span: Span): Fix[] {
  const of = clauses.map((clause) => ({ clause }));
  return [
    {
      span,
      text: `(${clauses.join(' OR ')})`,
      meaning: `posts with any of ${clauses.join(', ')}`,
      intent: { any: of },
    },
    { span, text: `(${clauses.join(' ')})`, meaning: `posts with all of ${clauses.join(', ')}`, intent: { all: of } },
  ];
}

export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** An edit that removes a clause with the blank before it or, if there is none, the one after it. */
export function withoutClause(text: string, start: number, end: number): ReturnType<typeof replace> {
  if (isBlank(text.charCodeAt(start - 1))) return replace(start - 1, end, '');
  return replace(start, isBlank(text.charCodeAt(end)) ? end + 1 : end, '');
}

// The characters of a hashtag, in rules and in posts.

/** Joiners, dots and dashes inside words of some scripts. */
const INNER = new Set(
  [0x200c, 0x200d, 0xa67e, 0x05be, 0x05f3, 0x05f4, 0xff5e, 0x301c, 0x309b, 0x309c, 0x30a0, 0x30fb, 0x3003].concat([
    0x0f0b, 0x0f0c, 0x00b7, 0x5f,
  ]),
);

/** A hashtag needs at least one of these: digits alone are not a hashtag. */
export const isTagLetter = (code: number): boolean =>
  code < 0x80 ? isAsciiLetter(code) : /[\p{L}\p{M}]/u.test(String.fromCodePoint(code));

const isAsciiLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

export function isTagCharacter(code: number): boolean {
  if (code < 0x80) return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
  return INNER.has(code) || /[\p{L}\p{M}\p{Nd}]/u.test(String.fromCodePoint(code));
}
