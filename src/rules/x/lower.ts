/** Turns a checked tree into its query: flat joins, negated ORs expanded, duplicates removed. */
import { all, any, not, type Query } from '../query.ts';
import { clausesOf } from './check.ts';
import type { Node, XClause } from './parse.ts';

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
