/** A query as it stands in the rule's text: what the analysis looks at, in both languages. */
import type { Fix, Span } from '../diagnostic.ts';
import { all, any, not, type Predicate, type Query } from '../query.ts';
import type { Relations } from './implications.ts';

export type PlacedQuery = PlacedJoin | PlacedNot | PlacedLeaf;

export interface PlacedJoin extends Span {
  readonly kind: 'all' | 'any';
  readonly of: readonly PlacedQuery[];
}

export interface PlacedNot extends Span {
  readonly kind: 'not';
  readonly of: PlacedQuery;
}

export interface PlacedLeaf extends Span {
  readonly kind: 'leaf';
  readonly query: Query;
  /** Equal for equal queries, once it was asked for. */
  key?: string;
  /** Why it can never hold, where the text says so and the query does not. */
  readonly dead?: Dead;
}

export interface Dead {
  /** One sentence, without what follows for the rule as a whole. */
  readonly why: string;
  readonly fixes?: readonly Fix[];
}

/** The known facts about the events of a platform. */
export interface EventFacts {
  /** The word for an event. */
  readonly event: 'post' | 'page';
  /** Why no event has this, and what was probably meant. */
  impossible(predicate: Predicate, piece: PlacedLeaf): Dead | undefined;
  /** Whether every event has this, or nearly every one. */
  common(predicate: Predicate): 'every' | 'most' | undefined;
  /** The relations between clauses. `single` names what an event has one of at most. */
  readonly relations: Relations;
  /** Edits in the platform's syntax. */
  either(one: PlacedLeaf, other: PlacedLeaf): readonly Fix[];
  without(piece: PlacedQuery, join: 'all' | 'any'): readonly Fix[];
}

export interface RuleFinding extends Span {
  readonly code: 'never-matches' | 'matches-everything' | 'pointless-clause';
  readonly message: string;
  readonly fixes: readonly Fix[];
}

export interface RuleClause extends Span {
  readonly query: Query;
}

/** The clauses that a rule joins by AND at its top, each with its place in the text: the rule matches where all hold. */
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
