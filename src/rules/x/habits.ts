/**
 * Words that people write between clauses out of habit: AND, or, NOT, &&, ||, |, commas. The fix rewrites the list of
 * clauses around them in X's syntax, and says what it means.
 */
import { briefly, type Fix, type Intent, intentText } from '../diagnostic.ts';
import { quoted } from './lexer.ts';
import type { Node } from './parse.ts';
import { OPERATOR_BY_NAME } from './syntax-table.ts';

interface Rewritten {
  readonly text: string;
  readonly intent: Intent;
  /** Only a condition on the clauses beside it. */
  readonly condition: boolean;
}

type Joiner = 'and' | 'or' | 'not' | 'perhaps' | undefined;

/** The chosen reading of a list that has two. */
interface Choice {
  /** Whether `|` and commas join alternatives, or clauses that must all be true. */
  readonly perhaps: 'or' | 'and';
  /** Whether `a b or c` means `(a b) OR c` or `a (b OR c)`. */
  readonly or: 'wide' | 'near';
  /** Whether a dash followed by a blank excludes the next clause. */
  readonly dash: 'excludes' | 'nothing';
}

const USUAL: Choice = { perhaps: 'or', or: 'wide', dash: 'excludes' };

const JOINERS: ReadonlyMap<string, Joiner> = new Map([
  ['and', 'and'],
  ['&&', 'and'],
  ['&', 'and'],
  ['+', 'and'],
  ['or', 'or'],
  ['||', 'or'],
  ['|', 'perhaps'],
  ['/', 'perhaps'],
  [',', 'perhaps'],
  [';', 'perhaps'],
  ['not', 'not'],
  ['!', 'not'],
]);

/** The start of each habitual word, with the fixes for the whole rule around it. */
export function habitFixes(root: Node, text: string): ReadonlyMap<number, readonly Fix[]> {
  const found: number[] = [];
  collectHabits(root.kind === 'all' ? root.parts : [root], text, found);
  if (found.length === 0) return new Map();
  const span = { start: root.start, end: root.end };
  const fixes: Fix[] = [];
  for (const choice of CHOICES) {
    const rewritten = rewriteNode(root, text, choice);
    if (rewritten === undefined || fixes.some((fix) => fix.text === rewritten.text)) continue;
    const meaning = `posts with ${briefly(intentText(rewritten.intent))}`;
    fixes.push({ span, text: rewritten.text, meaning, intent: rewritten.intent });
  }
  const phrase = fixes.length === 1 ? phraseOf(root, text) : undefined;
  return new Map(found.map((at) => [at, phrase === undefined ? fixes.slice(0, 2) : [...fixes, phrase]]));
}

/** `rock and roll` may be meant as written. */
function phraseOf(root: Node, text: string): Fix | undefined {
  if (root.kind !== 'all' || root.parts.length > 5 || root.grouped) return undefined;
  const words = root.parts.map((part) => rawOf(part, text));
  if (!words.every((word) => /^[\p{L}\p{N}]+$/u.test(word)) || !words.some((word) => /^(?:and|not)$/.test(word)))
    return undefined;
  const phrase = quoted(text.slice(root.start, root.end));
  return { span: { start: root.start, end: root.end }, text: phrase, meaning: `posts with the phrase ${phrase}` };
}

const CHOICES: readonly Choice[] = [
  USUAL,
  { ...USUAL, or: 'near' },
  { ...USUAL, perhaps: 'and' },
  { ...USUAL, dash: 'nothing' },
];

function collectHabits(list: readonly Node[], text: string, found: number[]): void {
  for (const [index, node] of list.entries()) {
    const joiner = joinerOf(node, text, index === list.length - 1);
    if (joiner !== undefined || hasSign(node, text)) found.push(node.start);
    else if (node.kind === 'not') {
      if (isDetached(node, text)) found.push(node.start);
      collectHabits([node.part], text, found);
    } else if (node.kind === 'all') collectHabits(node.parts, text, found);
    else if (node.kind === 'any') for (const part of node.parts) collectHabits([part], text, found);
    else if (endsInComma(node, text)) found.push(node.start);
  }
}

