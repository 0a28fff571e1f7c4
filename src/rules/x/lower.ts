/** Turns a checked tree into the query it means: joins flat, negated ORs taken apart, nothing said twice. */
import { all, any, not, type Query } from '../query.ts';
import { clausesOf } from './check.ts';
import type { Clause, Node } from './parse.ts';

export function lower(root: Node): Query {
  pairThresholds(root);
  return lowerNode(root);
}

function lowerNode(node: Node): Query {
  switch (node.kind) {
    case 'clause':
      return node.query ?? all([]);
    case 'not':
      return negated(lowerNode(node.part));
    case 'all':
      return all(distinct(unitsOf(node, 'all')));
    case 'any':
      return any(distinct(unitsOf(node, 'any')));
  }
}

/** The parts of nested joins of one kind, each as its own query, so that what one clause became stays together. */
function unitsOf(node: Node, kind: 'all' | 'any'): Query[] {
  if (node.kind === kind) return node.parts.flatMap((part) => unitsOf(part, kind));
  if (node.kind === 'all' && node.parts.length === 1) return unitsOf(node.parts[0]!, kind);
  return [lowerNode(node)];
}

function distinct(units: readonly Query[]): readonly Query[] {
  if (units.length < 2) return units;
  const seen = new Set<string>();
  return units.filter((unit) => {
    const key = keyOf(unit);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Equal exactly for equal queries. */
export const keyOf = (query: Query): string =>
  query.kind === 'term' ? `${query.field}:${query.term}` : JSON.stringify(query);

/** X advises against `-(a OR b)`: it means `-a -b`. The other way round, `-(-a -b)` means `a OR b`. */
function negated(query: Query): Query {
  if (query.kind === 'any') return all(query.of.map(negated));
  if (query.kind === 'all' && query.of.every((part) => part.kind === 'not')) return any(query.of.map(negated));
  return not(query);
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

function setThreshold(clause: Clause, threshold: number): void {
  if (clause.query?.kind === 'upstream') clause.query = { ...clause.query, threshold };
}
