/**
 * The post that a source of posts yields beside its pages, in X's shape, so that every rule of that platform works on
 * it. As at X, `&`, `<` and `>` of a text are escaped, and offsets count code points of the escaped text.
 */
import { textFinder } from '../../base/text-finder.ts';
import type { Payload } from '../../domain/match.ts';
import { declaredLanguage, detectLanguage } from '../text/language.ts';
import { pageId } from './page.ts';

export interface Post extends Payload {
  readonly data: { readonly id: string; readonly text: string; readonly [field: string]: unknown };
  readonly url?: string;
  readonly source: { readonly name: string };
}

/** A place in the text, in UTF-16 units; an entity that the text does not show has none. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

interface PostAuthor {
  readonly id: string;
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metrics?: Readonly<Record<string, number | undefined>> | undefined;
}

export interface PostDraft {
  /** The source's name. */
  readonly source: string;
  /** As that of the page: a version goes on with a slash. */
  readonly id: string;
  readonly url: string;
  /** Plain text. */
  readonly text: string;
  readonly author: PostAuthor;
  readonly language?: unknown;
  readonly createdAt: Date;
  readonly hashtags?: readonly { readonly tag: string; readonly at?: Place | undefined }[];
  readonly mentions?: readonly {
    readonly id: string;
    readonly username?: string | undefined;
    readonly at?: Place | undefined;
  }[];
  readonly links?: readonly LinkDraft[];
  readonly media?: readonly { readonly type: 'photo' | 'video' | 'animated_gif'; readonly alt?: string | undefined }[];
  readonly repliesTo?: { readonly id: string; readonly authorId?: string | undefined } | undefined;
  readonly quotes?: string | undefined;
  readonly reposts?: string | undefined;
  /** The first post of the conversation; this one by default. */
  readonly conversation?: string | undefined;
}

export interface LinkDraft {
  readonly url: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly at?: Place | undefined;
}

/** The quickly read parts of a post. Most rules do not match them, and then the post need not be put into X's shape. */
export interface PostGlance {
  /** Its words stand in these, and in no other text. */
  readonly texts: readonly string[];
  /** The code that rules use; undefined when it is not declared. */
  readonly language: string | undefined;
  /** The values of `is:` that hold. */
  readonly is: readonly string[];
  /** The values of `has:` that hold; undefined when they are not known. */
  readonly has: readonly string[] | undefined;
}

/** X's longest posts; the engine reads no more. */
export const MAX_POST_TEXT = 25_000;
export const MAX_ENTITIES = 200;

export function xPostOf(draft: PostDraft): Post {
  const { source, author, repliesTo } = draft;
  const raw = draft.text.slice(0, MAX_POST_TEXT).toWellFormed();
  const id = pageId(source, draft.id);
  const media = mediaIn(draft, id);
  const references = referencesIn(draft);
  // Written out: putting a post together from parts takes longer than all else that is done to it here.
  const data: Post['data'] & Record<string, unknown> = {
    id,
    text: escaped(raw),
    author_id: author.id,
    created_at: (Number.isNaN(draft.createdAt.getTime()) ? new Date(0) : draft.createdAt).toISOString(),
    conversation_id: draft.conversation === undefined ? id : pageId(source, draft.conversation),
    lang: declaredLanguage(draft.language) ?? detectLanguage(raw) ?? 'und',
    entities: entitiesIn(draft, raw),
  };
  if (references.length > 0) data['referenced_tweets'] = references;
  if (repliesTo?.authorId !== undefined) data['in_reply_to_user_id'] = repliesTo.authorId;
  if (media.length > 0) data['attachments'] = { media_keys: media.map(({ media_key }) => media_key) };
  const users = [userOf(author)];
  return {
    data,
    includes: media.length > 0 ? { users, media } : { users },
    url: draft.url.toWellFormed(),
    source: { name: source },
  };
}

const mediaIn = ({ media = [] }: PostDraft, id: string) =>
  media.map(({ type, alt }, at) => ({
    media_key: `${id}/media/${at}`,
    type,
    ...(alt && { alt_text: alt.slice(0, 2_000).toWellFormed() }),
  }));

