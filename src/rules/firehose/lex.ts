/**
 * Cuts rule text into the tokens of Lucene's classic grammar: at each place the longest token wins, and of equally long
 * ones the first of the grammar. Text that is not a token gets one of the `bad` kinds, so that parsing can continue after it.
 */
export type TokenKind =
  | 'and'
  | 'or'
  | 'not'
  | 'plus'
  | 'minus'
  /** A sign followed by white space: an ordinary term of one character. */
  | 'bare-sign'
  | '('
  | ')'
  | ':'
  | '*'
  | '^'
  | 'quoted'
  | 'term'
  | 'fuzzy'
  | 'prefix'
  | 'wildcard'
  | 'regex'
  | '['
  | '{'
  | 'number'
  | 'to'
  | ']'
  | '}'
  | 'bound'
  | 'quoted-bound'
  | 'end'
  | 'bad-quote'
  | 'bad-regex'
  | 'bad-escape'
  | 'bad-bracket'
  | 'bad-boost';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** 1: white space; 2: may start a term; 4: may continue one. A backslash has no flag: it includes the next character. */
const FLAGS = new Uint8Array(128).fill(6);
for (const one of ' \t\n\r') FLAGS[one.charCodeAt(0)] = 1;
for (const one of '+-') FLAGS[one.charCodeAt(0)] = 4;
for (const one of '!():^[]"{}~*?\\/') FLAGS[one.charCodeAt(0)] = 0;

const isBlank = (unit: number) => (unit < 128 ? FLAGS[unit] === 1 : unit === 0x3000);
const isTermUnit = (unit: number) => (unit < 128 ? FLAGS[unit]! >= 4 : unit !== 0x3000);

const BACKSLASH = 0x5c;
const STAR = 0x2a;
const QUESTION = 0x3f;

export class Lexer {
  readonly text: string;
  #at = 0;
  #mode: 'plain' | 'range' | 'boost' = 'plain';
  /** Tokens that were read ahead, from `#head` on. */
  readonly #ahead: Token[] = [];
  #head = 0;

  constructor(text: string) {
    this.text = text;
  }

  peek(index = 0): Token {
    while (this.#ahead.length <= this.#head + index) this.#ahead.push(this.#read());
    return this.#ahead[this.#head + index]!;
  }

  next(): Token {
    const token = this.peek();
    this.#head++;
    return token;
  }

  /** Continues at this offset, outside any range. The parser uses it to skip a word that it cannot read. */
  skipTo(at: number): void {
    this.#ahead.length = this.#head;
    this.#at = at;
    this.#mode = 'plain';
  }

  image(token: Token): string {
    return this.text.slice(token.start, token.end);
  }

  #read(): Token {
    switch (this.#mode) {
      case 'plain':
        return this.#readPlain();
      case 'range':
        return this.#readRange();
      case 'boost':
        return this.#readBoost();
    }
  }

