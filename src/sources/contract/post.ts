/**
 * What a source of posts yields beside its pages: a post in X's shape, so that every rule of that platform works on it. As
 * at X, `&`, `<` and `>` of a text are escaped, and offsets count code points of the escaped text.
 */
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

/** X's longest posts; the engine reads no more. */
const MAX_POST_TEXT = 25_000;
const MAX_ENTITIES = 200;

export function xPostOf(draft: PostDraft): Post {
  const { source, author } = draft;
  const raw = draft.text.slice(0, MAX_POST_TEXT).toWellFormed();
  const language = declaredLanguage(draft.language) ?? detectLanguage(raw) ?? 'und';
  const id = pageId(source, draft.id);
  const media = (draft.media ?? []).map(({ type, alt }, at) => ({
    media_key: `${id}/media/${at}`,
    type,
    ...(alt && { alt_text: alt.slice(0, 2_000).toWellFormed() }),
  }));
  const references = referencesIn(draft);
  return {
    data: {
      id,
      text: escaped(raw),
      author_id: author.id,
      created_at: (Number.isNaN(draft.createdAt.getTime()) ? new Date(0) : draft.createdAt).toISOString(),
      conversation_id: pageId(source, draft.conversation ?? draft.id),
      lang: language,
      entities: entitiesIn(draft, raw),
      ...(references.length > 0 && { referenced_tweets: references }),
      ...(draft.repliesTo?.authorId !== undefined && { in_reply_to_user_id: draft.repliesTo.authorId }),
      ...(media.length > 0 && { attachments: { media_keys: media.map(({ media_key }) => media_key) } }),
    },
    includes: { users: [userOf(author)], ...(media.length > 0 && { media }) },
    url: draft.url.toWellFormed(),
    source: { name: source },
  };
}

const userOf = ({ id, username, name, description, metrics }: PostAuthor) => ({
  id,
  ...(username !== undefined && { username: username.toWellFormed() }),
  ...(name !== undefined && { name: name.slice(0, 500).toWellFormed() }),
  ...(description !== undefined && { description: escaped(description.slice(0, 5_000).toWellFormed()) }),
  ...(metrics !== undefined && { public_metrics: metrics }),
});

const referencesIn = ({ source, repliesTo, quotes, reposts }: PostDraft): { type: string; id: string }[] =>
  Object.entries({ replied_to: repliesTo?.id, quoted: quotes, retweeted: reposts }).flatMap(([type, id]) =>
    id === undefined ? [] : [{ type, id: pageId(source, id) }],
  );

function entitiesIn({ hashtags = [], mentions = [], links = [] }: PostDraft, raw: string): Record<string, unknown[]> {
  const count = pointCounter(raw);
  const spanOf = (at: Place | undefined) =>
    at === undefined || at.start < 0 || at.end <= at.start || at.end > raw.length
      ? {}
      : { start: count(at.start), end: count(at.end) };
  const urls = links.map(({ url, title, description, at }) => ({
    ...spanOf(at),
    url,
    expanded_url: url,
    ...(title && { title: title.slice(0, 2_000).toWellFormed() }),
    ...(description && { description: description.slice(0, 5_000).toWellFormed() }),
  }));
  const lists = {
    hashtags: hashtags.map(({ tag, at }) => ({ ...spanOf(at), tag })),
    mentions: mentions.map(({ id, username = id, at }) => ({ ...spanOf(at), username, id })),
    cashtags: cashtagsIn(raw).map(({ tag, at }) => ({ ...spanOf(at), tag })),
    urls,
  };
  const found = Object.entries(lists).map(([kind, list]) => [kind, list.slice(0, MAX_ENTITIES)] as const);
  return Object.fromEntries(found.filter(([, list]) => list.length > 0));
}

const CASHTAG = /(?<![\p{L}\p{N}_$])\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![\p{L}\p{N}_$])/gu;

const cashtagsIn = (raw: string): { tag: string; at: Place }[] =>
  [...raw.matchAll(CASHTAG)].map(({ 0: shown, 1: tag, index }) => ({
    tag: tag!,
    at: { start: index, end: index + shown.length },
  }));

/** Where a value first shows in the text after a place, whatever its case; undefined when it does not. */
export function placeInText(text: string, value: string, from = 0): Place | undefined {
  const start = text.toLowerCase().indexOf(value.toLowerCase(), from);
  return start < 0 || text.toLowerCase().length !== text.length ? undefined : { start, end: start + value.length };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => ESCAPES[sign]!);

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
