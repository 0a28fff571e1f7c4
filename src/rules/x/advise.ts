/** Warnings: rules that X accepts and that surely do not mean what they seem to say. */
import type { Diagnostic, Fix } from '../diagnostic.ts';
import { isAnchored } from './check.ts';
import { quoted, withoutClause } from './lexer.ts';
import { keyOf, mayRepeat, membersOf } from './lower.ts';
import { diagnose, replace } from './messages.ts';
import type { Clause, Join, Node, Not } from './parse.ts';
import { LANGUAGE_MEANT, LANGUAGES, OPERATOR_BY_NAME } from './syntax-table.ts';
import { wordsOf } from './words.ts';

interface Context {
  readonly text: string;
  readonly problems: Diagnostic[];
}

export function advise(root: Node, text: string, problems: Diagnostic[]): void {
  adviseNode(root, { text, problems }, false);
}

/** `joined`: the clauses around this node were compared with each other already. */
function adviseNode(node: Node, context: Context, joined: boolean): void {
  switch (node.kind) {
    case 'clause':
      adviseClause(node, context);
      break;
    case 'not':
      if (node.part.kind === 'all' || node.part.kind === 'any') adviseNegatedGroup(node, node.part, context);
      adviseNode(node.part, context, false);
      break;
    case 'all':
      if (!joined) adviseTogether(membersOf(node, 'all'), context);
      adviseNeighbours(node, context);
      for (const part of node.parts) adviseNode(part, context, true);
      break;
    case 'any':
      adviseAlternatives(node, context);
      for (const part of node.parts) adviseNode(part, context, false);
      break;
  }
}

// Single clauses

function adviseClause(clause: Clause, context: Context): void {
  const { token, query } = clause;
  if (token.kind === 'keyword') {
    if (query?.kind === 'term') adviseWord(clause, context);
    else if (query !== undefined) advisePunctuation(clause, context);
  } else if (token.kind === 'hashtag' || token.kind === 'cashtag' || token.kind === 'mention') {
    adviseTag(clause, context);
  } else if (token.kind === 'operator' && query !== undefined) {
    adviseValue(clause, context);
  }
}

function adviseWord({ token, start, end }: Clause, { text, problems }: Context): void {
  const what = token.text;
  if (what.length > 3 || what.length < 2) return;
  const following = /^\s+(?=[^\s)])/.exec(text.slice(end, end + 8))?.[0];
  switch (what.toLowerCase()) {
    case 'or':
      problems.push(diagnose('lower-case-or', start, end, { what, fix: replace(start, end, 'OR') }));
      break;
    case 'and':
      problems.push(diagnose('lower-case-and', start, end, { what, fix: withoutClause(text, start, end) }));
      break;
    case 'not':
      if (following === undefined) break;
      problems.push(diagnose('word-not', start, end, { what, fix: replace(start, end + following.length, '-') }));
      break;
    default:
  }
}

function advisePunctuation({ token, start, end }: Clause, { problems }: Context): void {
  const what = token.text;
  const words = wordsOf(what);
  // Several words without a separator: scripts without blanks, and emoji beside letters.
  if (words.join('') === what) return;
  const [, stem = ''] = /^([^*~^]*)(?:\*|[~^][\d.]*)$/.exec(what) ?? [];
  if (/^[\p{L}\p{N}]+\*$/u.test(what))
    problems.push(diagnose('wildcard', start, end, { what, fix: shortened(start, end, stem) }));
  else if (stem !== '') problems.push(diagnose('fuzzy', start, end, { what, fix: shortened(start, end, stem) }));
  else if (words.length === 1 && what.startsWith(words[0]!)) {
    problems.push(diagnose('trailing-punctuation', start, end, { what, fix: replace(start, end, words[0]!) }));
  } else problems.push(diagnose('unquoted-punctuation', start, end, { what, fix: replace(start, end, quoted(what)) }));
}

const shortened = (start: number, end: number, stem: string): Fix | undefined =>
  stem === '' ? undefined : replace(start, end, stem);

const EXTRACTED = {
  hashtag: /[\p{L}\p{M}]/u,
  cashtag: /^[a-z]{1,6}(?:[._][a-z]{1,2})?$/i,
  mention: /^\w{1,20}$/,
} as const;

function adviseTag({ token, start, end }: Clause, { text, problems }: Context): void {
  if (EXTRACTED[token.kind as keyof typeof EXTRACTED].test(token.text)) return;
  const fix = replace(start, start + 1, '');
  problems.push(diagnose('never-extracted', start, end, { what: text.slice(start, end), fix }));
}

function adviseValue({ token, start, end }: Clause, { text, problems }: Context): void {
  const value = OPERATOR_BY_NAME.get(token.name)?.value;
  const colon = start + token.name.length + 1;
  if (token.valueStart > colon) {
    problems.push(diagnose('blank-after-colon', start, end, { fix: replace(colon, token.valueStart, '') }));
  }
  if (value === 'language') {
    const code = token.text.toLowerCase();
    if (LANGUAGES.has(code)) return;
    const region = code.indexOf('-');
    const meant = LANGUAGE_MEANT.get(code) ?? (region > 0 ? code.slice(0, region) : undefined);
    const fix = meant === undefined ? undefined : replace(token.valueStart, end, meant);
    problems.push(diagnose('unknown-language', start, end, { what: token.text, fix }));
  } else if (value === 'country' && /^(?:uk|en)$/i.test(token.text)) {
    problems.push(
      diagnose('unknown-country', start, end, {
        what: text.slice(token.valueStart, end),
        fix: replace(token.valueStart, end, 'GB'),
      }),
    );
  }
}

// Clauses together