const rawOf = (node: Node, text: string) => text.slice(node.start, node.end);

function joinerOf(node: Node, text: string, isLast: boolean): Joiner {
  if (node.kind !== 'clause' || !['and', 'keyword', 'broken'].includes(node.token.kind)) return undefined;
  const joiner = JOINERS.get(rawOf(node, text).toLowerCase());
  return joiner === 'not' && isLast ? undefined : joiner;
}

/** `+magma` and `!magma`. */
const hasSign = (node: Node, text: string): boolean =>
  node.kind === 'clause' && node.token.kind === 'broken' && /^(?:[+!]|&&|\|\|)[\p{L}\p{N}#@$]/u.test(rawOf(node, text));

const isDetached = (node: Node & { kind: 'not' }, text: string) => /\s/.test(text.charAt(node.start + node.dashes));

const endsInComma = (node: Node, text: string) =>
  node.kind === 'clause' && node.token.kind === 'keyword' && /[^,;][,;]$/.test(rawOf(node, text));

function rewriteNode(node: Node, text: string, choice: Choice): Rewritten | undefined {
  if (node.kind === 'clause') return rewriteClause(node, text);
  if (node.kind === 'not') {
    const part = rewriteNode(node.part, text, choice);
    if (part === undefined) return undefined;
    return isDetached(node, text) && choice.dash === 'nothing' ? part : negated(part, node.part);
  }
  if (node.kind === 'all') {
    const inside = rewriteList(node.parts, text, choice);
    return inside && { ...inside, text: node.grouped ? `(${inside.text})` : inside.text };
  }
  const either = rewriteAny(node.parts, text, choice);
  return either && { ...either, text: node.grouped ? `(${either.text})` : either.text };
}

function rewriteAny(sides: readonly Node[], text: string, choice: Choice): Rewritten | undefined {
  const branches: Rewritten[][] = [];
  for (const side of sides) {
    const branch = branchesOf(side.kind === 'all' && !side.grouped ? side.parts : [side], text, choice);
    if (branch === undefined) return undefined;
    branches.push(...branch);
  }
  // `a OR b AND NOT c` has two readings; parentheses distinguish them.
  const isLoose = branches.filter((branch) => branch.some((part) => part.condition)).length === 1;
  if (choice.or === 'near' && isLoose) {
    const grouped = branches.map((branch) => [branch.length > 1 ? inParentheses(joinedAll(branch)) : branch[0]!]);
    return joinedAny(grouped, 'wide');
  }
  return joinedAny(branches, 'wide');
}

const inParentheses = (part: Rewritten): Rewritten => ({ ...part, text: `(${part.text})`, condition: false });

function rewriteClause(node: Node & { kind: 'clause' }, text: string): Rewritten | undefined {
  const raw = rawOf(node, text);
  const { token } = node;
  if (hasSign(node, text)) {
    const clause = raw.replace(/^(?:[+!]|&&|\|\|)/, '');
    const plain: Rewritten = { text: clause, intent: { clause }, condition: false };
    return raw.startsWith('!') ? negated(plain, node) : raw.startsWith('||') ? undefined : plain;
  }
  if (token.kind === 'broken') return undefined;
  const clause = endsInComma(node, text) ? raw.slice(0, -1) : raw;
  const standalone = OPERATOR_BY_NAME.get(token.name)?.standalone ?? true;
  return { text: clause, intent: { clause }, condition: !standalone };
}

/** A group of alternatives is excluded one by one: X advises against a dash before a group. */
function negated(part: Rewritten, node: Node): Rewritten {
  const { intent } = part;
  if (typeof intent === 'object' && 'any' in intent && node.kind !== 'clause' && intent.any.every(isClause)) {
    const clauses = intent.any.map((one) => (one as { clause: string }).clause);
    const excluded = intent.any.map((one): Intent => ({ not: one }));
    return { text: clauses.map((one) => `-${one}`).join(' '), intent: { all: excluded }, condition: true };
  }
  if (typeof intent === 'object' && 'not' in intent) return { ...part, text: part.text.slice(1), intent: intent.not };
  return { text: `-${part.text}`, intent: { not: intent }, condition: true };
}

const isClause = (intent: Intent) => typeof intent === 'object' && 'clause' in intent;

function rewriteList(list: readonly Node[], text: string, choice: Choice): Rewritten | undefined {
  const branches = branchesOf(list, text, choice);
  if (branches === undefined) return undefined;
  return branches.length === 1 ? joinedAll(branches[0]!) : joinedAny(branches, choice.or);
}

/** The clauses of a list, split at each habitual word for OR. */
function branchesOf(list: readonly Node[], text: string, choice: Choice): Rewritten[][] | undefined {
  const branches: Rewritten[][] = [[]];
  let negates = false;
  for (const [index, node] of list.entries()) {
    const isLast = index === list.length - 1;
    const joiner = joinerOf(node, text, isLast);
    const join = joiner === 'perhaps' ? choice.perhaps : joiner;
    if (join === 'not') negates = !negates;
    else if (join === 'or') branches.push([]);
    else if (join === undefined) {
      const part = rewriteNode(node, text, choice);
      if (part === undefined) return undefined;
      branches.at(-1)!.push(negates ? negated(part, node) : part);
      negates = false;
      if (endsInComma(node, text) && !isLast && choice.perhaps === 'or') branches.push([]);
    }
  }
  const filled = branches.filter((branch) => branch.length > 0);
  return filled.length === 0 ? undefined : filled;
}

function joinedAll(parts: readonly Rewritten[]): Rewritten {
  if (parts.length === 1) return parts[0]!;
  return {
    text: parts.map((part) => part.text).join(' '),
    intent: {
      all: parts.flatMap(({ intent }) => (typeof intent === 'object' && 'all' in intent ? intent.all : [intent])),
    },
    condition: parts.every((part) => part.condition),
  };
}

const plainAny = (branches: readonly (readonly Rewritten[])[]): Rewritten => {
  const alternatives = branches.map((branch) => joinedAll(branch));
  return {
    text: alternatives.map((part) => part.text).join(' OR '),
    intent: { any: alternatives.map((part) => part.intent) },
    condition: false,
  };
};

/** Conditions before the first alternative and after the last apply to all of them. */
function joinedAny(branches: readonly (readonly Rewritten[])[], or: Choice['or']): Rewritten {
  const first = branches[0]!;
  const last = branches.at(-1)!;
  // `a OR NOT b` says what to leave out of the rest: X refuses alternatives of exclusions alone.
  if (
    last.every((part) => part.condition) &&
    !branches
      .slice(0, -1)
      .flat()
      .some((part) => part.condition)
  ) {
    const rest = branches.length === 2 ? joinedAll(first) : joinedAny(branches.slice(0, -1), or);
    return joinedAll([branches.length === 2 ? rest : { ...rest, text: `(${rest.text})` }, ...last]);
  }
  // If several sides have conditions, each keeps its own.
  const isShared = branches.filter((branch) => branch.some((part) => part.condition)).length < 2;
  if (!isShared && or === 'wide') return plainAny(branches);
  const before =
    or === 'near'
      ? first.slice(0, -1)
      : first.slice(
          0,
          Math.max(
            0,
            first.findIndex((part) => !part.condition),
          ),
        );
  const behindFrom = or === 'near' ? 1 : last.findLastIndex((part) => !part.condition) + 1;
  const behind = behindFrom === 0 ? [] : last.slice(behindFrom);
  const cores = branches.map((branch, index) =>
    branch.slice(index === 0 ? before.length : 0, branch === last && behind.length > 0 ? behindFrom : undefined),
  );
  const either = plainAny(cores);
  if (before.length + behind.length === 0) return either;
  return joinedAll([...before, { ...either, text: `(${either.text})` }, ...behind]);
}
