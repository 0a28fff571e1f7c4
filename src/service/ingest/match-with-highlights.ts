/** A match on its way to the store: its rule, and the highlights that show why the event matched. */
import type { Platform } from '../../domain/platform.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import type { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { CommitMatch } from '../../store/store.ts';
import type { Found } from './found-rule.ts';
import type { Matching } from './matching.ts';

/** `lookup` serves all matches of its event; its `steps` say how much work they have taken. */
export function matchWithHighlights(
  matching: Pick<Matching, 'queryOf'>,
  platform: Platform,
  lookup: ViewLookup,
  { ruleId, version, text }: Found,
): CommitMatch {
  const query = matching.queryOf(platform, text);
  return { ruleId, version, highlights: query ? highlights(query, lookup) : [] };
}
