import type { Match } from '../../domain/match.ts';
import { isDemo } from '../../domain/source.ts';
import type { Digest } from '../../domain/wake.ts';

/**
 * The fields of a match in an event, without any text by strangers. `brief` tells the receiver to look the match up.
 */
export const briefEventData = (match: Match) => ({
  match_id: match.id,
  rule_id: match.ruleId,
  at: match.createdAt.toISOString(),
  platform: match.platform,
  ...(isDemo(match) && { demo: true }),
  ...(match.storyId !== undefined && { story_id: match.storyId }),
  brief: true,
});

/** Matches that are named in the digest of an event. */
const MOST_NAMED = 100;

/** The fields of held matches in an event, without any text by strangers. The newest of them stands for all. */
export const briefEventDigest = (digest: Digest, newest: Match) => ({
  ...briefEventData(newest),
  digest: {
    since: digest.since,
    until: digest.until,
    match_count: digest.match_count,
    story_count: digest.story_count,
    match_ids: digest.stories.flatMap(({ match_ids }) => match_ids).slice(0, MOST_NAMED),
  },
});
