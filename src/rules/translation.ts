/** The result of a translation: the text, and clause by clause what became of the meaning. */
import type { Predicate, Query } from './query.ts';

export interface Translation {
  /** It is undefined when nothing that the other language accepts is left. */
  readonly text: string | undefined;
  /** The query that `text` is read as. */
  readonly query: Query | undefined;
  /** The verdict on the whole, joined from the clauses. It is impossible when there is no text. */
  readonly verdict: TranslationVerdict;
  readonly clauses: readonly TranslatedClause[];
}

export interface TranslatedClause {
  /** The clause in its own language, its negation included. */
  readonly clause: string;
  /** Empty where the clause always holds over there; undefined where it was left out. */
  readonly becomes: string | undefined;
  readonly verdict: TranslationVerdict;
  /** The effect on the whole of leaving it out; undefined when it was kept, and when nothing of the whole is left. */
  readonly leftOut: 'wider' | 'narrower' | undefined;
  readonly reason: string;
  /** The queries on both sides, the negation included. */
  readonly source: Query;
  readonly target: Query | undefined;
}

/**
 * How two queries compare on a post and a page that say the same (the page's address is a link of the post, its title
 * stands in the post). Exact: a proof says that they hold for the same ones. Wider: the other holds wherever the one does.
 * Differs: neither holds wherever the other does.
 *
 * Left aside are texts that hardly exist and that both sides cut in ways of their own: private-use characters, numbers
 * that are no digits (㈠), letters of scripts that have no word rules (Tangut, Tai Tham), marks with no letter before them,
 * and words of more than 255 units.
 */
export type Direction = 'exact' | 'wider' | 'narrower' | 'differs';

/** Impossible: it was left out. */
export type TranslationVerdict = Direction | 'impossible';

/** The translation of one predicate. */
export type Rendering =
  | {
      readonly query: Query;
      readonly verdict: Direction;
      readonly reason: string;
      /** The reason in place of that, where the clause is excluded. */
      readonly excluded?: string;
    }
  | { readonly impossible: string };

/** A predicate, or the two alternatives that `place:` and `lang:zh-CN` stand for. */
export type Unit = Predicate | { readonly kind: 'any'; readonly of: readonly [Predicate, Predicate] };

const OPPOSITE: Readonly<Record<Direction, Direction>> = {
  exact: 'exact',
  wider: 'narrower',
  narrower: 'wider',
  differs: 'differs',
};

/** The direction of the negation. */
export const opposite = (direction: Direction): Direction => OPPOSITE[direction];

/** The direction of parts joined by AND or OR: wider if any part is wider, narrower if any is, `differs` if both. */
export function joined(directions: readonly Direction[]): Direction {
  const wider = directions.some((one) => one === 'wider' || one === 'differs');
  const narrower = directions.some((one) => one === 'narrower' || one === 'differs');
  if (wider && narrower) return 'differs';
  return wider ? 'wider' : narrower ? 'narrower' : 'exact';
}
