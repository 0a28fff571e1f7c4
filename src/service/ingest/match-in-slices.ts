/** Matches one event with pauses, for rules with too many patterns to match without blocking other work. */
import { inSlices } from '../../base/cooperate.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import type { Engine, MatchReport } from '../../engine/index/engine.ts';
import { newPatternBudget, type PatternBudget } from '../../engine/index/pattern-budget.ts';

/** Steps between two pauses: some 5 milliseconds. */
const STEPS_AT_ONCE = 50_000;

/** The complete report. The view must stay valid until then, so its analyzer may not be used meanwhile. */
export async function matchInSlices(
  engine: Engine,
  view: EventView,
  budget: PatternBudget = newPatternBudget(),
): Promise<MatchReport> {
  for (;;) {
    const report = engine.match(view, budget);
    if (budget.open.size === 0) return report;
    await inSlices(engine.settle(view, budget), STEPS_AT_ONCE);
  }
}
