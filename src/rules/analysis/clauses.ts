/** The clauses that a rule joins by AND at its top, each with its place in the text: the rule matches where all hold. */
import type { Span } from '../diagnostic.ts';
import { all, any, not, type Query } from '../query.ts';
import type { PlacedQuery } from './placed-query.ts';

export interface RuleClause extends Span {
  readonly query: Query;
}

export function clausesOf(root: PlacedQuery | undefined): readonly RuleClause[] {
  if (root === undefined) return [];
  if (root.kind === 'all' || (root.kind === 'any' && root.of.length === 1)) return root.of.flatMap(clausesOf);
  return [{ query: queryOf(root), start: root.start, end: root.end }];
}

function queryOf(piece: PlacedQuery): Query {
  switch (piece.kind) {
    case 'leaf':
      return piece.query;
    case 'not':
      return not(queryOf(piece.of));
    case 'all':
      return all(piece.of.map(queryOf));
    case 'any':
      return any(piece.of.map(queryOf));
  }
}
