/** Explains to a person what an event has in common with the one that began its story. */
import type { Platform } from '../domain/platform.ts';
import { comparedEvent, type StoryText } from './story-text.ts';
import { comparedWords } from './words.ts';

/** An event joins by the same post or a repeat of it, a link to the same thing, the same text, or words. */
export const JOINED_BY = ['post', 'link', 'text', 'words'] as const;

export interface JoinedBy {
  readonly by: (typeof JOINED_BY)[number];
  /** In the order of the text, without their endings. None where it joined by words that came into the story later. */
  readonly words: readonly string[];
}

interface Told extends StoryText {
  readonly platform: Platform;
}

const MAX_WORDS = 10;
const NOTHING = { text: '', links: [], posts: [] };

export function joinedBy(first: Told, { platform, text, links, posts }: Told): JoinedBy {
  const begun = new Set(comparedEvent(first.platform, first).marks);
  const has = (part: Partial<StoryText>) =>
    comparedEvent(platform, { ...NOTHING, ...part }).marks.some((mark) => begun.has(mark));
  const known = new Set(comparedWords(first.text));
  const words = [...new Set(comparedWords(text))].filter((word) => known.has(word)).slice(0, MAX_WORDS);
  if (has({ posts })) return { by: 'post', words };
  if (has({ links })) return { by: 'link', words };
  return { by: has({ text }) ? 'text' : 'words', words };
}
