/**
 * Lucene's classic grammar as a recursive descent over tokens. It never gives up: it reports what it cannot read, with a
 * fix if it has one, and leaves it out.
 */
import type { Fix, Span } from '../diagnostic.ts';
import { endOf } from '../habits/conditions.ts';
import { escapeTerm, quote, unescapeText } from './escape.ts';
import { impossibleValue } from './exact-values.ts';
import { Lexer, type Token, type TokenKind } from './lex.ts';
import { type Code, type Report, replaceWith } from './messages.ts';
import { DEFAULT_FIELD, LIMITS } from './syntax-table.ts';
import type { Clause, Leaf, Range, Syntax } from './syntax-tree.ts';

/** Parsing stops after this many errors, because each error may cost a scan of the rest. */
const MAX_ERRORS = 50;

const FORMS: Partial<Record<TokenKind, Leaf['form']>> = {
  term: 'term',
  '*': 'wildcard',
  prefix: 'prefix',
  wildcard: 'wildcard',
  regex: 'regex',
  quoted: 'quoted',
  'bare-sign': 'sign',
  'bad-quote': 'quoted',
  'bad-regex': 'regex',
};

const BEGINS_VALUE: ReadonlySet<string> = new Set([...Object.keys(FORMS), '(', '[', '{']);

const MISPLACED_BOOST = ['misplaced-suffix', 'A boost follows a term or a group, once.', ''] as const;

/** The message for a token where a clause should start, and its replacement (`$` is the token itself). */
const UNEXPECTED: Partial<Record<TokenKind, readonly [Code, string | undefined, string | undefined]>> = {
  ':': ['stray-colon', 'This colon has no field before it; escape it to search for it.', '\\:'],
  '^': MISPLACED_BOOST,
  number: MISPLACED_BOOST,
  'bad-boost': MISPLACED_BOOST,
  fuzzy: ['misplaced-suffix', '~ follows a word or a phrase, once.', ''],
  'bad-bracket': ['stray-bracket', undefined, '\\$'],
  'bad-escape': ['dangling-escape', undefined, ''],
};

/** A term followed by one of these is not part of a run. */
const ENDS_RUN: ReadonlySet<TokenKind> = new Set([':', '*', 'fuzzy', '^', 'and', 'or']);

/** Returns undefined if there is no clause at all. */
export function parseSyntax(text: string, report: Report): Clause[] | undefined {
  const parser = new Parser(text, report);
  const clauses = parser.whole();
  return clauses.length === 0 ? undefined : clauses;
}

class Parser {
  readonly #lexer: Lexer;
  readonly #report: Report;
  #depth = 0;
  /** The rest of such a text is not read, so no group of it is closed. */
  #tooDeep = false;

  constructor(text: string, report: Report) {
    this.#lexer = new Lexer(text);
    this.#report = report;
  }

