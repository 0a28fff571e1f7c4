/** An entry of a forum in X's shape: its title and its text are the post. */
import { type LinkDraft, MAX_POST_TEXT, type Post, type PostDraft, xPostOf } from '../contract/post.ts';
import { linksIn } from '../text/plain-text.ts';
import { type EntryVersion, entryStem } from './listing-memory.ts';

export interface ForumFacts {
  readonly url: string;
  readonly author: PostDraft['author'];
  /** Links outside the text. */
  readonly links?: readonly LinkDraft[];
  /** Ids of entries, as the list has them. */
  readonly repliesTo?: string | undefined;
  readonly conversation?: string | undefined;
  readonly media?: PostDraft['media'];
}

const HASHTAG = /(?<![\p{L}\p{N}_&/#])#([\p{L}\p{N}_]*[\p{L}][\p{L}\p{N}_]*)/gu;

export function forumPostOf(source: string, { id, entry }: EntryVersion, facts: ForumFacts): Post {
  // The rest is not in the post, and would take long to look through.
  const text = [entry.title, entry.content || entry.summary]
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, MAX_POST_TEXT);
  const inText = linksIn(text);
  return xPostOf({
    source,
    id,
    url: facts.url,
    text,
    author: facts.author,
    language: entry.language,
    createdAt: entry.published ?? entry.updated ?? new Date(Number.NaN),
    hashtags: [...text.matchAll(HASHTAG)].map(({ 0: shown, 1: tag, index }) => ({
      tag: tag!,
      at: { start: index, end: index + shown.length },
    })),
    links: [...inText, ...(facts.links ?? []).filter(({ url }) => !inText.some((link) => link.url === url))],
    media: facts.media ?? [],
    repliesTo: facts.repliesTo === undefined ? undefined : { id: entryStem(facts.repliesTo) },
    conversation: entryStem(facts.conversation ?? entry.id ?? ''),
  });
}
