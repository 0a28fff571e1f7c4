/** How many more recent events changed rules would have matched. */

import type { Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { type LookedAt, overRecent, type RecentWalk } from '../previews/try-on-recent.ts';

export interface TriedChanges extends LookedAt {
  readonly matched: number;
  /** Without those that the demo feed invented. */
  readonly realMatched: number;
  /** For each change, how many recent events it matches that the rule does not. */
  readonly added: readonly { readonly all: number; readonly real: number }[];
}

export async function tryChanges(
  recent: AsyncIterable<readonly RecentEvent[]>,
  { platform, query, ...walk }: TriedRule,
  changes: readonly { readonly query: Query }[],
): Promise<TriedChanges> {
  const analyze = newAnalyzer(platform);
  const added = changes.map(() => ({ all: 0, real: 0 }));
  let [matched, realMatched] = [0, 0];
  const lookedAt = await overRecent(recent, walk, ({ event, at }) => {
    const view = analyze(event.payload);
    if (isRejection(view)) return;
    const lookup = new ViewLookup(view, at.getTime());
    const real = isDemo(event) ? 0 : 1;
    if (queryHolds(query, lookup)) {
      matched++;
      realMatched += real;
      return;
    }
    for (const [number, change] of changes.entries()) {
      if (!queryHolds(change.query, lookup)) continue;
      added[number]!.all++;
      added[number]!.real += real;
    }
  });
  return { ...lookedAt, matched, realMatched, added };
}

interface TriedRule extends RecentWalk {
  readonly platform: Platform;
  readonly query: Query;
}