  whole(): Clause[] {
    const clauses = this.#query(DEFAULT_FIELD);
    for (let token = this.#lexer.peek(); token.kind === ')'; token = this.#lexer.peek()) {
      this.#lexer.next();
      this.#error('unopened-group', token, undefined, '');
      clauses.push(...this.#query(DEFAULT_FIELD));
    }
    if (clauses.length === 0 && this.#report.errors === 0) {
      this.#report.add('empty-rule', { start: 0, end: this.#lexer.text.length });
    }
    return clauses;
  }

  #query(field: string): Clause[] {
    const clauses: Clause[] = [];
    // Unreadable text still counts as an operand of the next operator.
    let isFirst = true;
    while (this.#report.errors < MAX_ERRORS) {
      const first = this.#lexer.peek();
      if (first.kind === 'end' || first.kind === ')') return clauses;
      if (first.kind === 'term' && this.#startsRun()) {
        const node = this.#run(field);
        clauses.push({ conj: undefined, mod: undefined, node, start: node.start, end: node.end });
        isFirst = false;
        continue;
      }
      const conj = this.#conjunction(isFirst);
      const mod = this.#modifier();
      if (BEGINS_VALUE.has(this.#lexer.peek().kind)) {
        const start = mod?.start ?? this.#lexer.peek().start;
        const node = this.#clause(field);
        isFirst = false;
        if (node === undefined) continue;
        const kind = mod === undefined ? undefined : mod.kind === 'plus' ? 'must' : 'not';
        clauses.push({ conj, mod: kind, node, start, end: this.#lastEnd });
      } else {
        this.#noClause(first, mod);
      }
    }
    return clauses;
  }

  #lastEnd = 0;

  #take(): Token {
    const token = this.#lexer.next();
    this.#lastEnd = token.end;
    return token;
  }

  #startsRun(): boolean {
    return this.#lexer.peek(1).kind === 'term' && !ENDS_RUN.has(this.#lexer.peek(2).kind);
  }

  /** Plain terms in a row are analysed as one piece of text. */
  #run(field: string): Leaf {
    const first = this.#take();
    const parts = [this.#plain(first)];
    while (this.#lexer.peek().kind === 'term' && !ENDS_RUN.has(this.#lexer.peek(1).kind))
      parts.push(this.#plain(this.#take()));
    return leaf('run', field, undefined, parts.join(' '), { start: first.start, end: this.#lastEnd });
  }

  #conjunction(isFirst: boolean): Clause['conj'] {
    const token = this.#lexer.peek();
    if (token.kind !== 'and' && token.kind !== 'or') return undefined;
    this.#take();
    if (isFirst) this.#error('missing-operand', token, `${this.#image(token)} has nothing on its left.`, '');
    for (let next = this.#lexer.peek(); next.kind === 'and' || next.kind === 'or'; next = this.#lexer.peek()) {
      this.#take();
      this.#error(
        'repeated-operator',
        next,
        `${this.#image(next)} follows ${this.#image(token)}; keep one of them.`,
        '',
      );
    }
    return token.kind;
  }

  #modifier(): Token | undefined {
    const token = this.#lexer.peek();
    if (token.kind !== 'plus' && token.kind !== 'minus' && token.kind !== 'not') return undefined;
    this.#take();
    for (let next = this.#lexer.peek(); isModifier(next); next = this.#lexer.peek()) {
      this.#take();
      // Two negations mean one; a plus and a minus may mean either.
      const isOne = token.kind !== 'plus' && next.kind !== 'plus';
      const message = `A clause takes one of +, - and NOT, not ${this.#image(next)} too.`;
      this.#error('repeated-modifier', next, message, isOne ? '' : undefined);
    }
    return token;
  }

  /** A clause is missing here. */
  #noClause(first: Token, mod: Token | undefined): void {
    const token = this.#lexer.peek();
    if (token.start > first.start) {
      const left = mod ?? first;
      // Lucene reads `yahoo!` as a word followed by NOT.
      const glued = mod !== undefined && mod.start > 0 && !/[\s(]/.test(this.#lexer.text[mod.start - 1]!);
      const sign = this.#image(left);
      if (left === mod && glued)
        this.#error('missing-operand', left, `${sign} is an operator, with nothing behind it.`, `\\${sign}`);
      else this.#error('missing-operand', first, `${sign} has nothing on its right.`, '');
      if (token.kind === 'end' || token.kind === ')') return;
    }
    this.#unexpected(this.#take());
  }

  #unexpected(token: Token): void {
    const [code, message, replacement] = UNEXPECTED[token.kind] ?? [
      'missing-operand',
      `${this.#image(token)} was not expected here.`,
    ];
    this.#error(
      code,
      this.#boostSpan(token),
      message,
      replacement?.replace('$', () => this.#image(token)),
    );
  }

  #boostSpan(token: Token): Span {
    if (token.kind !== '^') return token;
    const number = this.#lexer.peek();
    if (number.kind !== 'number' && number.kind !== 'bad-boost') return token;
    this.#take();
    return { start: token.start, end: number.end };
  }

  #clause(outerField: string): Syntax | undefined {
    const token = this.#lexer.peek();
    const hasField = (token.kind === 'term' || token.kind === '*') && this.#lexer.peek(1).kind === ':';
    if (!hasField) return this.#value(outerField, undefined);
    this.#take();
    const colon = this.#take();
    const field = token.kind === '*' ? '*' : this.#plain(token);
    const next = this.#lexer.peek();
    if (BEGINS_VALUE.has(next.kind)) return this.#value(field, token);
    this.#missingValue(token, colon, next);
    return undefined;
  }

