/** The posts and texts in an event: posts that it repeats, that came along with it, or that are versions before it. */
import { createHmac } from 'node:crypto';
import { idIn, type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { parseColumn } from './texts.ts';

export interface CarriedPost {
  readonly postId: string;
  /** The event is a later version of it. */
  readonly isEdit: boolean;
}

/** Posts of one event that are looked at: X sends a handful. */
const MAX_CARRIED = 256;
const NONE: readonly CarriedPost[] = [];

/** Payloads that carry a post have one of these words. */
export const mayCarry = (json: string): boolean => /"(?:retweeted|tweets|posts|edit_history_\w+)"/.test(json);

/** A page holds its own text alone. A post that is named and did not come along is not carried, unless it is reposted. */
export function carriedPosts(platform: Platform, payload: Payload, postId: string): readonly CarriedPost[] {
  if (platform !== 'x') return NONE;
  const post = recordIn(payload['data']) ?? {};
  const found = new Map<string, CarriedPost>();
  const add = (id: string | undefined, isEdit: boolean): void => {
    if (id === undefined || id === postId || found.has(id) || found.size === MAX_CARRIED) return;
    found.set(id, { postId: id, isEdit });
  };
  for (const id of versionsIn(post)) add(id, true);
  for (const one of listIn(post['referenced_tweets'] ?? post['referenced_posts'])) {
    const { type, id } = recordIn(one) ?? {};
    if (type === 'retweeted') add(idIn(id), false);
  }
  for (const included of includedIn(payload)) {
    add(idIn(included['id']), false);
    for (const id of versionsIn(included)) add(id, false);
  }
  return found.size === 0 ? NONE : [...found.values()];
}

const versionsIn = (post: JsonRecord): string[] =>
  listIn(post['edit_history_tweet_ids'] ?? post['edit_history_post_ids']).flatMap((id) => idIn(id) ?? []);

function includedIn(payload: Payload): JsonRecord[] {
  const includes = recordIn(payload['includes']);
  return listIn(includes?.['tweets'] ?? includes?.['posts']).flatMap((one): JsonRecord[] => {
    const record = recordIn(one);
    return record === undefined ? [] : [record];
  });
}

/** A shorter text is said by many, of many things. */
const LEAST_CHARACTERS = 20;
const REPOSTED = /^RT @\w+: /;

/** The texts of an event that an erasure by text compares: its own first, without the mark of a repost. */
export const comparedTexts = (platform: Platform, payload: Payload): string[] =>
  plainTexts(platform, payload).filter(isCompared);

/** The first of them, unless it is too short: what stands first then is the text of another post. */
export const ownText = (platform: Platform, payload: Payload): string | undefined =>
  plainTexts(platform, payload).slice(0, 1).find(isCompared);

const isCompared = (text: string): boolean => text.length >= LEAST_CHARACTERS;

const plainTexts = (platform: Platform, payload: Payload): string[] =>
  (platform === 'x' ? postTexts(payload) : [insertedText(payload)]).map((text) =>
    text.replace(REPOSTED, '').replace(/\s+/g, ' ').trim(),
  );

const postTexts = (payload: Payload): string[] =>
  [recordIn(payload['data']) ?? {}, ...includedIn(payload)].map((post) => {
    const note = recordIn(post['note_tweet'] ?? post['note_post']);
    return textIn(note?.['text']) ?? textIn(post['text']) ?? '';
  });

function insertedText(payload: Payload): string {
  const chunks = listIn(recordIn(payload['diff'])?.['chunks']).map((chunk) => recordIn(chunk) ?? {});
  const inserted = chunks.filter(({ typ }) => typ === 'ins').map(({ text }) => text);
  const added = payload['added'];
  return (inserted.length > 0 ? inserted : Array.isArray(added) ? added : [added])
    .map((text) => textIn(text) ?? '')
    .join(' ');
}

/** The mark of a text under a key. */
export const textMark = (key: Uint8Array, text: string): string => createHmac('sha256', key).update(text).digest('hex');

type ColdText = readonly [marks: readonly string[], carried: readonly string[], isFirstOwn?: boolean];

/**
 * The column that stands in the place of a payload whose bytes lie in objects: an erasure needs it without reading
 * them. A payload is a JSON object, and this is a list: the marks of its texts, the ids of the posts that it carries,
 * and whether the first mark is that of its own text.
 */
export const isCold = (payload: string): boolean => payload.startsWith('[');

/** Without a key nothing is erased by its text. */
export function coldText(platform: Platform, json: string, postId: string, textKey: Uint8Array | undefined): string {
  const payload = parseColumn<Payload>(json);
  const marks = textKey === undefined ? [] : comparedTexts(platform, payload).map((text) => textMark(textKey, text));
  const carried = carriedPosts(platform, payload, postId).map((one) => one.postId);
  const text: ColdText = [marks, carried, ownText(platform, payload) !== undefined];
  return JSON.stringify(text);
}

export const coldMarks = (text: string): readonly string[] => parseColumn<ColdText>(text)[0];

/** Older ones do not say it. A post that is carried has one text at most: with more texts than posts, the first is its own. */
export function coldOwnMark(text: string): string | undefined {
  const [marks, carried, isFirstOwn = new Set(marks).size > carried.length] = parseColumn<ColdText>(text);
  return isFirstOwn ? marks[0] : undefined;
}

export const coldCarried = (text: string): readonly string[] => parseColumn<ColdText>(text)[1];
