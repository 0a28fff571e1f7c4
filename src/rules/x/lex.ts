/**
 * Cuts rule text into tokens, and says where that is not possible. What cannot be read becomes a `broken` token, so that
 * the parser goes on behind it and every problem is found at once. Each character is looked at a bounded number of times.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { isTagCharacter } from './hashtag.ts';
import { type Code, diagnose, replace } from './messages.ts';
import { OPERATOR_BY_NAME } from './syntax-table.ts';
import { mayBeginKeyword, wordsOf } from './words.ts';

export type TokenKind = 'open' | 'close' | 'dash' | 'or' | ClauseKind;
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
  /** The number after a phrase, −1 when there is none. */
  slop: number;
}

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly problems: Diagnostic[];
}

interface Lexer {
  readonly text: string;
  readonly tokens: Token[];
  readonly problems: Diagnostic[];
  /** Closing characters that are known not to come any more: looking for them again would take a square of time. */
  readonly absent: Set<string>;
}

export function lex(text: string): Lexed {
  const lexer: Lexer = { text, tokens: [], problems: [], absent: new Set() };
  let at = 0;
  while (at < text.length) at = lexAt(lexer, at);
  return lexer;
}

function lexAt(lexer: Lexer, at: number): number {
  const { text } = lexer;
  switch (text.charAt(at)) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
      return at + 1;
    case '(':
      return push(lexer, 'open', at, at + 1);
    case ')':
      return push(lexer, 'close', at, at + 1);
    case '-':
      return push(lexer, 'dash', at, at + 1);
    case '"':
      return lexPhrase(lexer, at);
    case '#':
    case '＃':
      return lexTag(lexer, 'hashtag', at, endOfTag(text, at + 1));
    case '@':
    case '＠':
      return lexTag(lexer, 'mention', at, endOfName(text, at + 1));
    case '$':
      return lexTag(lexer, 'cashtag', at, endOfTicker(text, at + 1));
    default:
      return lexBare(lexer, at);
  }
}

function push(lexer: Lexer, kind: TokenKind, start: number, end: number, text = ''): number {
  lexer.tokens.push({ kind, start, end, text, name: '', valueStart: start, form: 'bare', slop: -1 });
  return end;
}

function broken(lexer: Lexer, code: Code, start: number, end: number, about: Parameters<typeof diagnose>[3]): number {
  lexer.problems.push(diagnose(code, start, end, about));
  return push(lexer, 'broken', start, end);
}

// Where things end

const isBlank = (unit: number) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
/** Ends a bare word or value: a blank, a parenthesis, the end (NaN); a quote as well, though it may not stand there. */
const isEdge = (unit: number) => isBlank(unit) || unit === 0x28 || unit === 0x29 || Number.isNaN(unit);
const isLetter = (unit: number) => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39;

export function endOfRun(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isEdge(unit) || unit === 0x22) break;
    at++;
  }
  return at;
}

function endOfName(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (!isLetter(unit) && !isDigit(unit) && unit !== 0x5f) return at;
    at++;
  }
}

function endOfTicker(text: string, from: number): number {
  if (!isLetter(text.charCodeAt(from))) return from;
  let at = from;
  while (isLetter(text.charCodeAt(at)) || '._'.includes(text.charAt(at) || ' ')) at++;
  return at;
}

