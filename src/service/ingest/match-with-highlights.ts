/** A match on its way to the store: its rule, and the highlights that show why the event matched. */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import type { CommitMatch } from '../../store/store.ts';
import type { Matching } from './matching.ts';
import type { Found } from './platform-rules.ts';

export function matchWithHighlights(
  matching: Pick<Matching, 'queryOf'>,
  clock: Clock,
  platform: Platform,
  view: EventView,
  { ruleId, version, text }: Found,
): CommitMatch {
  const query = matching.queryOf(platform, text);
  return { ruleId, version, highlights: query ? highlights(query, view, clock.now().getTime()) : [] };
}
