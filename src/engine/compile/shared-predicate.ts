/** A predicate of one or more rules that is no term: it is kept once for all of them, and decided at most once for an event. */
import type { Pattern } from '../../rules/pattern/pattern.ts';
import type { Predicate } from '../../rules/query.ts';

export type Tested = Exclude<Predicate, { kind: 'term' | 'phrase' | 'upstream' }>;

export interface SharedPredicate {
  readonly key: string;
  readonly number: number;
  readonly predicate: Tested;
  /** An event's words are tried on it; where making it threw, the error is here. */
  pattern: Pattern | { readonly error: unknown } | undefined;
  uses: number;
  /** How many rules are anchored on it, and the term they are anchored on. */
  anchored: number;
  term: number;
  /** The number of the event that it was last decided on, and the outcome. */
  decidedOn: number;
  verdict: boolean;
}
