/**
 * Rewrites a list of clauses with AND, OR, NOT and parentheses, once for each of its likely meanings: a blank, a lower-case
 * operator and a mix of AND and OR each have several.
 */
import { briefly, type Fix, type Intent, intentText, isJoin } from '../diagnostic.ts';
import { isSayable } from '../habits/habit.ts';
import { quote } from './escape.ts';
import type { Clause } from './syntax-tree.ts';

export interface ListChoice {
  /** The meaning of a blank between two words. */
  readonly blank: 'and' | 'or' | 'phrase';
  readonly tighter: 'and' | 'or';
  /** Whether a dash between blanks excludes what follows. */
  readonly sign?: 'excludes' | 'nothing';
}

interface Item {
  readonly text: string;
  readonly intent: Intent;
  readonly negated: boolean;
  readonly joiner: 'and' | 'or' | 'blank';
  readonly isWord: boolean;
  readonly isRecent: boolean;
}

const JOINERS: Readonly<Record<string, 'and' | 'or' | 'not'>> = {
  and: 'and',
  '&': 'and',
  '+': 'and',
  or: 'or',
  '|': 'or',
  '/': 'or',
  not: 'not',
};

/** The list in every requested meaning, without duplicates, the most likely first. */
export function rewrittenList(clauses: readonly Clause[], rule: string, choices: readonly ListChoice[]): Fix[] {
  const [first, last] = [clauses[0], clauses.at(-1)];
  if (first === undefined || last === undefined) return [];
  const span = { start: first.start, end: last.end };
  const fixes: Fix[] = [];
  for (const choice of choices) {
    const items = joinWords(itemsOf(clauses, rule, choice), choice);
    const written = items === undefined ? undefined : writtenList(items, choice);
    if (written === undefined || fixes.some(({ text }) => text === written.text)) continue;
    fixes.push({ span, ...written, meaning: `pages with ${briefly(intentText(written.intent))}` });
  }
  return fixes;
}

function itemsOf(clauses: readonly Clause[], rule: string, { sign = 'nothing' }: ListChoice): Item[] | undefined {
  const items: Item[] = [];
  let joiner: Item['joiner'] = 'blank';
  let negated = false;
  const push = (text: string, isWord: boolean, isRecent = false) => {
    items.push({ text, intent: { clause: text }, negated, joiner, isWord, isRecent });
    joiner = 'blank';
    negated = false;
  };
  for (const clause of clauses) {
    const { conj, mod, node } = clause;
    if (conj !== undefined) joiner = conj;
    if (mod === 'not') negated = true;
    const text = rule.slice(node.fieldSpan?.start ?? node.start, clause.end);
    if (node.kind === 'leaf' && node.form === 'sign') {
      if (node.text !== '+' && sign === 'excludes') negated = true;
      continue;
    }
    const isPlain =
      node.kind === 'leaf' && node.fieldSpan === undefined && (node.form === 'run' || node.form === 'term');
    for (const word of isPlain && conj === undefined && mod === undefined ? text.split(/[\s\u3000]+/) : [text]) {
      const known = isPlain ? JOINERS[word.toLowerCase()] : undefined;
      if (known === 'not') negated = true;
      else if (known !== undefined) joiner = known;
      else
        push(
          isPlain ? word.replace(/(?<=[^,;])[,;]$/, '') : word,
          isPlain && /^[^"*?~^\\]+$/.test(word) && isSayable(word),
          node.kind === 'leaf' && node.field === 'recent',
        );
    }
  }
  return items.length === 0 ? undefined : items;
}

/** Words with blanks between them become phrases, if that is the chosen meaning. */
function joinWords(items: readonly Item[] | undefined, { blank }: ListChoice): readonly Item[] | undefined {
  if (items === undefined || blank !== 'phrase') return items;
  const kept: Item[] = [];
  for (const item of items) {
    const before = kept.at(-1);
    if (before === undefined || item.joiner !== 'blank' || item.negated || !item.isWord || !before.isWord) {
      kept.push(item);
      continue;
    }
    const words = `${before.text.replaceAll('"', '')} ${item.text}`;
    kept[kept.length - 1] = { ...before, text: quote(words), intent: { clause: quote(words) } };
  }
  return kept;
}

interface Written {
  readonly text: string;
  readonly intent: Intent;
}

function writtenList(items: readonly Item[], { blank, tighter }: ListChoice): Written | undefined {
  const meant = blank === 'or' ? 'or' : 'and';
  // An exclusion that is not joined by AND applies to the whole, and so does `recent`.
  const isOutside = (item: Item) => item.isRecent || (item.negated && (item.joiner !== 'and' || tighter === 'or'));
  const inside = items.filter((item) => !isOutside(item));
  if (inside.every(({ negated }) => negated)) return undefined;
  const groups: Item[][] = [];
  const outer = tighter === 'and' ? 'or' : 'and';
  for (const item of inside) {
    const joiner = item.joiner === 'blank' ? meant : item.joiner;
    if (groups.length === 0 || joiner === outer) groups.push([item]);
    else groups.at(-1)!.push(item);
  }
  if (groups.some((group) => group.every(({ negated }) => negated))) return undefined;
  const whole = joined(
    groups.map((group) => joined(group.map(signed), tighter)),
    outer,
  );
  const outside = items.filter(isOutside).map(signed);
  return outside.length === 0 ? whole : joined([whole, ...outside], 'and');
}

const signed = ({ negated, text, intent }: Item): Written =>
  negated ? { text: `NOT ${text}`, intent: { not: intent } } : { text, intent };

function joined(parts: readonly Written[], join: 'and' | 'or'): Written {
  if (parts.length === 1) return parts[0]!;
  const texts = parts.map(({ text, intent }) => (isJoin(intent) ? `(${text})` : text));
  const of = parts.map(({ intent }) => intent);
  return join === 'and'
    ? { text: texts.join(' AND '), intent: { all: of } }
    : { text: texts.join(' OR '), intent: { any: of } };
}