function adviseNegatedGroup(node: Not, group: Join, { text, problems }: Context): void {
  const simple = group.kind === 'any' || group.parts.length === 1;
  const parts = group.parts.map((part) => {
    const written = text.slice(part.start, part.end);
    if (part.kind === 'not') return part.dashes === 1 ? written.slice(1) : undefined;
    return part.kind === 'clause' ? `-${written}` : undefined;
  });
  const known = simple && parts.every((part) => part !== undefined);
  const fix = known ? replace(node.start, node.end, parts.join(' ')) : undefined;
  problems.push(diagnose('negated-group', node.start, node.end, { fix }));
}

function adviseTogether(members: readonly Node[], context: Context): void {
  const clauses: Clause[] = [];
  const singles: Clause[] = [];
  for (const node of members) {
    const clause = node.kind === 'not' ? node.part : node;
    if (clause.kind !== 'clause' || clause.query === undefined) continue;
    clauses.push(clause);
    if (node.kind === 'clause' && clause.token.kind === 'operator') adviseSingle(clause, singles, context);
  }
  if (mayRepeat(clauses.map((clause) => clause.query!))) adviseRepeats(members, context);
}

function adviseRepeats(members: readonly Node[], { text, problems }: Context): void {
  const seen = new Set<string>();
  for (const node of members) {
    const clause = node.kind === 'not' ? node.part : node;
    if (clause.kind !== 'clause' || clause.query === undefined) continue;
    const { start, end } = node;
    const key = keyOf(clause.query);
    const [own, opposite] = node.kind === 'not' ? [`-${key}`, key] : [key, `-${key}`];
    const what = text.slice(clause.start, clause.end);
    if (seen.has(own)) {
      problems.push(diagnose('duplicate-clause', start, end, { what, fix: withoutClause(text, start, end) }));
    } else if (seen.has(opposite)) problems.push(diagnose('contradiction', start, end, { what }));
    seen.add(own);
  }
}

/** Two different values of what a post has one of. */
function adviseSingle(clause: Clause, singles: Clause[], { text, problems }: Context): void {
  const operator = OPERATOR_BY_NAME.get(clause.token.name);
  if (operator?.single === undefined) return;
  const before = singles.findLast((one) => OPERATOR_BY_NAME.get(one.token.name) === operator);
  singles.push(clause);
  if (before === undefined || keyOf(before.query!) === keyOf(clause.query!)) return;
  const apart = text.slice(before.end, clause.start).trim() !== '';
  const either = `(${text.slice(before.start, before.end)} OR ${text.slice(clause.start, clause.end)})`;
  const fix = apart ? undefined : replace(before.start, clause.end, either);
  problems.push(diagnose('conflicting-values', clause.start, clause.end, { what: operator.single, fix }));
}

/** `bio:marine biologist`: the value ends at the blank. */
function adviseNeighbours({ parts }: Join, { text, problems }: Context): void {
  for (let index = 0; index + 1 < parts.length; index++) {
    const part = parts[index]!;
    const clause = part.kind === 'not' ? part.part : part;
    if (clause.kind !== 'clause' || clause.token.form !== 'bare' || !takesWords(clause)) continue;
    let last = index;
    while (isKeyword(parts[last + 1])) last++;
    if (last === index) continue;
    const { valueStart, name } = clause.token;
    const { end } = parts[last]!;
    const fix = replace(valueStart, end, quoted(text.slice(valueStart, end)));
    problems.push(diagnose('words-after-value', clause.start, end, { what: `${name}:`, fix }));
  }
}

const takesWords = ({ token }: Clause) =>
  ['text', 'name', 'place'].includes(OPERATOR_BY_NAME.get(token.name)?.value ?? '');
const isKeyword = (node: Node | undefined) => node?.kind === 'clause' && node.token.kind === 'keyword';

function adviseAlternatives(node: Join, context: Context): void {
  const clauses = node.parts.filter((part) => part.kind === 'clause').filter((part) => part.query !== undefined);
  if (mayRepeat(clauses.map((clause) => clause.query!))) adviseRepeatedBranches(clauses, context);
  adviseLooseOr(node, context);
}

function adviseRepeatedBranches(clauses: readonly Clause[], { text, problems }: Context): void {
  const seen = new Set<string>();
  for (const clause of clauses) {
    const { start, end } = clause;
    const key = keyOf(clause.query!);
    const what = text.slice(start, end);
    if (seen.has(key))
      problems.push(diagnose('duplicate-clause', start, end, { what, fix: withoutBranch(text, clause) }));
    seen.add(key);
  }
}

function withoutBranch(text: string, { start, end }: Clause): Fix {
  const before = /\s+OR\s+$/.exec(text.slice(Math.max(0, start - 64), start))?.[0];
  return replace(start - (before?.length ?? 0), end, '');
}

/** Refused already, with the same fix. */
const isSample = (node: Node) => node.kind === 'clause' && node.token.name === 'sample';

/** `a OR b -c` where each side but the last is a single clause, and what follows `b` only narrows. */
function adviseLooseOr({ parts }: Join, { text, problems }: Context): void {
  const last = parts.at(-1)!;
  if (last.kind !== 'all' || last.grouped || parts.slice(0, -1).some((part) => part.kind === 'all' && !part.grouped))
    return;
  const [first, ...rest] = last.parts;
  if (first === undefined || !isAnchored(first) || rest.some(isAnchored) || rest.some(isSample)) return;
  const start = parts[0]!.start;
  const fix = replace(start, first.end, `(${text.slice(start, first.end)})`);
  const what = text.slice(rest[0]!.start, last.end);
  problems.push(diagnose('loose-or', rest[0]!.start, last.end, { what, fix }));
}
