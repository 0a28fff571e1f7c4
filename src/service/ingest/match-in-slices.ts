/** Matches one event with pauses, where its length or the rules make that take long. */
import { setImmediate } from 'node:timers/promises';
import { createTurns, inSlices } from '../../base/cooperate.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import type { Engine, MatchReport } from '../../engine/index/engine.ts';
import { isLong, isSpent, newPatternBudget, type PatternBudget } from '../../engine/index/pattern-budget.ts';

/** Steps between two pauses: some 5 milliseconds. */
const STEPS_AT_ONCE = 20_000;
const WORDS_AT_ONCE = 32_768;

/** Patterns may take many steps on each of very many short events. */
const turns = createTurns(STEPS_AT_ONCE);

/** The complete report. The view must stay valid until then, so its analyzer may not be used meanwhile. */
export async function matchInSlices(
  engine: Engine,
  view: EventView,
  budget: PatternBudget = newPatternBudget(),
): Promise<MatchReport> {
  if (isLong(view)) await inSlices(engine.lookUp(view, budget), WORDS_AT_ONCE);
  return matchOnce(engine, view, budget);
}

/** The same without a promise, where there is nothing to wait for. */
export function matchSoon(engine: Engine, view: EventView, budget: PatternBudget): MatchReport | Promise<MatchReport> {
  return isLong(view) ? matchInSlices(engine, view, budget) : matchOnce(engine, view, budget);
}

function matchOnce(engine: Engine, view: EventView, budget: PatternBudget): MatchReport | Promise<MatchReport> {
  const { left } = budget;
  const report = engine.match(view, budget);
  if (isSpent(budget)) return matchRest(engine, view, budget, report);
  const pausing = turns(left - budget.left);
  return pausing === undefined ? report : pausing.then(() => report);
}

async function matchRest(
  engine: Engine,
  view: EventView,
  budget: PatternBudget,
  whole: MatchReport,
): Promise<MatchReport> {
  while (isSpent(budget)) {
    await setImmediate();
    await inSlices(engine.settle(view, budget), STEPS_AT_ONCE);
    const { matches, evaluated, failures } = engine.match(view, budget);
    for (const ruleId of matches) whole.matches.push(ruleId);
    whole.evaluated += evaluated;
    whole.failures = [...whole.failures, ...failures];
  }
  return whole;
}
