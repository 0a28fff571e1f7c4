/** Builds the syntax tree: the clauses as written, with their places. The checker adds their meaning later. */
import type { Diagnostic } from '../diagnostic.ts';
import type { Query } from '../query.ts';
import { lex } from './lex.ts';
import { type Token, withoutClause } from './lexer.ts';
import { diagnose, replace } from './messages.ts';

export type Node = Join | Not | XClause;

export interface Join {
  readonly kind: 'all' | 'any';
  readonly parts: readonly Node[];
  readonly start: number;
  readonly end: number;
  /** In parentheses; the span then includes them. */
  readonly grouped: boolean;
}

export interface Not {
  readonly kind: 'not';
  readonly part: Node;
  readonly start: number;
  readonly end: number;
  readonly dashes: number;
}

export interface XClause {
  readonly kind: 'clause';
  readonly token: Token;
  readonly start: number;
  readonly end: number;
  /** The meaning; the checker sets it if the value is valid. */
  query: Query | undefined;
}

export interface Tree {
  /** It is undefined if there is no clause at all. */
  readonly root: Node | undefined;
  readonly problems: Diagnostic[];
}

const MAX_DEPTH = 100;

interface Parser {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly problems: Diagnostic[];
  next: number;
  depth: number;
  /** The place of the outermost unclosed parenthesis, and their number. */
  unclosed: { start: number; count: number };
  tooDeep: boolean;
}

export function parse(text: string): Tree {
  const { tokens, problems } = lex(text);
  const parser: Parser = {
    text,
    tokens,
    problems,
    next: 0,
    depth: 0,
    unclosed: { start: 0, count: 0 },
    tooDeep: false,
  };
  const parts: Node[] = [];
  while (parser.next < tokens.length) {
    const part = parseAny(parser);
    if (part !== undefined) parts.push(part);
    const stray = tokens[parser.next];
    if (stray === undefined) break;
    problems.push(diagnose('stray-close', stray.start, stray.end, { fix: replace(stray.start, stray.end, '') }));
    parser.next++;
  }
  if (parser.unclosed.count > 0 && !parser.tooDeep) reportUnclosed(parser);
  return { root: joined('all', parts), problems };
}

function reportUnclosed({ text, problems, unclosed }: Parser): void {
  const fix = replace(text.length, text.length, ')'.repeat(unclosed.count));
  problems.push(diagnose('missing-close', unclosed.start, text.length, { at: text.length, fix }));
}

function joined(kind: Join['kind'], parts: readonly Node[]): Node | undefined {
  if (parts.length < 2) return parts[0];
  return { kind, parts, start: parts[0]!.start, end: parts.at(-1)!.end, grouped: false };
}

/** Clauses joined by OR, up to a closing parenthesis or the end. */
function parseAny(parser: Parser): Node | undefined {
  const branches: Node[] = [];
  for (;;) {
    const branch = parseAll(parser);
    const token = parser.tokens[parser.next];
    if (branch !== undefined) branches.push(branch);
    else if (token?.kind === 'or' || branches.length > 0) reportMissing(parser, token);
    if (token?.kind !== 'or') return joined('any', branches);
    parser.next++;
    const after = parser.tokens[parser.next];
    if (after === undefined || after.kind === 'close') {
      reportMissing(parser, after, token);
      return joined('any', branches);
    }
  }
}

function reportMissing({ problems, text }: Parser, token: Token | undefined, or = token): void {
  const start = token?.start ?? text.length;
  const end = token?.end ?? text.length;
  const fix = or === undefined ? undefined : withoutClause(text, or.start, or.end);
  problems.push(
    diagnose('missing-clause', start, end, { what: token === undefined ? 'EOF' : text.slice(start, end), fix }),
  );
}

function parseAll(parser: Parser): Node | undefined {
  const parts: Node[] = [];
  for (;;) {
    const token = parser.tokens[parser.next];
    if (token === undefined || token.kind === 'close' || token.kind === 'or') return joined('all', parts);
    const part = parseUnary(parser);
    if (part !== undefined) parts.push(part);
  }
}

function parseUnary(parser: Parser): Node | undefined {
  const first = parser.tokens[parser.next]!;
  if (first.kind !== 'dash') return parsePrimary(parser);
  let last = first;
  let dashes = 0;
  for (let token: Token | undefined = first; token?.kind === 'dash'; token = parser.tokens[parser.next]) {
    last = token;
    dashes++;
    parser.next++;
  }
  const token = parser.tokens[parser.next];
  const detached = token === undefined || token.start > last.end || token.kind === 'close' || token.kind === 'or';
  if (detached) reportDetached(parser, last, token);
  if (token === undefined || token.kind === 'close' || token.kind === 'or') return undefined;
  const part = parsePrimary(parser);
  return part && { kind: 'not', part, start: first.start, end: part.end, dashes };
}

function reportDetached({ problems, text }: Parser, dash: Token, token: Token | undefined): void {
  // If a clause follows, it is fixed together with the clauses around it.
  const follows = token !== undefined && token.kind !== 'close' && token.kind !== 'or';
  const fix = follows ? undefined : withoutClause(text, dash.start, dash.end);
  problems.push(diagnose('detached-dash', dash.start, dash.end, { what: '-', fix }));
}

function parsePrimary(parser: Parser): Node | undefined {
  const token = parser.tokens[parser.next++]!;
  if (token.kind === 'open') return parseGroup(parser, token);
  return { kind: 'clause', token, start: token.start, end: token.end, query: undefined };
}

function parseGroup(parser: Parser, open: Token): Node | undefined {
  const { tokens, problems, text } = parser;
  if (parser.depth === MAX_DEPTH) {
    problems.push(diagnose('too-deep', open.start, text.length));
    parser.tooDeep = true;
    parser.next = tokens.length;
    return undefined;
  }
  const first = parser.next;
  parser.depth++;
  const inside = parseAny(parser);
  parser.depth--;
  const close = tokens[parser.next];
  if (close === undefined) {
    parser.unclosed = { start: open.start, count: parser.unclosed.count + 1 };
    return inside;
  }
  if (parser.next++ === first) {
    const fix = withoutClause(text, open.start, close.end);
    problems.push(diagnose('missing-clause', open.start, close.end, { what: ')', at: close.start, fix }));
  }
  if (inside === undefined) return undefined;
  const { start } = open;
  if (inside.kind === 'all' || inside.kind === 'any') return { ...inside, start, end: close.end, grouped: true };
  return { kind: 'all', parts: [inside], start, end: close.end, grouped: true };
}
