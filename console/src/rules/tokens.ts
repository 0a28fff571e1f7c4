/** The tokens of a rule for colouring, from the language's own lexer. */
import { type Token as FirehoseToken, Lexer } from '../../../src/rules/firehose/lex.ts';
import { lex } from '../../../src/rules/x/lex.ts';
import type { Platform } from '../data/queries.ts';

export type TokenKind = 'operator' | 'value' | 'phrase' | 'logic' | 'tag' | 'number' | 'bracket';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

export const tokensOf = (platform: Platform, text: string): Token[] =>
  platform === 'x' ? xTokens(text) : firehoseTokens(text);

const X_KINDS: Readonly<Record<string, TokenKind>> = {
  open: 'bracket',
  close: 'bracket',
  dash: 'logic',
  or: 'logic',
  phrase: 'phrase',
  hashtag: 'tag',
  mention: 'tag',
  cashtag: 'tag',
};

function xTokens(text: string): Token[] {
  return lex(text).tokens.flatMap(({ kind, start, end, valueStart }): Token[] => {
    if (kind !== 'operator') return X_KINDS[kind] === undefined ? [] : [{ kind: X_KINDS[kind], start, end }];
    const value: TokenKind = text.charAt(valueStart) === '"' ? 'phrase' : 'value';
    return [
      { kind: 'operator', start, end: valueStart },
      { kind: value, start: valueStart, end },
    ];
  });
}

const FIREHOSE_KINDS: Readonly<Partial<Record<FirehoseToken['kind'], TokenKind>>> = {
  and: 'logic',
  or: 'logic',
  not: 'logic',
  plus: 'logic',
  minus: 'logic',
  to: 'logic',
  '(': 'bracket',
  ')': 'bracket',
  '[': 'bracket',
  ']': 'bracket',
  '{': 'bracket',
  '}': 'bracket',
  '*': 'tag',
  '^': 'number',
  quoted: 'phrase',
  'quoted-bound': 'phrase',
  fuzzy: 'number',
  number: 'number',
  bound: 'number',
  prefix: 'tag',
  wildcard: 'tag',
  regex: 'tag',
};

function firehoseTokens(text: string): Token[] {
  const lexer = new Lexer(text);
  const tokens: Token[] = [];
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
    const isField = token.kind === 'term' && lexer.peek().kind === ':';
    const kind = isField ? 'operator' : FIREHOSE_KINDS[token.kind];
    if (kind !== undefined) tokens.push({ kind, start: token.start, end: isField ? lexer.peek().end : token.end });
  }
  return tokens;
}