function userOf({ id, username, name, description, metrics }: PostAuthor): Record<string, unknown> {
  const user: Record<string, unknown> = { id };
  if (username !== undefined) user['username'] = username.toWellFormed();
  if (name !== undefined) user['name'] = name.slice(0, 500).toWellFormed();
  if (description !== undefined) user['description'] = escaped(description.slice(0, 5_000).toWellFormed());
  if (metrics !== undefined) user['public_metrics'] = metrics;
  return user;
}

function referencesIn({ source, repliesTo, quotes, reposts }: PostDraft): { type: string; id: string }[] {
  const references: { type: string; id: string }[] = [];
  const add = (type: string, id: string | undefined): void => {
    if (id !== undefined) references.push({ type, id: pageId(source, id) });
  };
  add('replied_to', repliesTo?.id);
  add('quoted', quotes);
  add('retweeted', reposts);
  return references;
}

function entitiesIn({ hashtags = [], mentions = [], links = [] }: PostDraft, raw: string): Record<string, unknown[]> {
  const cashtags = cashtagsIn(raw);
  const entities: Record<string, unknown[]> = {};
  const count = pointCounter(raw);
  const spanOf = (at: Place | undefined) =>
    at === undefined || at.start < 0 || at.end <= at.start || at.end > raw.length
      ? {}
      : { start: count(at.start), end: count(at.end) };
  const add = <T>(kind: string, list: readonly T[], entityOf: (one: T) => unknown): void => {
    if (list.length > 0) entities[kind] = list.slice(0, MAX_ENTITIES).map(entityOf);
  };
  add('hashtags', hashtags, ({ tag, at }) => ({ ...spanOf(at), tag }));
  add('mentions', mentions, ({ id, username = id, at }) => ({ ...spanOf(at), username, id }));
  add('cashtags', cashtags, ({ tag, at }) => ({ ...spanOf(at), tag }));
  add('urls', links, ({ url, title, description, at }) => ({
    ...spanOf(at),
    url,
    expanded_url: url,
    ...(title && { title: title.slice(0, 2_000).toWellFormed() }),
    ...(description && { description: description.slice(0, 5_000).toWellFormed() }),
  }));
  return entities;
}

const CASHTAG = /(?<![\p{L}\p{N}_$])\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![\p{L}\p{N}_$])/gu;

function cashtagsIn(raw: string): { tag: string; at: Place }[] {
  // Few posts have one, and the pattern takes long.
  if (!raw.includes('$')) return [];
  return Array.from(raw.matchAll(CASHTAG), ({ 0: shown, 1: tag, index }) => ({
    tag: tag!,
    at: { start: index, end: index + shown.length },
  }));
}

const LETTER_BEFORE = /[\p{L}\p{N}_]$/u;
const LETTER_AFTER = /^[\p{L}\p{N}_]/u;

/** Without the two letters whose small form depends on what is around them or is longer, so that places stay the same. */
const lowerCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** Places within other words that are looked at. A post can have a word there ten thousand times, and 200 such words. */
const MOST_TRIES = 50;

/** Finds where a word such as `#storm` first stands by itself, whatever its case; undefined when it does not. */
export function placesIn(text: string): (word: string) => Place | undefined {
  const lower = lowerCase(text.slice(0, MAX_POST_TEXT));
  return (word) => {
    let place: Place | undefined;
    let tries = 0;
    textFinder(lowerCase(word)).each(lower, (start) => {
      const end = start + word.length;
      if (
        !LETTER_BEFORE.test(text.slice(Math.max(0, start - 2), start)) &&
        !LETTER_AFTER.test(text.slice(end, end + 2))
      )
        place = { start, end };
      return place === undefined && ++tries < MOST_TRIES;
    });
    return place;
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string =>
  /[&<>]/.test(text) ? text.replaceAll(/[&<>]/g, (sign) => ESCAPES[sign]!) : text;

/** Code points of the escaped text before a place of the raw one. The text is walked once, and the counts are kept. */
function pointCounter(raw: string): (place: number) => number {
  let counts: Uint32Array | undefined;
  return (place) => {
    if (counts === undefined) {
      counts = new Uint32Array(raw.length + 1);
      let points = 0;
      for (let at = 0; at < raw.length; ) {
        const width = raw.codePointAt(at)! > 0xffff ? 2 : 1;
        counts.fill(points, at, at + width);
        points += ESCAPES[raw[at]!]?.length ?? 1;
        at += width;
      }
      counts[raw.length] = points;
    }
    return counts[place]!;
  };
}
