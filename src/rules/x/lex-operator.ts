/** Operators: a name, a colon, and a value that is bare, quoted or a list of numbers. */
import type { Fix } from '../diagnostic.ts';
import {
  broken,
  closingQuote,
  endClause,
  endOfQuoted,
  endOfRun,
  indexOfOnce,
  isBlank,
  isEdge,
  type Lexer,
  quoted,
  type Token,
  unescapeQuoted,
  withoutClause,
} from './lexer.ts';
import { mendValue } from './mend-value.ts';
import { replace } from './messages.ts';
import { MEANT, OPERATOR_BY_NAME } from './syntax-table.ts';
import { mayBeginKeyword } from './words.ts';

export function lexOperator(lexer: Lexer, start: number, valueStart: number): number {
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
    const fix = replace(start, end, withWholeValue(name, value));
    return broken(lexer, 'second-colon', start, end, { what: ':', at: valueStart + colon, fix });
  }
  if (!mayBeginValue(name, text, valueStart) && OPERATOR_BY_NAME.has(name))
    return lexBadValue(lexer, start, valueStart, end);
  return pushOperator(lexer, name, start, end, valueStart, value, 'bare');
}

/** The address of a profile becomes its account; any other value is quoted. */
function withWholeValue(name: string, value: string): string {
  const isUser = OPERATOR_BY_NAME.get(name)?.value === 'user';
  const [, account] = (isUser && /^https?:\/\/(?:www\.)?(?:x|twitter)\.com\/@?(\w{1,20})\/?$/i.exec(value)) || [];
  return `${name}:${account ?? quoted(value)}`;
}

/** Usernames may start with `_`; ids of `context:` may be `*`. */
function mayBeginValue(name: string, text: string, at: number): boolean {
  const first = text.charAt(at);
  return first === '_' || (first === '*' && name === 'context') || (first !== '$' && mayBeginKeyword(text, at));
}

function lexBadValue(lexer: Lexer, start: number, valueStart: number, end: number): number {
  const { text } = lexer;
  const value = text.slice(valueStart, end);
  const name = text.slice(start, valueStart - 1).toLowerCase();
  const mended = mendValue(OPERATOR_BY_NAME.get(name)!, { start, end, name, value });
  if (mended.fixes.length > 0)
    return broken(lexer, 'bad-value-start', start, end, { what: value, at: valueStart, ...mended });
  let fix = replace(start, end, `${name}:${quoted(value)}`);
  let stop = end;
  if (/^[@#$＠＃]/.test(value)) fix = replace(start, end, `${name}:${value.slice(1)}`);
  else if (/^['“”„‟]/.test(value)) {
    const closing = value.startsWith("'") ? "'" : '”';
    const close = closingQuote(lexer, closing, valueStart + 1);
    if (close >= 0) stop = close + 1;
    fix = replace(start, stop, `${name}:${quoted(text.slice(valueStart + 1, close >= 0 ? close : end))}`);
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
  // X once accepted `entity: Paris`, so the blank gets a warning, not an error.
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
  if (following === '(') fix = spreadOver(lexer, start, next);
  else if (next > valueStart && following !== '' && !'()"'.includes(following))
    fix = replace(start, endOfRun(text, next), text.slice(start, valueStart) + text.slice(next, endOfRun(text, next)));
  else if (following === '' || following === ')') fix = withoutClause(text, start, valueStart);
  return broken(lexer, 'empty-value', start, valueStart, { what: what || following, at: next, fix });
}

/** `from:(a OR b)` means `(from:a OR from:b)`; anything other than a plain list inside gets no fix. */
function spreadOver(lexer: Lexer, start: number, open: number): Fix | undefined {
  const { text } = lexer;
  const close = indexOfOnce(lexer, ')', open);
  const inside = text.slice(open + 1, close);
  if (close < 0 || inside.length > 1000 || !/^[\s\w,@#-]+$/.test(inside)) return undefined;
  const written = text.slice(start, open).trimEnd();
  const operator = MEANT.get(written.slice(0, -1).toLowerCase()) ?? written;
  const values = inside.split(/[\s,]+/).filter((part) => part !== '' && !/^or$/i.test(part));
  if (values.some((value) => /^(?:and|not|-.*)$/i.test(value))) return undefined;
  const clauses = values.map((value) => operator + value.replace(/^[@#]/, ''));
  const either = { any: clauses.map((clause) => ({ clause })) };
  return {
    span: { start, end: close + 1 },
    text: `(${clauses.join(' OR ')})`,
    meaning: `any of ${values.join(', ')}`,
    intent: either,
  };
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

/** `1 , 2` as X wants it: a blank for each comma with the blanks around it. */
const spaced = (list: string): string =>
  list
    .split(',')
    .map((one) => one.trim())
    .join(' ')
    .trim();

/** X's error points at the run with the comma, after the dash that starts it. */
function lexCommas(lexer: Lexer, start: number, from: number, close: number): number {
  const { text } = lexer;
  const content = text.slice(from, close);
  let at = content.lastIndexOf(' ', content.indexOf(',')) + 1;
  if (content.charAt(at) === '-') at++;
  const blank = content.indexOf(' ', at);
  const what = content.slice(at, blank < 0 ? content.length : blank);
  const fix = replace(start, close + 1, `${text.slice(start, from)}${spaced(content)}]`);
  return broken(lexer, 'commas-in-list', start, close + 1, { what, at: from + at, fix });
}
