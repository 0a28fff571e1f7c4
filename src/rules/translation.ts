/** What a translation says: the text, and clause by clause what became of the meaning. */
import type { Query } from './query.ts';

export interface Translation {
  /** Undefined when nothing that the other language accepts is left. */
  readonly text: string | undefined;
  readonly clauses: readonly TranslatedClause[];
}

export interface TranslatedClause {
  /** The clause in its own language, its negation included. */
  readonly clause: string;
  /** Empty where the clause always holds over there; undefined where it was left out. */
  readonly becomes: string | undefined;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Wider: it also matches more than the clause did. Impossible: it was left out. */
export type Verdict = 'exact' | 'wider' | 'narrower' | 'impossible';

/** What one predicate becomes. */
export type Rendering =
  | { readonly query: Query; readonly verdict: Exclude<Verdict, 'impossible'>; readonly reason: string }
  | { readonly impossible: string };
