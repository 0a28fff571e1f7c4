/**
 * Turns a checked tree into its query: flat joins, negated ORs expanded, duplicates removed; and into the form that the analysis needs,
 * with the facts that hold for every post.
 */
import type { Relations } from '../analysis/implications.ts';
import type { EventFacts, PlacedLeaf, PlacedQuery } from '../analysis/placed-query.ts';
import type { Fix } from '../diagnostic.ts';
import { all, any, not, type Predicate, type Query } from '../query.ts';
import { clausesOf } from './check.ts';
import { withoutClause } from './lexer.ts';
import type { Node, XClause } from './parse.ts';
import { OPERATORS } from './syntax-table.ts';

export function lower(root: Node, embedding: boolean): Query {
  if (embedding) pairThresholds(root);
  return lowerNode(root);
}

function lowerNode(node: Node): Query {
  switch (node.kind) {
    case 'clause':
      return node.query ?? all([]);
    case 'not':
      return lowerNegated(node.part);
    case 'all':
      return lowerAll(joinedNodes(node, 'all').map(lowerNode));
    case 'any':
      return any(distinct(joinedNodes(node, 'any').map(lowerNode)));
  }
}

/** X advises against `-(a OR b)`: it means `-a -b`. The other way round, `-(-a -b)` means `a OR b`. */
function lowerNegated(node: Node): Query {
  if (node.kind === 'clause') return not(lowerNode(node));
  if (node.kind === 'not') return lowerNode(node.part);
  if (node.kind === 'any') return lowerAll(joinedNodes(node, 'any').map(lowerNegated));
  const members = joinedNodes(node, 'all');
  if (members.length === 1) return lowerNegated(members[0]!);
  const parts = members.flatMap((member) => (member.kind === 'not' ? joinedNodes(member.part, 'any') : []));
  const allNegated = members.every((member) => member.kind === 'not');
  return allNegated ? any(distinct(parts.map(lowerNode))) : not(lowerAll(members.map(lowerNode)));
}

/** The parts that a node joins in this way, through parentheses that change nothing. */
export function joinedNodes(node: Node, kind: 'all' | 'any'): readonly Node[] {
  if (node.kind === kind) {
    return node.parts.some(isJoin) ? node.parts.flatMap((part) => joinedNodes(part, kind)) : node.parts;
  }
  return node.kind === 'all' && node.parts.length === 1 ? joinedNodes(node.parts[0]!, kind) : [node];
}

const isJoin = (node: Node) => node.kind === 'all' || node.kind === 'any';

function lowerAll(parts: readonly Query[]): Query {
  const joined = all(parts);
  if (joined.kind !== 'all') return joined;
  const of = distinct(joined.of);
  return of.length === joined.of.length ? joined : all(of);
}

