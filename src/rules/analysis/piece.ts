/** A query as it stands in the rule's text: what the analysis looks at, in both languages. */
import type { Fix, Span } from '../diagnostic.ts';
import type { Predicate, Query } from '../query.ts';

export type Piece = PieceJoin | PieceNot | PieceLeaf;

export interface PieceJoin extends Span {
  readonly kind: 'all' | 'any';
  readonly of: readonly Piece[];
}

export interface PieceNot extends Span {
  readonly kind: 'not';
  readonly of: Piece;
}

export interface PieceLeaf extends Span {
  readonly kind: 'leaf';
  readonly query: Query;
  /** Why it can never hold, where the text says so and the query does not. */
  readonly dead?: Dead;
}

export interface Dead {
  /** One sentence, without what follows for the rule as a whole. */
  readonly why: string;
  readonly fixes?: readonly Fix[];
}

/** What is known about the events of a platform. */
export interface Facts {
  /** What an event is called. */
  readonly event: 'post' | 'page';
  /** Why no event has this, and what was probably meant. */
  impossible(predicate: Predicate, piece: PieceLeaf): Dead | undefined;
  /** Whether every event has this, or nearly every one. */
  common(predicate: Predicate): 'every' | 'most' | undefined;
  /** What an event has one of at most, by field: two different values never hold together. */
  single(field: string): string | undefined;
  /** Edits in the platform's syntax. */
  either(one: PieceLeaf, other: PieceLeaf): readonly Fix[];
  without(piece: Piece, join: 'all' | 'any'): readonly Fix[];
}

export interface Finding extends Span {
  readonly code: 'never-matches' | 'matches-everything' | 'pointless-clause';
  readonly message: string;
  readonly fixes: readonly Fix[];
}
