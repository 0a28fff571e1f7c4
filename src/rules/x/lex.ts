/**
 * Cuts rule text into tokens, and reports where that is not possible. Unreadable text becomes a `broken` token, so that the
 * parser continues after it and finds every problem at once. Each character is read a bounded number of times.
 */
import { trimEnd } from '../../base/parse-url.ts';
import { isSayable } from '../habits/habit.ts';
import { lexOperator } from './lex-operator.ts';
import {
  broken,
  type ClauseKind,
  closingQuote,
  endClause,
  endOfQuoted,
  endOfRun,
  isDigit,
  isEdge,
  isLetter,
  isTagCharacter,
  type Lexed,
  type Lexer,
  push,
  quoted,
  unescapeQuoted,
  withoutClause,
} from './lexer.ts';
import { replace, type XCode } from './messages.ts';
import { mayBeginKeyword, wordsOf } from './words.ts';

export function lex(text: string): Lexed {
  const lexer: Lexer = { text, tokens: [], problems: [], absent: '' };
  let at = 0;
  while (at < text.length) at = lexAt(lexer, at);
  return lexer;
}

function lexAt(lexer: Lexer, at: number): number {
  const { text } = lexer;
  // Numbers, because this is where most of the time goes.
  switch (text.charCodeAt(at)) {
    case 0x20:
    case 0x09:
    case 0x0a:
    case 0x0d:
      return at + 1;
    case 0x28: // (
      return push(lexer, 'open', at, at + 1);
    case 0x29: // )
      return push(lexer, 'close', at, at + 1);
    case 0x2d: // -
      return push(lexer, 'dash', at, at + 1);
    case 0x22: // "
      return lexPhrase(lexer, at);
    case 0x23: // #
    case 0xff03: // ＃
      return lexTag(lexer, 'hashtag', at, endOfTag(text, at + 1));
    case 0x40: // @
    case 0xff20: // ＠
      return lexTag(lexer, 'mention', at, endOfName(text, at + 1));
    case 0x24: // $
      return lexTag(lexer, 'cashtag', at, endOfTicker(text, at + 1));
    default:
      return lexBare(lexer, at);
  }
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
  // A longer number is too large in any case.
  token.slop = Number(text.slice(close + 2, Math.min(end, close + 5)));
  return endClause(lexer, end);
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
    fix: wordsOf(what).length > 0 && isSayable(what) ? replace(start, stop, quoted(what)) : undefined,
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
    const fix = isSayable(word) ? replace(start, end, quoted(word)) : undefined;
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

const ODD_BLANKS = /^[\u00a0\u00ad\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]+/;

function lexStray(lexer: Lexer, start: number, end: number): number {
  const { text } = lexer;
  const first = String.fromCodePoint(text.codePointAt(start)!);
  if ("'‘’‚‛`´".includes(first)) return lexWrongQuotes(lexer, 'single-quote', start, ["'", '’', '‘', '`', '´']);
  if ('“”„‟«»‹›'.includes(first)) return lexWrongQuotes(lexer, 'curly-quote', start, ['”', '“', '»', '«', '›', '"']);
  if (text.startsWith('\\"', start)) return lexJsonEscapes(lexer, start);
  if (first === '[' || first === ']') {
    const fix = replace(start, end, trimEnd(text.slice(start, end).replace(/^[[\]]+/, ''), '[]'));
    return broken(lexer, 'stray-bracket', start, end, { what: first, fix });
  }
  const blanks = ODD_BLANKS.exec(text.slice(start, end))?.[0];
  if (blanks !== undefined) {
    const fix = replace(start, start + blanks.length, '');
    const plain = 'An invisible character stands before the word; remove it.';
    return broken(lexer, 'stray-punctuation', start, end, { what: first, plain, fix });
  }
  const distance = first === '~' ? /^~\d$/.exec(text.slice(start, end)) : null;
  if (distance !== null) return lexDetachedDistance(lexer, start, end);
  // Habitual operators (&&, |) are fixed together with the clauses around them.
  const word = text.slice(start, end);
  const isQuotable = wordsOf(word).length > 0 && isSayable(word);
  const fix = isQuotable ? replace(start, end, quoted(word)) : undefined;
  return broken(lexer, 'stray-punctuation', start, end, { what: first, fix });
}

/** `"social media" ~5`: the distance belongs to the phrase before it. */
function lexDetachedDistance(lexer: Lexer, start: number, end: number): number {
  const { text, tokens } = lexer;
  const phrase = tokens.at(-1);
  const glues = phrase?.kind === 'phrase' && phrase.slop < 0 && text.slice(phrase.end, start).trim() === '';
  const fix = glues
    ? replace(phrase.start, end, text.slice(phrase.start, phrase.end) + text.slice(start, end))
    : undefined;
  const plain = 'The distance must follow the closing quote of its phrase at once; remove the blank.';
  return broken(lexer, 'stray-punctuation', start, end, { what: '~', plain, fix });
}

/** One diagnostic for all of them: the text was copied from JSON with its escapes. */
function lexJsonEscapes(lexer: Lexer, start: number): number {
  const { text } = lexer;
  const fix = replace(0, text.length, text.replaceAll('\\"', '"'));
  return broken(lexer, 'json-escape', start, text.length, { what: '\\', fix });
}

/** Quotes of another kind, read up to a closing one before a blank, a parenthesis or the end. */
function lexWrongQuotes(lexer: Lexer, code: XCode, start: number, closing: readonly string[]): number {
  const { text } = lexer;
  let end = endOfRun(text, start + 1);
  for (const mark of closing) {
    const close = closingQuote(lexer, mark, start + 1);
    if (close < 0) continue;
    end = close + 1;
    break;
  }
  const content = withoutQuotes(text, start, end);
  const fix = content.trim() === '' ? undefined : replace(start, end, quoted(content));
  return broken(lexer, code, start, end, { what: text.charAt(start), fix });
}

const QUOTES = '\'‘’‚‛`´“”„‟«»‹›" \t\r\n';

/** Without the quotes and blanks at both ends, in one pass: a regular expression would scan a run of quotes repeatedly. */
function withoutQuotes(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && QUOTES.includes(text.charAt(from))) from++;
  while (to > from && QUOTES.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
