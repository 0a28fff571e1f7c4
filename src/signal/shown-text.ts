/** The text of an event that people read: the text of a post, the title and the new text of a page. */
import { type JsonRecord, recordIn, textIn } from '../base/json.ts';
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';

export function shownText(platform: Platform, payload: Payload): string {
  return platform === 'x' ? postText(recordIn(payload['data'])) : pageText(payload);
}

const postText = (post: JsonRecord | undefined): string =>
  textIn(recordIn(post?.['note_tweet'])?.['text']) ?? textIn(post?.['text']) ?? '';

const pageText = (page: JsonRecord): string =>
  [page['title'], page['added'] ?? page['markdown']].flatMap((part) => textIn(part) ?? []).join(': ');
