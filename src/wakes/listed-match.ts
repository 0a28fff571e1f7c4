/** A match as List Matches and streams write it, as something that a digest can tell of. */
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import type { Digestible } from './digest.ts';

export interface ListedMatch {
  readonly id: string;
  readonly created_at: string;
  readonly platform: Platform;
  readonly platform_post_id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly payload: Payload;
  readonly source?: string | undefined;
  readonly story_id?: string | null | undefined;
  readonly relevance?: number | null | undefined;
  readonly judged?: { readonly relevant: boolean } | undefined;
}

export const fromListed = (listed: ListedMatch): Digestible => ({
  id: listed.id,
  createdAt: new Date(listed.created_at),
  platform: listed.platform,
  platformPostId: listed.platform_post_id,
  ruleId: listed.rule_id,
  ruleName: listed.rule_name,
  payload: listed.payload,
  source: listed.source,
  storyId: listed.story_id ?? undefined,
});
