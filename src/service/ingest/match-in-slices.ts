/** Matches one event against the live rules with pauses, where its length or the rules make that take long. */
import { setImmediate } from 'node:timers/promises';
import { inSlices } from '../../base/cooperate.ts';
import type { CoreEngine } from '../../engine/core/core-engine.ts';
import { isLong, isSpent, type MatchBudget } from '../../engine/core/match-budget.ts';
import type { MatchReport } from '../../engine/core/reports.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { holdsInParts } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';

/** Steps between two pauses: some 5 milliseconds. */
export const STEPS_AT_ONCE = 20_000;
const WORDS_AT_ONCE = 32_768;
/** Parsing a rule takes as long as so many steps. */
const PARSE_STEPS = 400;

/** The complete report. The view must stay valid until then, so its analyzer may not be used meanwhile. */
export async function matchInSlices(engine: CoreEngine, view: EventView, budget: MatchBudget): Promise<MatchReport> {
  if (isLong(view)) await inSlices(engine.prepare(view, budget), WORDS_AT_ONCE);
  let evaluated = 0;
  for (;;) {
    const report = engine.match(view, budget);
    evaluated += report.evaluated;
    if (!isSpent(budget)) return { ...report, evaluated };
    await setImmediate();
    await inSlices(engine.decideOpen(view, budget), STEPS_AT_ONCE);
  }
}

/**
 * Matches rules whose phrases took more steps than one turn may have, one by one: the search for a phrase may pause here, which
 * the core cannot. The event waits for these rules; requests are answered in between. `queryOf` knows no rule that has gone meanwhile.
 */
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
