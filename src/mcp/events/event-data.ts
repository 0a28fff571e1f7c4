/** The `data` of an event about a match: text by strangers is in `untrusted_content`, and nowhere else. */
import type { Match } from '../../domain/match.ts';
import { briefEventData } from '../../service/event-data.ts';
import { showMatch } from '../show-match.ts';

export function eventData(match: Match, { brief }: { readonly brief: boolean }): object {
  if (brief) return briefEventData(match);
  const { id, ...shown } = showMatch(match, 'concise');
  return { match_id: id, ...shown, ...(match.storyId !== undefined && { story_id: match.storyId }) };
}
