/** Which clause of a rule an event fails: an event that all clauses but one match was missed by that one. */
import type { EventView } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { RuleClause } from '../../rules/analysis/placed-query.ts';
import type { Query } from '../../rules/query.ts';

export interface JoinedClauses {
  readonly clauses: readonly RuleClause[];
  /** This must hold beside the clauses, and is no part of the text. */
  readonly also: Query;
  readonly now: () => number;
}

/** The one clause that does not hold for an event, by its number; or `none`, or `several`. */
export type FailedClause = number | 'none' | 'several';

export const clauseMatcher =
  ({ clauses, also, now }: JoinedClauses) =>
  (view: EventView, lookup = new ViewLookup(view, now())): FailedClause => {
    if (!queryHolds(also, lookup)) return 'several';
    let failed: FailedClause = 'none';
    for (const [number, { query }] of clauses.entries()) {
      if (queryHolds(query, lookup)) continue;
      if (failed !== 'none') return 'several';
      failed = number;
    }
    return failed;
  };
