/**
 * The query: what a rule means, whichever language it was written in. Plain data, with everything that matching needs
 * inside it, so that the engine never asks which language a query came from.
 *
 * An event has *fields*, and a field holds *terms* at positions: the words of a text, or, in an exact field, one term
 * for each value (`hashtag`, `from`, `language`, `has`, …). Terms are stored folded as the field's platform folds them
 * (`x`: NFC and full lower case; page text: simple lower case; page keywords: untouched), so that matching is equality.
 */
export type Query =
  | { readonly kind: 'all'; readonly of: readonly Query[] }
  | { readonly kind: 'any'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly query: Query }
  /** Matches every event; `nothing` matches none. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  | Predicate;

export type Predicate =
  /** The field holds this term. */
  | { readonly kind: 'term'; readonly field: string; readonly term: string }
  /**
   * The terms stand at these relative positions (null is a hole, any word or none); for matched positions p and
   * offsets o, max(p − o) − min(p − o) ≤ slop.
   */
  | {
      readonly kind: 'phrase';
      readonly field: string;
      readonly terms: readonly (string | null)[];
      readonly slop: number;
    }
  /**
   * The folded text stands in one piece of the field, character for character, not beginning or ending inside a word.
   * `terms` are its words in order: an event without them at adjacent positions cannot match.
   */
  | { readonly kind: 'literal'; readonly field: string; readonly text: string; readonly terms: readonly string[] }
  /** Some value of the field contains the folded text, word edges or not. */
  | { readonly kind: 'contains'; readonly field: string; readonly text: string }
  | { readonly kind: 'prefix'; readonly field: string; readonly prefix: string }
  /** `*` is any run, `?` one character, `\` makes the next character plain. The whole term must fit. */
  | { readonly kind: 'wildcard'; readonly field: string; readonly pattern: string }
  /** A Lucene regular expression; the whole term must fit. */
  | { readonly kind: 'regex'; readonly field: string; readonly pattern: string }
  /** A term within this many edits (insert, delete, replace, swap neighbours), counted in code points. */
  | { readonly kind: 'fuzzy'; readonly field: string; readonly term: string; readonly edits: number }
  /** A term between the bounds in code point order; an absent bound is open. */
  | { readonly kind: 'range'; readonly field: string; readonly from?: Bound<string>; readonly to?: Bound<string> }
  | { readonly kind: 'number'; readonly field: string; readonly from?: Bound<number>; readonly to?: Bound<number> }
  /** The field holds at least one term. */
  | { readonly kind: 'exists'; readonly field: string }
  /** The event's point, or else the whole of its place, lies inside. Degrees; metres. */
  | { readonly kind: 'circle'; readonly longitude: number; readonly latitude: number; readonly radius: number }
  | {
      readonly kind: 'box';
      readonly west: number;
      readonly south: number;
      readonly east: number;
      readonly north: number;
    }
  /** A stable share, in percent, of all events, chosen by the event's id. */
  | { readonly kind: 'sample'; readonly percent: number }
  /** Published at most this long before the moment of matching. */
  | { readonly kind: 'recent'; readonly milliseconds: number }
  /** Only the upstream itself can judge this; here it never holds. */
  | {
      readonly kind: 'upstream';
      readonly operator: 'embedding';
      readonly value: string;
      readonly threshold?: number;
    };

export interface Bound<T> {
  readonly value: T;
  readonly inclusive: boolean;
}

export const EVERYTHING: Query = { kind: 'everything' };
export const NOTHING: Query = { kind: 'nothing' };

/** Joins parts so that nested joins are flat, constants are folded away, and a join of one is that one. */
export function all(parts: readonly Query[]): Query {
  return join('all', parts, 'everything', 'nothing');
}

export function any(parts: readonly Query[]): Query {
  return join('any', parts, 'nothing', 'everything');
}

export function not(query: Query): Query {
  switch (query.kind) {
    case 'not':
      return query.query;
    case 'everything':
      return NOTHING;
    case 'nothing':
      return EVERYTHING;
    default:
      return { kind: 'not', query };
  }
}

function join(
  kind: 'all' | 'any',
  parts: readonly Query[],
  neutral: 'everything' | 'nothing',
  decisive: 'everything' | 'nothing',
): Query {
  const of: Query[] = [];
  for (const part of parts) {
    if (part.kind === decisive) return part;
    if (part.kind === kind) of.push(...part.of);
    else if (part.kind !== neutral) of.push(part);
  }
  if (of.length === 0) return { kind: neutral };
  return of.length === 1 ? of[0]! : { kind, of };
}
