/** Matches one event against the live rules with pauses, where its length or the rules make that take long. */
import { setImmediate } from 'node:timers/promises';
import { inSlices } from '../../base/cooperate.ts';
import type { CoreEngine } from '../../engine/core/core-engine.ts';
import { isLong, isSpent, type MatchBudget } from '../../engine/core/match-budget.ts';
import type { MatchReport } from '../../engine/core/reports.ts';
import type { EventView } from '../../engine/events/event-view.ts';

/** Steps between two pauses: some 5 milliseconds. */
export const STEPS_AT_ONCE = 20_000;
const WORDS_AT_ONCE = 32_768;

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
