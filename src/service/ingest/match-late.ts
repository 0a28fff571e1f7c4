/**
 * Rules whose phrases took more steps than one turn may have are matched one by one: the search for a phrase may pause here,
 * which the core cannot. The event waits for these rules; requests are answered in between.
 */
import { inSlices } from '../../base/cooperate.ts';
import type { MatchReport } from '../../engine/core/reports.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { holdsInParts } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { STEPS_AT_ONCE } from './match-in-slices.ts';

/** What parsing a rule takes, in steps. */
const PARSE_STEPS = 400;

/** `queryOf` knows no rule that has gone meanwhile. */
export async function matchLate(
  view: EventView,
  ruleIds: readonly string[],
  queryOf: (ruleId: string) => Query | undefined,
  now: () => number,
): Promise<Pick<MatchReport, 'matches' | 'failures'>> {
  const report: Pick<MatchReport, 'matches' | 'failures'> = { matches: [], failures: [] };
  await inSlices(matchOneByOne(new ViewLookup(view, now()), ruleIds, queryOf, report), STEPS_AT_ONCE);
  return report;
}

function* matchOneByOne(
  lookup: ViewLookup,
  ruleIds: readonly string[],
  queryOf: (ruleId: string) => Query | undefined,
  { matches, failures }: Pick<MatchReport, 'matches' | 'failures'>,
): Generator<number, void> {
  for (const ruleId of ruleIds) {
    const query = queryOf(ruleId);
    yield PARSE_STEPS;
    if (query === undefined) continue;
    try {
      if (yield* holdsInParts(query, lookup)) matches.push(ruleId);
    } catch (error) {
      failures.push({ ruleId, error });
    }
  }
}
