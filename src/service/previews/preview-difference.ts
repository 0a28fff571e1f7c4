/** What a changed text would match that the present one does not, and the other way round, on the recent events. */
import { isDemo } from '../../domain/source.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { createAnalysis, prepareLookup } from '../ingest/analysis.ts';
import { type LookedAt, overRecent, STEP_COST, type TriedEvent, type TryOut } from './try-on-recent.ts';

/** Events that one of the two texts alone matches. */
export interface OnlyOne {
  matched: number;
  /** How many of them are not invented. */
  realMatched: number;
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
  signal: AbortSignal,
): Promise<TextDifference> {
  const analyze = createAnalysis(platform);
  const found = { added: none(), removed: none() };
  const lookedAt = await overRecent(recent, signal, async ({ event: { postId, payload, source }, at }) => {
    const view = await analyze(payload);
    if (isRejection(view)) return 0;
    const lookup = new ViewLookup(view, now);
    const isAdded = queryHolds(query, lookup);
    if (isAdded === queryHolds(was, lookup)) return view.words.count;
    const side = isAdded ? found.added : found.removed;
    side.matched++;
    if (!isDemo({ source })) side.realMatched++;
    if (side.matches.length >= limit || !shown.hasRoom()) return view.words.count;
    shown.add(payload);
    await prepareLookup(lookup);
    side.matches.push({ postId, at, payload, source, highlights: highlights(isAdded ? query : was, lookup) });
    return view.words.count + STEP_COST * lookup.steps;
  });
  return { ...found, lookedAt };
}

const none = (): OnlyOne => ({ matched: 0, realMatched: 0, matches: [] });
