/** Warnings: rules that X accepts and that almost certainly do not mean what they say. */
import type { Diagnostic, Fix, Intent } from '../diagnostic.ts';
import { isSayable } from '../habits/habit.ts';
import { isAnchored } from './check.ts';
import { eachOrAll, quoted } from './lexer.ts';
import { withoutStars } from './mend-value.ts';
import { diagnose, replace } from './messages.ts';
import type { Join, Node, Not, XClause } from './parse.ts';
import { LANGUAGE_MEANT, LANGUAGES, OPERATOR_BY_NAME } from './syntax-table.ts';
import { wordsOf } from './words.ts';

interface Context {
  readonly text: string;
  readonly problems: Diagnostic[];
}

export function advise(root: Node, text: string, problems: Diagnostic[]): void {
  adviseNode(root, { text, problems });
}

function adviseNode(node: Node, context: Context): void {
  switch (node.kind) {
    case 'clause':
      adviseClause(node, context);
      break;
    case 'not':
      if (node.part.kind === 'all' || node.part.kind === 'any') adviseNegatedGroup(node, node.part, context);
      adviseNode(node.part, context);
      break;
    case 'all':
      adviseNeighbours(node, context);
      for (const part of node.parts) adviseNode(part, context);
      break;
    case 'any':
      adviseLooseCondition(node, context);
      for (const part of node.parts) adviseNode(part, context);
      break;
  }
}

// Single clauses

function adviseClause(clause: XClause, context: Context): void {
  const { token, query } = clause;
  if (token.kind === 'keyword' || token.kind === 'phrase') adviseBlanks(clause, context);
  if (token.kind === 'keyword') {
    if (query?.kind === 'term') adviseWord(clause, context);
    else if (query !== undefined) advisePunctuation(clause, context);
  } else if (token.kind === 'operator' && query !== undefined) {
    adviseValue(clause, context);
  }
}

function adviseWord({ token, start, end }: XClause, { text, problems }: Context): void {
  const what = token.text;
  if (what.length !== 3 || what.toLowerCase() !== 'not') return;
  if (/^\s+[^\s)]/.test(text.slice(end, end + 8))) problems.push(diagnose('word-not', start, end, { what }));
}

const ODD_BLANK = /[\u00a0\u00ad\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]/;