  #missingValue(field: Token, colon: Token, next: Token): void {
    const name = this.#image(field);
    if ((next.kind === 'and' || next.kind === 'or') && next.start === colon.end) {
      this.#take();
      this.#error(
        'missing-value',
        next,
        `${this.#image(next)} is an operator; quote it to search for it.`,
        quote(this.#image(next)),
      );
      return;
    }
    if (isModifier(next)) {
      this.#take();
      this.#misplaced(field, name, next);
      return;
    }
    if (next.kind === ':') {
      this.#take();
      this.#error('stray-colon', next, undefined, '');
      return;
    }
    this.#error('missing-value', { start: field.start, end: colon.end }, `${name}: has no value behind it.`);
  }

  /** `title:-tesla` is `-title:tesla`. */
  #misplaced(field: Token, name: string, modifier: Token): void {
    const sign = this.#image(modifier);
    const from = this.#lexer.peek().start;
    const value = this.#lexer.peek().kind in FORMS ? this.#value(name, field) : undefined;
    const clause = `${name}:${this.#lexer.text.slice(from, value?.end ?? from)}`;
    const fix: Fix = {
      span: { start: field.start, end: value?.end ?? from },
      text: `${sign === 'NOT' ? 'NOT ' : sign}${clause}`,
      intent: modifier.kind === 'plus' ? { clause } : { not: { clause } },
    };
    const span = { start: field.start, end: modifier.end };
    this.#report.add('misplaced-modifier', span, `Write ${sign} before ${name}:, not behind it.`, value && fix);
  }

  #value(field: string, fieldToken: Token | undefined): Syntax | undefined {
    const token = this.#lexer.peek();
    const node = token.kind === '(' ? this.#group(field, fieldToken) : this.#leaf(field, fieldToken);
    const next = this.#lexer.peek();
    if (next.kind === ':') this.#secondColon(token, fieldToken, next);
    return node;
  }

  /** `url:https://…`: the rest of the word cannot be read. The fix quotes it with the value. */
  #secondColon(value: Token, fieldToken: Token | undefined, colon: Token): void {
    const { text } = this.#lexer;
    let end = colon.end;
    while (end < text.length && !/[\s\u3000]/.test(text[end]!)) end++;
    while (end > colon.end && text[end - 1] === ')') end--;
    const span = { start: fieldToken?.start ?? value.start, end };
    const message = `The second colon is in the way: quote the value, ${fieldToken ? this.#image(fieldToken) : 'url'}:"…", or escape it, \\:.`;
    const raw = text.slice(value.start, end);
    const isPlain = value.kind === 'term' && !raw.includes('"');
    const fixes = isPlain ? wholeValueFixes(fieldToken && this.#image(fieldToken), raw.replaceAll('\\', ''), span) : [];
    this.#report.add('stray-colon', colon, message, fixes);
    this.#lexer.skipTo(end);
  }

  #group(field: string, fieldToken: Token | undefined): Syntax | undefined {
    const open = this.#take();
    if (this.#depth === LIMITS.depth) {
      this.#report.add('too-deep', open);
      this.#tooDeep = true;
      this.#lexer.skipTo(this.#lexer.text.length);
      return undefined;
    }
    this.#depth++;
    const before = this.#report.errors;
    const clauses = this.#query(field);
    this.#depth--;
    const close = this.#lexer.peek();
    if (close.kind === ')') {
      this.#take();
      if (clauses.length === 0 && this.#report.errors === before)
        this.#report.add('empty-group', { start: open.start, end: close.end });
    } else if (this.#report.errors < MAX_ERRORS && !this.#tooDeep) {
      const end = this.#lexer.text.trimEnd().length;
      this.#report.add('unclosed-group', open, undefined, { span: { start: end, end }, text: ')' });
    }
    const boost = this.#boost();
    return { kind: 'group', clauses, fieldSpan: spanOf(fieldToken), boost, start: open.start, end: this.#lastEnd };
  }

  #leaf(field: string, fieldToken: Token | undefined): Leaf | undefined {
    const token = this.#take();
    if (token.kind === '[' || token.kind === '{') return this.#range(field, fieldToken, token);
    const image = this.#image(token);
    let text = image;
    if (token.kind === 'bad-quote') {
      this.#unclosedQuote(token);
      text = image.slice(1);
    } else if (token.kind === 'bad-regex') {
      this.#unclosedRegex(token, fieldToken);
      this.#lexer.skipTo(token.end);
    } else if (token.kind === 'wildcard' || token.kind === 'regex') {
      this.#plain(token);
      if (token.kind === 'regex') text = image.slice(1, -1);
    } else if (token.kind === 'quoted') {
      text = this.#plain({ ...token, start: token.start + 1, end: token.end - 1 });
    } else if (token.kind === 'prefix') {
      text = this.#plain({ ...token, end: token.end - 1 });
    } else if (token.kind === 'bare-sign') {
      text = image[0]!;
    } else if (token.kind === 'term') {
      text = this.#plain(token);
    }
    let boost = this.#boost();
    const tilde = this.#lexer.peek().kind === 'fuzzy' ? this.#image(this.#take()).slice(1) : undefined;
    if (boost === undefined && tilde !== undefined) boost = this.#boost();
    const span = { start: token.start, end: token.kind === 'bare-sign' ? token.start + 1 : this.#lastEnd };
    return { ...leaf(FORMS[token.kind]!, field, fieldToken, text, span), tilde, boost };
  }

  #unclosedQuote(token: Token): void {
    const end = this.#lexer.text.trimEnd().length;
    const odd = /(?:^|[^\\])(?:\\\\)*\\$/.test(this.#lexer.text.slice(token.start, end));
    const fix = odd ? { span: { start: end - 1, end }, text: '"' } : { span: { start: end, end }, text: '"' };
    this.#report.add('unclosed-quote', { start: token.start, end: token.start + 1 }, undefined, fix);
  }

  /** The slash may be inside a word (AC/DC) or start a label. The fix quotes or escapes the whole word. */
  #unclosedRegex(token: Token, fieldToken: Token | undefined): void {
    const { text } = this.#lexer;
    let start = token.start;
    while (start > 0 && !/[\s\u3000:()"]/.test(text[start - 1]!)) start--;
    const word = text.slice(start, token.end);
    const [, name] = /(\w+):$/.exec(text.slice(Math.max(0, start - 64), start)) ?? [];
    const span = { start: start - (name === undefined ? 0 : name.length + 1), end: token.end };
    const plain = !/["\\^~]/.test(word) && (fieldToken === undefined || name !== undefined);
    const message = 'A slash opens a regular expression, which never closes; quote the value or write \\/.';
    this.#report.add(
      'unclosed-regex',
      { start: token.start, end: token.start + 1 },
      message,
      plain ? wholeValueFixes(name, word, span) : [],
    );
  }

  #boost(): number | undefined {
    const caret = this.#lexer.peek();
    if (caret.kind !== '^') return undefined;
    this.#take();
    const number = this.#lexer.peek();
    if (number.kind === 'number') return Math.fround(Number(this.#image(this.#take())));
    if (number.kind === 'bad-boost') this.#take();
    const span = { start: caret.start, end: number.kind === 'bad-boost' ? number.end : caret.end };
    this.#error('bad-boost', span, 'Behind ^ stands a number, as in ^2; it has no effect, leave it out.', '');
    return undefined;
  }

  #range(field: string, fieldToken: Token | undefined, open: Token): Leaf | undefined {
    const from = this.#lexer.peek();
    const to = this.#lexer.peek(2);
    const close = this.#lexer.peek(3);
    if (
      !isBound(from) ||
      this.#lexer.peek(1).kind !== 'to' ||
      !isBound(to) ||
      (close.kind !== ']' && close.kind !== '}')
    ) {
      this.#badRange(open);
      return undefined;
    }
    for (let count = 0; count < 4; count++) this.#take();
    const range: Range = {
      from: this.#bound(from),
      to: this.#bound(to),
      fromInclusive: open.kind === '[',
      toInclusive: close.kind === ']',
    };
    const boost = this.#boost();
    const span = { start: open.start, end: this.#lastEnd };
    return { ...leaf('range', field, fieldToken, '', span), range, boost };
  }

  #bound(token: Token): string | undefined {
    const image = this.#image(token);
    if (token.kind === 'quoted-bound') return this.#plain({ ...token, start: token.start + 1, end: token.end - 1 });
    return image === '*' ? undefined : this.#plain(token);
  }

  #badRange(open: Token): void {
    const { text } = this.#lexer;
    const rest = /[\]}]/.exec(text.slice(open.end));
    const end = rest === null ? text.length : open.end + rest.index + 1;
    const inside = text.slice(open.end, rest === null ? end : end - 1).trim();
    const { from, to } = boundsIn(inside);
    const close = rest === null ? (open.kind === '[' ? ']' : '}') : text[end - 1]!;
    const span = { start: open.start, end: rest === null ? open.end + text.slice(open.end).trimEnd().length : end };
    const [, lower = ''] = /^(\S+)\s+TO$/.exec(inside) ?? [];
    const fixed =
      lower !== ''
        ? replaceWith(span, `${this.#image(open)}${lower} TO *${close}`)
        : to === '' || to === 'TO'
          ? undefined
          : replaceWith(span, `${this.#image(open)}${from} TO ${close === ']' ? endOf(to) : to}${close}`);
    if (rest === null) this.#report.add('unclosed-range', open, 'The range is never closed: [from TO to].', fixed);
    else this.#report.add('bad-range', span, 'A range has the form [from TO to], TO in upper case.', fixed);
    this.#lexer.skipTo(end);
    this.#lastEnd = end;
  }

  /** The token's text without escapes. A bad escape is reported and kept. */
  #plain(token: Token): string {
    const image = this.#image(token);
    const result = unescapeText(image);
    if ('text' in result) return result.text;
    const start = token.start + result.at;
    const end = result.problem === 'bad-escape' ? Math.min(start + 6, token.end) : start + 1;
    this.#report.add(result.problem, { start, end }, undefined, { span: { start, end: start + 1 }, text: '\\\\' });
    return image;
  }

  #image(token: Token): string {
    return this.#lexer.image(token);
  }

  #error(code: Code, span: Span, message?: string, replacement?: string): void {
    if (this.#report.errors >= MAX_ERRORS) return;
    const fix = replacement === '' ? this.#deletion(span) : replacement && replaceWith(span, replacement);
    this.#report.add(code, span, message, fix || undefined);
  }

  /** Also removes a blank, so that none is left at an edge and no two inside. */
  #deletion({ start, end }: Span): Fix {
    const { text } = this.#lexer;
    if (/\s/.test(text[end] ?? '') && (start === 0 || /[\s(]/.test(text[start - 1]!)))
      return replaceWith({ start, end: end + 1 }, '');
    if (end === text.length && /\s/.test(text[start - 1] ?? '')) return replaceWith({ start: start - 1, end }, '');
    return replaceWith({ start, end }, '');
  }
}

