/** A predicate of one or more rules that is no term, kept once and decided at most once for an event. */
import type { Pattern } from '../../rules/pattern/pattern.ts';
import type { Predicate } from '../../rules/query.ts';

export type Tested = Exclude<Predicate, { kind: 'term' | 'phrase' | 'upstream' }>;

export interface SharedPredicate {
  readonly key: string;
  readonly number: number;
  readonly predicate: Tested;
  /** What an event's words are tried on, or the error of making it. */
  pattern: Pattern | { readonly error: unknown } | undefined;
  /** Units that a fitting word has at least: long patterns are not even begun on short words. */
  readonly shortest: number;
  uses: number;
  /** Rules anchored on it, and the term they are anchored on. */
  anchored: number;
  term: number;
  /** The number of the event that it was last decided on, and the outcome. */
  decidedOn: number;
  verdict: boolean;
}

/** Makes the predicate's pattern ready to be tried, and answers the steps that took. */
export function preparePattern(held: SharedPredicate): number {
  if (held.pattern === undefined || 'error' in held.pattern) return 0;
  try {
    return held.pattern.prepare();
  } catch (error) {
    held.pattern = { error };
    return 0;
  }
}
