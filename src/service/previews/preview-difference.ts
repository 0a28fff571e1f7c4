/** Finds the recent events that a changed text would match and the present one does not, and the other way round. */
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { type LookedAt, overRecent, type RecentWalk, type TriedEvent, type TryOut } from './try-on-recent.ts';

/** Events that one of the two texts alone matches. */
export interface OnlyOne {
  matched: number;
  /** When those of them that are not invented arrived. */
  readonly realTimes: number[];
  /** The newest, up to the limit and while the answer has room. */
  readonly matches: TriedEvent[];
}

export interface TextDifference {
  readonly lookedAt: LookedAt;
  readonly added: OnlyOne;
  readonly removed: OnlyOne;
}

/** `tryOut.query` is the changed text, `was` the present one. One walk with both. */
export async function differenceOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  { platform, query, now, limit, shown }: TryOut,
  was: Query,
  walk: RecentWalk,
): Promise<TextDifference> {
  const analyze = newAnalyzer(platform);
  const found = { added: none(), removed: none() };
  const lookedAt = await overRecent(recent, walk, ({ event: { postId, payload, source }, at }) => {
    const view = analyze(payload);
    if (isRejection(view)) return;
    const lookup = new ViewLookup(view, now);
    const isAdded = queryHolds(query, lookup);
    if (isAdded === queryHolds(was, lookup)) return;
    const side = isAdded ? found.added : found.removed;
    side.matched++;
    if (!isDemo({ source })) side.realTimes.push(at.getTime());
    if (side.matches.length >= limit || !shown.hasRoom()) return;
    shown.add(payload);
    side.matches.push({ postId, at, payload, source, highlights: highlights(isAdded ? query : was, lookup) });
  });
  return { ...found, lookedAt };
}

const none = (): OnlyOne => ({ matched: 0, realTimes: [], matches: [] });