  #token(kind: TokenKind, start: number, end: number): Token {
    this.#at = end;
    return { kind, start, end };
  }

  #readPlain(): Token {
    const { text } = this;
    let start = this.#at;
    while (start < text.length && isBlank(text.charCodeAt(start))) start++;
    if (start === text.length) return this.#token('end', start, start);
    switch (text[start]!) {
      case '+':
      case '-':
      case '!':
        return this.#readSign(start);
      case '(':
      case ')':
      case ':':
        return this.#token(text[start] as TokenKind, start, start + 1);
      case '^':
        this.#mode = 'boost';
        return this.#token('^', start, start + 1);
      case '"':
        return this.#readQuoted(start);
      case '~':
        return this.#token('fuzzy', start, this.#termEnd(start + 1, false));
      case '/':
        return this.#readRegex(start);
      case '[':
      case '{':
        this.#mode = 'range';
        return this.#token(text[start] as TokenKind, start, start + 1);
      case ']':
      case '}':
        return this.#token('bad-bracket', start, start + 1);
      default:
        return this.#readTerm(start);
    }
  }

  #readSign(start: number): Token {
    const { text } = this;
    if (start + 1 < text.length && isBlank(text.charCodeAt(start + 1)))
      return this.#token('bare-sign', start, start + 2);
    return this.#token(text[start] === '+' ? 'plus' : text[start] === '-' ? 'minus' : 'not', start, start + 1);
  }

  #readQuoted(start: number): Token {
    const { text } = this;
    for (let at = start + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === BACKSLASH) at++;
      else if (unit === 0x22) return this.#token('quoted', start, at + 1);
    }
    return this.#token('bad-quote', start, text.length);
  }

  /** To the first slash without a backslash before it, or else to the last one with. */
  #readRegex(start: number): Token {
    const { text } = this;
    let last = 0;
    for (let at = text.indexOf('/', start + 1); at !== -1; at = text.indexOf('/', at + 1)) {
      if (text.charCodeAt(at - 1) !== BACKSLASH) return this.#token('regex', start, at + 1);
      last = at + 1;
    }
    if (last > 0) return this.#token('regex', start, last);
    return this.#token('bad-regex', start, this.#wordEnd(start));
  }

  #readTerm(start: number): Token {
    const { text } = this;
    if (text.charCodeAt(start) === BACKSLASH && start + 1 === text.length)
      return this.#token('bad-escape', start, start + 1);
    const end = this.#termEnd(start, false);
    const unit = end < text.length ? text.charCodeAt(end) : 0;
    if (unit !== STAR && unit !== QUESTION) return this.#token(wordKind(text, start, end), start, end);
    const wild = this.#termEnd(end, true);
    if (wild > end + 1 || unit === QUESTION) return this.#token('wildcard', start, wild);
    return this.#token(end === start ? '*' : 'prefix', start, wild);
  }

  /** The offset after the term characters from here on; with `wild`, `*` and `?` count as term characters. */
  #termEnd(from: number, wild: boolean): number {
    const { text } = this;
    let at = from;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === BACKSLASH && at + 1 < text.length) at += 2;
      else if (isTermUnit(unit) || (wild && (unit === STAR || unit === QUESTION))) at++;
      else break;
    }
    return at;
  }

  #wordEnd(from: number): number {
    let at = from;
    while (at < this.text.length && !isBlank(this.text.charCodeAt(at)) && this.text[at] !== ')') at++;
    return at;
  }

  #readBoost(): Token {
    const { text } = this;
    const start = this.#at;
    this.#mode = 'plain';
    const digits = digitsEnd(text, start);
    if (start === text.length) return this.#token('end', start, start);
    if (digits === start) return this.#token('bad-boost', start, Math.max(start, this.#wordEnd(start)));
    const fraction = text[digits] === '.' ? digitsEnd(text, digits + 1) : digits;
    return this.#token('number', start, fraction > digits + 1 ? fraction : digits);
  }

  #readRange(): Token {
    const { text } = this;
    let start = this.#at;
    while (text.charCodeAt(start) === 0x20) start++;
    if (start >= text.length) return this.#token('end', text.length, text.length);
    const first = text[start]!;
    if (first === ']' || first === '}') {
      this.#mode = 'plain';
      return this.#token(first, start, start + 1);
    }
    let end = start;
    while (end < text.length && !' ]}'.includes(text[end]!)) end++;
    // A lone tab or line break is white space; if more text follows, it belongs to the bound.
    if (end === start + 1 && isBlank(text.charCodeAt(start))) {
      this.#at = end;
      return this.#readRange();
    }
    const quoted = first === '"' ? quotedBoundEnd(text, start) : start;
    if (quoted >= end) return this.#token('quoted-bound', start, quoted);
    return this.#token(end === start + 2 && text.startsWith('TO', start) ? 'to' : 'bound', start, end);
  }
}

function wordKind(text: string, start: number, end: number): TokenKind {
  if (end - start > 3) return 'term';
  switch (text.slice(start, end)) {
    case 'AND':
    case '&&':
      return 'and';
    case 'OR':
    case '||':
      return 'or';
    case 'NOT':
      return 'not';
    default:
      return 'term';
  }
}

/** As for a regex: a backslash before the quote keeps it open only if another quote follows. */
function quotedBoundEnd(text: string, start: number): number {
  let last = start;
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (at === start + 1) return start;
    if (text.charCodeAt(at - 1) !== BACKSLASH) return at + 1;
    last = at + 1;
  }
  return last;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}