/** X separates clauses only by plain blanks, and compares a phrase as it is written. */
function adviseBlanks({ token, start, end }: XClause, { text, problems }: Context): void {
  const [odd] = ODD_BLANK.exec(token.text) ?? [];
  if (odd === undefined) return;
  const parts = text
    .slice(start, end)
    .split(new RegExp(ODD_BLANK, 'g'))
    .filter((part) => part !== '');
  const isPhrase = token.kind === 'phrase';
  const intent: Intent = isPhrase ? { clause: parts.join(' ') } : { all: parts.map((clause) => ({ clause })) };
  const name = `U+${odd.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const fix = parts.length === 0 ? undefined : { ...replace(start, end, parts.join(' ')), intent };
  problems.push(diagnose('odd-blank', start, end, { what: name, fix }));
}

function advisePunctuation({ token, start, end }: XClause, { problems }: Context): void {
  const what = token.text;
  const words = wordsOf(what);
  // Several words without a separator: scripts without blanks, and emoji beside letters.
  if (words.join('') === what || ODD_BLANK.test(what)) return;
  const [, stem = ''] = /^([^*~^]*)(?:\*|[~^][\d.]*)$/.exec(what) ?? [];
  if (/^[\p{L}\p{N}*]+$/u.test(what) && /\p{L}/u.test(what) && what.includes('*'))
    problems.push(diagnose('wildcard', start, end, { what }));
  else if (stem !== '') problems.push(diagnose('fuzzy', start, end, { what, fix: shortened(start, end, stem) }));
  else if (words.length === 1 && what.startsWith(words[0]!) && /[,.;!?…]$/.test(what)) {
    // The fix for a list with commas covers the whole list.
    const fix = /[,;]$/.test(what) ? undefined : replace(start, end, words[0]!);
    problems.push(diagnose('trailing-punctuation', start, end, { what, fix }));
  } else {
    problems.push(diagnose('unquoted-punctuation', start, end, { what, fixes: punctuatedFixes(what, start, end) }));
  }
}

/** `cat,dog` is a list. Other words with punctuation are quoted, if they can be meant as written. */
function punctuatedFixes(what: string, start: number, end: number): readonly Fix[] {
  const words = what.split(/,|;|\|\|?/);
  if (words.length > 1 && words.every((word) => /^\p{L}[\p{L}\p{N}]*$/u.test(word)))
    return eachOrAll(words, { start, end });
  return isSayable(what) ? [replace(start, end, quoted(what))] : [];
}

const shortened = (start: number, end: number, stem: string): Fix | undefined =>
  stem === '' ? undefined : replace(start, end, stem);

function adviseValue({ token, start, end }: XClause, { text, problems }: Context): void {
  const value = OPERATOR_BY_NAME.get(token.name)?.value;
  const colon = start + token.name.length + 1;
  if (token.valueStart > colon) {
    problems.push(
      diagnose('blank-after-colon', start, end, {
        fix: replace(start, end, text.slice(start, colon) + text.slice(token.valueStart, end)),
      }),
    );
  }
  if (token.text.includes('*') && (value === 'url' || value === 'substring' || value === 'text')) {
    const fixes = value === 'text' ? [] : withoutStars(token.text, { start, end });
    problems.push(diagnose('wildcard', start, end, { what: token.text, fixes }));
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
  const fix: Fix | undefined = known
    ? { ...replace(node.start, node.end, parts.join(' ')), meaning: 'the same', intent: 'same' }
    : undefined;
  const what = simple
    ? 'X advises against a dash before a group; put a dash before each of its parts instead.'
    : 'X advises against a dash before a group; this excludes posts that hold all of its parts, and a dash before each part would exclude posts that hold any.';
  problems.push(diagnose('negated-group', node.start, node.end, { what, fix }));
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

const takesWords = ({ token }: XClause) =>
  ['text', 'name', 'place'].includes(OPERATOR_BY_NAME.get(token.name)?.value ?? '');
const isKeyword = (node: Node | undefined) => node?.kind === 'clause' && node.token.kind === 'keyword';

/** `a OR b -c` and `-c a OR b`: a condition at the outer edge of one side, where no other side has any. */
function adviseLooseCondition(node: Join, { text, problems }: Context): void {
  const { parts } = node;
  const sides = parts.map((part) => (part.kind === 'all' && !part.grouped ? part.parts : [part]));
  const loose = sides.flatMap((side, index) => (side.some(isCondition) ? [index] : []));
  const [index] = loose;
  if (loose.length !== 1 || (index !== 0 && index !== sides.length - 1)) return;
  const side = sides[index]!;
  const isFirst = index === 0;
  const core = side.filter((part) => !isCondition(part));
  // They are together at the edge; `a -b OR c` clearly says what it excludes from.
  const conditions = isFirst ? side.slice(0, side.indexOf(core[0]!)) : side.slice(side.indexOf(core.at(-1)!) + 1);
  if (core.length === 0 || conditions.length + core.length !== side.length) return;
  if (conditions.some(isSample)) return;
  const [from, to] = [conditions[0]!.start, conditions.at(-1)!.end];
  const inside = isFirst
    ? text.slice(core[0]!.start, parts.at(-1)!.end)
    : text.slice(parts[0]!.start, core.at(-1)!.end);
  const what = text.slice(from, to);
  const fix: Fix = {
    span: { start: parts[0]!.start, end: parts.at(-1)!.end },
    text: isFirst ? `${what} (${inside})` : `(${inside}) ${what}`,
    meaning: `${what} applies to every side of the OR`,
    intent: { all: [...conditions.map((part) => ({ clause: text.slice(part.start, part.end) })), { clause: inside }] },
  };
  problems.push(diagnose('loose-condition', from, to, { what, fix }));
}

/** Whether it says how a post must be, not what it is about. */
const isCondition = (node: Node) => !isAnchored(node);

/** Already refused with the same fix. */
const isSample = (node: Node) => node.kind === 'clause' && node.token.name === 'sample';