/** A value with signs in it, quoted as a whole; under `http:` it is an address; in an exact field, one that it can have. */
function wholeValueFixes(field: string | undefined, value: string, span: Span): Fix[] {
  if (field !== undefined && /^https?$/.test(field)) return [{ span, text: `url:${quote(`${field}:${value}`)}` }];
  if (field === undefined && /^https?:/.test(value)) return [{ span, text: `url:${quote(value)}` }];
  if (field === undefined && /^near\/\d+$/i.test(value)) return [];
  if (field !== undefined && /[*?]/.test(value)) return [{ span, text: `${field}:${wildcardOf(field, value)}` }];
  const instead = field === undefined ? [] : (impossibleValue(field, value)?.instead ?? []);
  if (instead.length > 0) return instead.map(([text, meaning]) => ({ span, text, meaning }));
  return [{ span, text: (field === undefined ? '' : `${field}:`) + quote(value) }];
}

/** The value as a pattern: all but its wildcards escaped, and for an address open at the front. */
function wildcardOf(field: string, value: string): string {
  const escaped = value.replace(/[^*?]+/g, escapeTerm);
  return field === 'url' && !/^(?:[*?]|https?:)/.test(value) ? `*${escaped}` : escaped;
}

/** Guesses the bounds of a range without TO: `1 5`, `1 - 5`, `1-5`, `1,5` and `1..5`. */
function boundsIn(inside: string): { from: string; to: string } {
  const [, from, to] =
    /^(\S+)\s+(?:(?:to|To|TO|-)\s+)?(\S+)$/.exec(inside) ?? /^(\d+)-(\d+)$/.exec(inside) ?? aroundSign(inside);
  return { from: from ?? '', to: to ?? '' };
}

function aroundSign(inside: string): string[] {
  const [sign] = /,|\.\./.exec(inside.slice(1)) ?? [''];
  const at = inside.indexOf(sign, 1);
  const bounds = [inside.slice(0, at).trimEnd(), inside.slice(at + sign.length).trimStart()];
  return sign !== '' && bounds.every((bound) => /^[\w:.-]+$/.test(bound)) ? [inside, ...bounds] : [];
}

const isModifier = ({ kind }: Token) => kind === 'plus' || kind === 'minus' || kind === 'not';
const isBound = ({ kind }: Token) => kind === 'bound' || kind === 'quoted-bound' || kind === 'to';
const spanOf = (token: Token | undefined): Span | undefined => token && { start: token.start, end: token.end };

function leaf(
  form: Leaf['form'],
  field: string,
  fieldToken: Token | undefined,
  text: string,
  { start, end }: Span,
): Leaf {
  const fieldSpan = spanOf(fieldToken);
  return {
    kind: 'leaf',
    form,
    field,
    fieldSpan,
    text,
    range: undefined,
    tilde: undefined,
    boost: undefined,
    start,
    end,
  };
}
