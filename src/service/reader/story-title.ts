/** A story is called by the title of a page or the text of a post, on one line, cut at a word. */
import { textIn } from '../../base/json.ts';
import type { Match } from '../../domain/match.ts';
import { shownText } from '../../signal/shown-text.ts';

const LONGEST = 140;
/** A word longer than the rest is cut itself. */
const SHORTEST = 60;

export function storyTitle({ platform, payload }: Pick<Match, 'platform' | 'payload'>): string {
  const text = (platform === 'firehose' ? textIn(payload['title']) : undefined) ?? shownText(platform, payload);
  // More than the longest title takes in UTF-16 units, with room for spaces.
  const line = text
    .slice(0, 10 * LONGEST)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= LONGEST) return line;
  const cut = characters.slice(0, LONGEST - 1).join('');
  const end = cut.lastIndexOf(' ');
  return `${end < SHORTEST ? cut : cut.slice(0, end)}…`;
}
