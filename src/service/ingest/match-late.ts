/**
 * Rules whose phrases took more steps than one turn may have are matched by themselves: the index in TypeScript may pause
 * after any phrase, which the core cannot. The event waits for these rules; requests are answered in between.
 */
import { createPauses } from '../../base/cooperate.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createEngine, type MatchReport } from '../../engine/index/engine.ts';
import type { Query } from '../../rules/query.ts';
import { matchInSlices } from './match-in-slices.ts';

/** Rules put between two pauses: some milliseconds. */
const RULES_AT_ONCE = 50;

/** `queryOf` knows no rule that has gone meanwhile. */
export async function matchLate(
  view: EventView,
  ruleIds: readonly string[],
  queryOf: (ruleId: string) => Query | undefined,
  now: () => number,
): Promise<MatchReport> {
  const engine = createEngine({ now });
  const pause = createPauses(RULES_AT_ONCE);
  for (const ruleId of ruleIds) {
    const query = queryOf(ruleId);
    if (query !== undefined) engine.put(ruleId, query);
    await pause(1);
  }
  return matchInSlices(engine, view);
}
