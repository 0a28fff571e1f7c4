/** Which of several queries match which of several events. */
import { createPauses } from '../../base/cooperate.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { createAnalysis } from '../ingest/analysis.ts';

/** Words and rules between two pauses: a few milliseconds of work. */
const SLICE = 8_000;
const EVENT_COST = 50;

export interface Trial {
  readonly platform: Platform;
  readonly queries: readonly Query[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/** For each event the numbers of the queries that match it; undefined for what is no event. */
export async function judgeTexts(
  { platform, queries, now, signal }: Trial,
  payloads: readonly Payload[],
): Promise<(readonly number[] | undefined)[]> {
  const analyze = createAnalysis(platform);
  const pause = createPauses(SLICE);
  const judged: (readonly number[] | undefined)[] = [];
  for (const payload of payloads) {
    signal.throwIfAborted();
    const view = await analyze(payload);
    if (isRejection(view)) {
      judged.push(undefined);
      continue;
    }
    const lookup = new ViewLookup(view, now);
    judged.push(queries.flatMap((query, number) => (queryHolds(query, lookup) ? [number] : [])));
    const pausing = pause(view.words.count + queries.length + EVENT_COST);
    if (pausing !== undefined) await pausing;
  }
  return judged;
}