/** Alternatives are compared before they are joined: the two that `place:` becomes must stay side by side. */
function distinct(units: readonly Query[]): readonly Query[] {
  if (units.length < 2 || !mayRepeat(units)) return units;
  const seen = new Set<string>();
  return units.filter((unit) => {
    const key = queryKey(unit);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Nearly all rules are a few different terms. This detects them without building a key for each. */
export function mayRepeat(units: readonly Query[]): boolean {
  if (units.length > 8) return true;
  for (let index = 1; index < units.length; index++) {
    const unit = units[index]!;
    for (let before = 0; before < index; before++) if (mayEqual(unit, units[before]!)) return true;
  }
  return false;
}

function mayEqual(one: Query, other: Query): boolean {
  if (one.kind !== other.kind) return false;
  if (one.kind === 'term' && other.kind === 'term') return one.term === other.term && one.field === other.field;
  if (one.kind === 'literal' && other.kind === 'literal') return one.text === other.text && one.field === other.field;
  return one.kind !== 'not' || other.kind !== 'not' || mayEqual(one.query, other.query);
}

/** A key that is equal exactly for equal queries. */
export function queryKey(query: Query): string {
  if (query.kind === 'term') return `${query.field}:${query.term}`;
  if (query.kind === 'literal') return `${query.field}"${query.text}`;
  return query.kind === 'not' ? `-${queryKey(query.query)}` : JSON.stringify(query);
}

function pairThresholds(node: Node): void {
  const group = clausesOf(node);
  const threshold = group.find((clause) => clause.token.name === 'embedding_threshold');
  if (threshold !== undefined) for (const clause of group) setThreshold(clause, Number(threshold.token.text));
  pairBelow(node);
}

function pairBelow(node: Node): void {
  if (node.kind === 'any') for (const part of node.parts) pairThresholds(part);
  else if (node.kind === 'all') for (const part of node.parts) if (part.kind !== 'clause') pairBelow(part);
}

function setThreshold(clause: XClause, threshold: number): void {
  if (clause.query?.kind === 'upstream') clause.query = { ...clause.query, threshold };
}

/** The rule's tree in the form that the analysis needs. Undefined if nothing is left to analyse: a threshold changes how `embedding:` is evaluated, not what it asks for. */
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

function impossible(
  predicate: Predicate,
  { start, end }: PlacedLeaf,
  text: string,
): ReturnType<EventFacts['impossible']> {
  const written = text.slice(start, end);
  if (predicate.kind === 'contains' && /\s/.test(predicate.text))
    return { why: `${written} holds a blank, which no link does.` };
  if (predicate.kind !== 'term') return undefined;
  const pattern = EXTRACTED[predicate.field];
  if (pattern === undefined || pattern.test(predicate.term)) return undefined;
  const word = written.slice(1);
  const fix: Fix = { span: { start, end }, text: word, meaning: `posts with the word ${word}` };
  return {
    why: `X never reads ${written} as a ${predicate.field} of a post; look for the word instead.`,
    fixes: [fix],
  };
}

const flag = (field: 'is' | 'has', term: string): Predicate => ({ kind: 'term', field, term });

/** The predicates that a field's values imply about a post, whatever they are. */
const OF_FIELD: Readonly<Record<string, readonly Predicate[]>> = {
  retweets_of: [flag('is', 'retweet')],
  retweets_of_tweet_id: [flag('is', 'retweet')],
  to: [flag('is', 'reply')],
  to_affiliate_of: [flag('is', 'reply')],
  in_reply_to_tweet_id: [flag('is', 'reply')],
  hashtag: [flag('has', 'hashtags')],
  mention: [flag('has', 'mentions')],
  cashtag: [flag('has', 'cashtags')],
  url: [flag('has', 'links')],
  url_title: [flag('has', 'links')],
  url_description: [flag('has', 'links')],
  place: [flag('has', 'geo')],
  place_id: [flag('has', 'geo')],
  place_country: [flag('has', 'geo')],
};

/** The predicates that a kind of post or of content implies. */
const OF_FLAG: Readonly<Record<string, readonly Predicate[]>> = {
  'has:images': [flag('has', 'media'), flag('has', 'links')],
  'has:video_link': [flag('has', 'media'), flag('has', 'links')],
  'has:media': [flag('has', 'links')],
  'is:quote': [flag('has', 'links')],
};

/** The relations between X's operators: the table that analysis, fixes and suggestions go by. */
export const xRelations: Relations = {
  implied(predicate) {
    if (predicate.kind === 'circle' || predicate.kind === 'box') return [flag('has', 'geo')];
    if (!('field' in predicate) || predicate.kind === 'number') return [];
    if (predicate.kind === 'term' && (predicate.field === 'has' || predicate.field === 'is'))
      return OF_FLAG[`${predicate.field}:${predicate.term}`] ?? [];
    return OF_FIELD[predicate.field] ?? [];
  },
  // A keyword finds the word of a tag.
  also: (predicate) =>
    predicate.kind === 'term' && predicate.field === 'hashtag' && /^\p{L}+$/u.test(predicate.term)
      ? [{ kind: 'term', field: 'text', term: predicate.term }]
      : [],
  single: (field) => SINGLES.get(field),
};

export const factsOf = (text: string): EventFacts => ({
  event: 'post',

  impossible: (predicate, leaf) => impossible(predicate, leaf, text),

  common: commonOf,

  relations: xRelations,

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

/** Few accounts have more of anything that is counted. */
const HARDLY_REACHED = 10_000_000;
/** Words that every link of a post has in it. */
const OF_EVERY_LINK: ReadonlySet<string> = new Set([
  '.',
  '/',
  ':',
  'http',
  'https',
  't.co',
  'https://',
  'http://',
  'https://t.co',
]);

/** True for every post, or nearly: counts start at zero. */
function commonOf(predicate: Predicate): 'every' | 'most' | undefined {
  if (predicate.kind === 'sample') return predicate.percent === 100 ? 'every' : undefined;
  if (predicate.kind === 'contains') return OF_EVERY_LINK.has(predicate.text) ? 'most' : undefined;
  if (predicate.kind === 'term' && predicate.field === 'url')
    return OF_EVERY_LINK.has(predicate.term) ? 'most' : undefined;
  if (predicate.kind === 'phrase' && predicate.field === 'url')
    return predicate.terms.join('.') === 't.co' ? 'most' : undefined;
  if (predicate.kind !== 'number' || (predicate.from?.value ?? 0) > 0) return undefined;
  if (predicate.to === undefined) return 'every';
  return predicate.to.value >= HARDLY_REACHED ? 'most' : undefined;
}

function withoutBranch(text: string, start: number, end: number): Fix {
  const before = /\s+OR\s+$/.exec(text.slice(Math.max(0, start - 64), start))?.[0];
  if (before !== undefined) return { span: { start: start - before.length, end }, text: '' };
  const behind = /^\s+OR\s+/.exec(text.slice(end, end + 64))?.[0] ?? '';
  return { span: { start, end: end + behind.length }, text: '' };
}