function endOfTag(text: string, from: number): number {
  let at = endOfName(text, from);
  while (at < text.length && !isEdge(text.charCodeAt(at))) {
    const code = text.codePointAt(at)!;
    if (!isTagCharacter(code)) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Offset of the quote that closes the one at `open`, or −1. */
function endOfQuoted(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (unit === 0x5c && (text.charCodeAt(at + 1) === 0x22 || text.charCodeAt(at + 1) === 0x5c)) at++;
  }
  return -1;
}

const unescapeQuoted = (text: string) => (text.includes('\\') ? text.replaceAll(/\\(["\\])/g, '$1') : text);

function indexOfOnce(lexer: Lexer, what: string, from: number): number {
  if (lexer.absent.has(what)) return -1;
  const found = lexer.text.indexOf(what, from);
  if (found < 0) lexer.absent.add(what);
  return found;
}

// Clauses

/** A blank or parenthesis must follow a clause. */
function endClause(lexer: Lexer, from: number): number {
  const { text, tokens } = lexer;
  if (isEdge(text.charCodeAt(from))) return from;
  const isQuote = text.charAt(from) === '"';
  const end = isQuote ? from + 1 : endOfRun(text, from);
  const { start, kind } = tokens.at(-1)!;
  const junk = text.slice(from, end);
  let fix = replace(from, from, ' ');
  if (wordsOf(junk).length === 0 && !isQuote) fix = replace(from, end, '');
  else if (kind === 'hashtag') fix = replace(start, end, quoted(text.slice(start, end)));
  lexer.problems.push(diagnose('missing-blank', from, end, { what: junk, fix }));
  return isQuote ? from : end;
}

export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

function lexPhrase(lexer: Lexer, start: number): number {
  const { text, tokens } = lexer;
  const close = endOfQuoted(text, start);
  if (close < 0) {
    const fix = replace(text.length, text.length, '"');
    return broken(lexer, 'unclosed-quote', start, text.length, { what: '"', fix });
  }
  const content = text.slice(start + 1, close);
  if (content.trim() === '') {
    broken(lexer, 'empty-phrase', start, close + 1, {
      what: text.slice(start, close + 1),
      fix: withoutClause(text, start, close + 1),
    });
    return endClause(lexer, close + 1);
  }
  push(lexer, 'phrase', start, close + 1, unescapeQuoted(content));
  if (text.charAt(close + 1) !== '~') return endClause(lexer, close + 1);
  let end = close + 2;
  while (isDigit(text.charCodeAt(end))) end++;
  if (end === close + 2) return endClause(lexer, close + 1);
  const token = tokens.at(-1)!;
  token.end = end;
  // A longer number is too great in any case.
  token.slop = Number(text.slice(close + 2, Math.min(end, close + 5)));
  return endClause(lexer, end);
}

/** An edit that takes a clause out, with the blank before it, or else the one after it. */
export function withoutClause(text: string, start: number, end: number): ReturnType<typeof replace> {
  if (isBlank(text.charCodeAt(start - 1))) return replace(start - 1, end, '');
  return replace(start, isBlank(text.charCodeAt(end)) ? end + 1 : end, '');
}

function lexTag(lexer: Lexer, kind: ClauseKind, start: number, end: number): number {
  const { text } = lexer;
  if (end > start + 1) {
    push(lexer, kind, start, end, text.slice(start + 1, end));
    return endClause(lexer, end);
  }
  const stop = endOfRun(text, start);
  const what = text.slice(start, stop);
  return broken(lexer, 'lone-sigil', start, stop, {
    what,
    fix: wordsOf(what).length > 0 ? replace(start, stop, quoted(what)) : undefined,
  });
}

function lexBare(lexer: Lexer, start: number): number {
  const { text } = lexer;
  let at = start;
  while (isLetter(text.charCodeAt(at)) || text.charCodeAt(at) === 0x5f) at++;
  if (at > start && text.charAt(at) === ':') return lexOperator(lexer, start, at + 1);
  const end = endOfRun(text, at);
  if (!mayBeginKeyword(text, start)) return lexStray(lexer, start, end);
  const word = text.slice(start, end);
  if (word === 'OR') return push(lexer, 'or', start, end);
  const colon = word.indexOf(':', at - start);
  if (colon >= 0) {
    const fix = replace(start, end, quoted(word));
    return broken(lexer, 'colon-in-keyword', start, end, { what: ':', at: start + colon, fix });
  }
  if (at < end) {
    const joint = /\u200d|\ufe0e|\ufe0f/.exec(word);
    if (joint !== null && isEmoji(word)) {
      const fix = replace(start, end, quoted(word));
      return broken(lexer, 'unquoted-emoji', start, end, { what: joint[0], at: start + joint.index, fix });
    }
  }
  push(lexer, word === 'AND' ? 'and' : 'keyword', start, end, word);
  return endClause(lexer, end);
}

const isEmoji = (word: string) => /^\p{Emoji}/u.test(word);

/** What people write out of habit, and what it is here. */
const HABITS: readonly (readonly [string, string])[] = [
  ['&&', ''],
  ['||', 'OR'],
  ['!', '-'],
  ['+', ''],
];

function lexStray(lexer: Lexer, start: number, end: number): number {
  const { text } = lexer;
  const first = String.fromCodePoint(text.codePointAt(start)!);
  if (first === "'") return lexWrongQuotes(lexer, 'single-quote', start, ["'"]);
  if ('“”„‟'.includes(first)) return lexWrongQuotes(lexer, 'curly-quote', start, ['”', '“', '"']);
  if (first === '[' || first === ']') {
    const fix = replace(start, end, text.slice(start, end).replaceAll(/^[[\]]+|[[\]]+$/g, ''));
    return broken(lexer, 'stray-bracket', start, end, { what: first, fix });
  }
  const habit = HABITS.find(([written]) => text.startsWith(written, start));
  let fix = withoutClause(text, start, end);
  if (habit !== undefined && habit[0].length < end - start) fix = replace(start, start + habit[0].length, habit[1]);
  else if (habit?.[1] === 'OR') fix = replace(start, end, 'OR');
  else if (wordsOf(text.slice(start, end)).length > 0) fix = replace(start, end, quoted(text.slice(start, end)));
  return broken(lexer, 'stray-punctuation', start, end, { what: first, fix });
}

/** Quotes of another kind: taken as far as one that closes them before a blank, parenthesis or the end. */
function lexWrongQuotes(lexer: Lexer, code: Code, start: number, closing: readonly string[]): number {
  const { text } = lexer;
  let end = endOfRun(text, start + 1);
  for (const mark of closing) {
    const close = closingQuote(lexer, mark, start + 1);
    if (close < 0) continue;
    end = close + 1;
    break;
  }
  const content = text.slice(start, end).replaceAll(/^['“”„‟"]+|['“”„‟"]+$/g, '');
  const fix = content.trim() === '' ? undefined : replace(start, end, quoted(content));
  return broken(lexer, code, start, end, { what: text.charAt(start), fix });
}

function closingQuote({ text, absent }: Lexer, mark: string, from: number): number {
  if (absent.has(mark)) return -1;
  let close = text.indexOf(mark, from);
  while (close >= 0 && !isEdge(text.charCodeAt(close + 1))) close = text.indexOf(mark, close + 1);
  if (close < 0) absent.add(mark);
  return close;
}

function lexOperator(lexer: Lexer, start: number, valueStart: number): number {
  const { text } = lexer;
  const name = text.slice(start, valueStart - 1).toLowerCase();
  const first = text.charCodeAt(valueStart);
  if (isEdge(first)) return lexWithoutValue(lexer, name, start, valueStart);
  if (first === 0x22) return lexQuotedValue(lexer, name, start, valueStart);
  if (first === 0x5b) return lexList(lexer, name, start, valueStart);
  const end = endOfRun(text, valueStart);
  const value = text.slice(valueStart, end);
  const colon = value.indexOf(':');
  if (colon >= 0 && OPERATOR_BY_NAME.has(name)) {
    const fix = replace(valueStart, end, quoted(value));
    return broken(lexer, 'second-colon', start, end, { what: ':', at: valueStart + colon, fix });
  }
  if (!mayBeginValue(name, text, valueStart) && OPERATOR_BY_NAME.has(name))
    return lexBadValue(lexer, start, valueStart, end);
  return pushOperator(lexer, name, start, end, valueStart, value, 'bare');
}

/** Usernames may begin with `_`, ids of `context:` may be `*`. */
function mayBeginValue(name: string, text: string, at: number): boolean {
  const first = text.charAt(at);
  return first === '_' || (first === '*' && name === 'context') || (first !== '$' && mayBeginKeyword(text, at));
}

function lexBadValue(lexer: Lexer, start: number, valueStart: number, end: number): number {
  const { text } = lexer;
  const value = text.slice(valueStart, end);
  let fix = replace(valueStart, end, quoted(value));
  let stop = end;
  if (/^[@#$＠＃]/.test(value)) fix = replace(valueStart, valueStart + 1, '');
  else if (/^['“”„‟]/.test(value)) {
    const closing = value.startsWith("'") ? "'" : '”';
    const close = closingQuote(lexer, closing, valueStart + 1);
    if (close >= 0) stop = close + 1;
    fix = replace(valueStart, stop, quoted(text.slice(valueStart + 1, close >= 0 ? close : end)));
  }
  return broken(lexer, 'bad-value-start', start, stop, { what: text.slice(valueStart, stop), at: valueStart, fix });
}

function pushOperator(
  lexer: Lexer,
  name: string,
  start: number,
  end: number,
  valueStart: number,
  text: string,
  form: Token['form'],
): number {
  lexer.tokens.push({ kind: 'operator', start, end, text, name, valueStart, form, slop: -1 });
  return endClause(lexer, end);
}

function lexWithoutValue(lexer: Lexer, name: string, start: number, valueStart: number): number {
  const { text } = lexer;
  let next = valueStart;
  while (isBlank(text.charCodeAt(next))) next++;
  // X took `entity: Paris` in its day; the blank is remarked on, not refused.
  if (name === 'entity' && next > valueStart && !isEdge(text.charCodeAt(next)) && mayBeginKeyword(text, next)) {
    const end = endOfRun(text, next);
    return pushOperator(lexer, name, start, end, next, text.slice(next, end), 'bare');
  }
  const following = text.charAt(next);
  const what =
    following === ''
      ? 'EOF'
      : following === '(' || following === ')'
        ? following
        : text.slice(next, endOfRun(text, next) || next + 1);
  let fix: ReturnType<typeof replace> | undefined;
  if (following === '(' && next === valueStart) fix = spreadOver(lexer, start, valueStart);
  else if (next > valueStart && following !== '' && !'()'.includes(following)) fix = replace(valueStart, next, '');
  else if (following === '' || following === ')') fix = withoutClause(text, start, valueStart);
  return broken(lexer, 'empty-value', start, valueStart, { what: what || following, at: next, fix });
}

/** `from:(a OR b)` means `(from:a OR from:b)`; more than a plain list inside is left alone. */
function spreadOver(lexer: Lexer, start: number, open: number): ReturnType<typeof replace> | undefined {
  const { text } = lexer;
  const close = indexOfOnce(lexer, ')', open);
  const inside = text.slice(open + 1, close);
  if (close < 0 || inside.length > 1000 || !/^[\s\w-]+$/.test(inside)) return undefined;
  const operator = text.slice(start, open);
  const parts = inside
    .trim()
    .split(/\s+/)
    .map((part) => (part === 'OR' ? part : operator + part));
  return replace(start, close + 1, `(${parts.join(' ')})`);
}

function lexQuotedValue(lexer: Lexer, name: string, start: number, valueStart: number): number {
  const { text } = lexer;
  const close = endOfQuoted(text, valueStart);
  if (close < 0) {
    const fix = replace(text.length, text.length, '"');
    return broken(lexer, 'unclosed-quote', start, text.length, { what: '"', at: valueStart, fix });
  }
  const content = text.slice(valueStart + 1, close);
  if (content.trim() === '') {
    const what = text.slice(valueStart, close + 1);
    broken(lexer, 'empty-phrase', start, close + 1, {
      what,
      at: valueStart,
      fix: withoutClause(text, start, close + 1),
    });
    return endClause(lexer, close + 1);
  }
  return pushOperator(lexer, name, start, close + 1, valueStart, unescapeQuoted(content), 'quoted');
}

function lexList(lexer: Lexer, name: string, start: number, valueStart: number): number {
  const { text } = lexer;
  const kind = OPERATOR_BY_NAME.get(name)?.value;
  const close = indexOfOnce(lexer, ']', valueStart);
  const end = close < 0 ? endOfRun(text, valueStart) : close + 1;
  const geo = kind === 'circle' || kind === 'box';
  if (!geo && kind !== undefined) return broken(lexer, 'stray-bracket', start, end, { what: '[', at: valueStart });
  if (close < 0 && geo) {
    const fix = replace(text.length, text.length, ']');
    return broken(lexer, 'unclosed-list', start, text.length, { at: text.length, fix });
  }
  const content = text.slice(valueStart + 1, close < 0 ? end : close);
  if (geo && content.includes(',')) return lexCommas(lexer, start, valueStart + 1, close);
  return pushOperator(lexer, name, start, end, valueStart, content, 'list');
}

/** X complains about the run with the comma, behind the dash that begins it. */
function lexCommas(lexer: Lexer, start: number, from: number, close: number): number {
  const { text } = lexer;
  const content = text.slice(from, close);
  let at = content.lastIndexOf(' ', content.indexOf(',')) + 1;
  if (content.charAt(at) === '-') at++;
  const blank = content.indexOf(' ', at);
  const what = content.slice(at, blank < 0 ? content.length : blank);
  const fix = replace(from, close, content.replaceAll(/\s*,\s*/g, ' ').trim());
  return broken(lexer, 'commas-in-list', start, close + 1, { what, at: from + at, fix });
}
