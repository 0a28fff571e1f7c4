/** Facts that hold for every post, and the rule's tree in the form that the analysis needs. */
import type { EventFacts, PlacedLeaf, PlacedQuery } from '../analysis/placed-query.ts';
import type { Fix } from '../diagnostic.ts';
import type { Predicate } from '../query.ts';
import { withoutClause } from './lexer.ts';
import type { Node } from './parse.ts';
import { OPERATORS } from './syntax-table.ts';

/** Undefined if nothing is left to analyse: a threshold changes how `embedding:` is evaluated, not what it asks for. */
export function placedQueryOf(node: Node): PlacedQuery | undefined {
  const { start, end } = node;
  if (node.kind === 'clause') {
    return node.token.name === 'embedding_threshold' ? undefined : { kind: 'leaf', query: node.query!, start, end };
  }
  if (node.kind === 'not') {
    const of = placedQueryOf(node.part);
    return of && { kind: 'not', of, start, end };
  }
  const of = node.parts.map(placedQueryOf).filter((part) => part !== undefined);
  return of.length === 0 ? undefined : { kind: node.kind, of, start, end };
}

const EXTRACTED: Readonly<Record<string, RegExp>> = {
  hashtag: /[\p{L}\p{M}]/u,
  cashtag: /^[a-z]{1,6}(?:[._][a-z]{1,2})?$/,
  mention: /^\w{1,20}$/,
};

const SINGLES: ReadonlyMap<string, string> = new Map(
  OPERATORS.flatMap(({ name, field = name, single }) => (single === undefined ? [] : [[field, single] as const])),
);

export const factsOf = (text: string): EventFacts => ({
  event: 'post',

  impossible(predicate, { start, end }) {
    const written = text.slice(start, end);
    if (predicate.kind === 'contains' && /\s/.test(predicate.text)) {
      return { why: `${written} holds a blank, which no link does.` };
    }
    if (predicate.kind !== 'term') return undefined;
    const pattern = EXTRACTED[predicate.field];
    if (pattern === undefined || pattern.test(predicate.term)) return undefined;
    const word = written.slice(1);
    const fix: Fix = { span: { start, end }, text: word, meaning: `posts with the word ${word}` };
    return {
      why: `X never reads ${written} as a ${predicate.field} of a post; look for the word instead.`,
      fixes: [fix],
    };
  },

  common: (predicate) => (isMet(predicate) ? 'every' : undefined),

  single: (field) => SINGLES.get(field),

  either(one, other) {
    if (text.slice(one.end, other.start).trim() !== '') return [];
    const [left, right] = [clauseOf(one, text), clauseOf(other, text)];
    return [
      {
        span: { start: one.start, end: other.end },
        text: `(${left} OR ${right})`,
        meaning: `posts with ${left} or ${right}`,
        intent: { any: [{ clause: left }, { clause: right }] },
      },
    ];
  },

  without: ({ start, end }, join) => [
    {
      ...(join === 'all' ? withoutClause(text, start, end) : withoutBranch(text, start, end)),
      meaning: 'the same',
      intent: 'same',
    },
  ],
});

const clauseOf = ({ start, end }: PlacedLeaf, text: string) => text.slice(start, end);

/** True for every post: counts start at zero. */
function isMet(predicate: Predicate): boolean {
  if (predicate.kind === 'sample') return predicate.percent === 100;
  if (predicate.kind !== 'number') return false;
  return predicate.to === undefined && (predicate.from?.value ?? 0) <= 0;
}

function withoutBranch(text: string, start: number, end: number): Fix {
  const before = /\s+OR\s+$/.exec(text.slice(Math.max(0, start - 64), start))?.[0];
  if (before !== undefined) return { span: { start: start - before.length, end }, text: '' };
  const behind = /^\s+OR\s+/.exec(text.slice(end, end + 64))?.[0] ?? '';
  return { span: { start, end: end + behind.length }, text: '' };
}
