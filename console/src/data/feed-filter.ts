/** Which matches the feed, the facets and the exports are about, as the API wants it. */
import type { Match } from '../../../packages/client/src/index.ts';

export interface FeedFilter {
  readonly rule_id?: string;
  readonly platform?: Match['platform'];
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly story_id?: string;
  readonly author?: string;
  readonly domain?: string;
  readonly language?: string;
  readonly source?: string;
}
