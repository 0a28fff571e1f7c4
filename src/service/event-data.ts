import type { Match } from '../domain/match.ts';
import { isDemo } from '../domain/source.ts';

/** What an event says of a match without any text by strangers. `brief` tells the receiver to look the match up. */
export const briefEventData = (match: Match) => ({
  match_id: match.id,
  rule_id: match.ruleId,
  at: match.createdAt.toISOString(),
  platform: match.platform,
  ...(isDemo(match) && { demo: true }),
  ...(match.storyId !== undefined && { story_id: match.storyId }),
  brief: true,
});
