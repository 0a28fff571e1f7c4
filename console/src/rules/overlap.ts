/** How much rules have in common, as a table and in sentences. Pure. */
import type { Overlap } from '../data/queries.ts';

export interface OverlapPair {
  readonly a: string;
  readonly b: string;
  readonly shared: number;
  /** The share of the smaller of the two rules, between 0 and 1: at 1 the other rule finds all that it finds. */
  readonly share: number;
}

/** The pairs that have most in common come first. */
export function overlapPairs({ rules, pairs }: Pick<Overlap, 'rules' | 'pairs'>): OverlapPair[] {
  const sizes = new Map(rules.map(({ rule_id, matches }) => [rule_id, matches]));
  return pairs
    .map(({ a, b, shared }) => {
      const smaller = Math.min(sizes.get(a) ?? 0, sizes.get(b) ?? 0);
      // A rule may match an event more than once, for instance a post that was edited.
      return { a, b, shared, share: smaller === 0 ? 0 : Math.min(1, shared / smaller) };
    })
    .toSorted((one, other) => other.share - one.share || other.shared - one.shared);
}

/** Rows and columns are the rules in their order. A rule is not compared with itself. */
export function overlapTable({ rules, pairs }: Pick<Overlap, 'rules' | 'pairs'>): (number | null)[][] {
  const places = new Map(rules.map(({ rule_id }, at) => [rule_id, at]));
  const table = rules.map((_, row) => rules.map((__, column): number | null => (row === column ? null : 0)));
  for (const { a, b, shared } of pairs) {
    const [row, column] = [places.get(a), places.get(b)];
    if (row === undefined || column === undefined) continue;
    table[row]![column] = shared;
    table[column]![row] = shared;
  }
  return table;
}

/** From half on, two rules are worth a look: one may do for both. */
export const isMuch = ({ share }: OverlapPair): boolean => share >= 0.5;
