/** Which of several queries match which of several events. */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';

export interface Trial {
  readonly platform: Platform;
  readonly queries: readonly Query[];
  readonly now: number;
  readonly checkpoint: () => void;
}

/** For each event the numbers of the queries that match it; undefined for what is no event. */
export function judgeTexts(
  { platform, queries, now, checkpoint }: Trial,
  payloads: readonly Payload[],
): (readonly number[] | undefined)[] {
  const analyze = newAnalyzer(platform);
  return payloads.map((payload) => {
    checkpoint();
    const view = analyze(payload);
    if (isRejection(view)) return undefined;
    const lookup = new ViewLookup(view, now);
    return queries.flatMap((query, number) => (queryHolds(query, lookup) ? [number] : []));
  });
}
