/** The text of an event that people read: the text of a post, the title and the new text of a page. */
import { type JsonRecord, listIn, recordIn, textIn } from '../base/json.ts';
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';

export function shownText(platform: Platform, payload: Payload): string {
  return platform === 'x' ? postText(recordIn(payload['data'])) : pageText(payload);
}

/** A long post has its whole text in a note, of which X has two names. */
const postText = (post: JsonRecord | undefined): string =>
  unescaped(textIn(recordIn(post?.['note_tweet'] ?? post?.['note_post'])?.['text']) ?? textIn(post?.['text']) ?? '');

/** X escapes these three. `&amp;` comes last, so that what it uncovers is not taken for another escape. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function pageText(page: JsonRecord): string {
  const added = [...addedTexts(page)].join(' ').trim();
  return [textIn(page['title']), added === '' ? textIn(page['markdown']) : added]
    .filter((part) => part !== undefined)
    .join(': ');
}

/** The texts that were added to a page: its changes say which, or a field that a pushed page has in their place. */
export function* addedTexts(page: JsonRecord): Iterable<string> {
  const chunks = listIn(recordIn(page['diff'])?.['chunks']);
  const inserted = chunks.length === 0 ? [page['added']].flat() : insertedIn(chunks);
  for (const part of inserted) {
    const text = textIn(part);
    if (text !== undefined) yield text;
  }
}

function* insertedIn(chunks: readonly unknown[]): Iterable<unknown> {
  for (const chunk of chunks) {
    const { typ, text } = recordIn(chunk) ?? {};
    if (typ === 'ins') yield text;
  }
}
