/** The parts of an event that are compared with stories: a text, links and posts that it names, and its time. */
import { listIn, recordIn, textIn } from '../base/json.ts';
import type { Highlight, Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import { addedTexts } from './shown-text.ts';
import type { StoryEvent } from './stories.ts';
import { addOnce, comparedNumbers, hash32, hash52, hashNumbers } from './word-numbers.ts';
import { MAX_CHARACTERS } from './words.ts';

/** Taken from the payload where that is at hand; plain data, small enough to be handed on. */
export interface StoryText {
  readonly text: string;
  readonly links: readonly string[];
  /** Posts of the platform: its own, versions of it, and those it repeats or quotes. */
  readonly posts: readonly string[];
  /** As the platform says; undefined if it says nothing that is a time. */
  readonly at?: number;
}

const MAX_LINKS = 4;
const MAX_POSTS = 8;
const MAX_LINK = 1_000;
/** Any event may have the same few words. */
const LEAST_TEXT = 3;

/** A name that more than one post of a chain may have. */
interface Ids {
  readonly postId: string;
  readonly earlier?: readonly string[] | undefined;
}

export function storyTextOf(platform: Platform, payload: Payload, { postId, earlier = [] }: Ids): StoryText {
  const { text, links, posts, time } = platform === 'x' ? ofPost(payload) : ofPage(payload);
  const at = timeOf(time);
  const told = {
    text: text.slice(0, MAX_CHARACTERS),
    links: links.filter((link) => link.length <= MAX_LINK),
    posts: [postId, ...(isWatched(payload) ? NONE : earlier.slice(-MAX_POSTS)), ...posts],
  };
  return Number.isFinite(at) ? { ...told, at } : told;
}

/** As the engine reads a time: where no zone is named it is UTC, whatever the zone of the machine. */
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

function timeOf(value: unknown): number {
  const [text, zone] = (typeof value === 'string' && ISO.exec(value)) || [];
  return text === undefined ? Number.NaN : Date.parse(zone === undefined ? `${text}Z` : text);
}

interface Told {
  readonly text: string;
  readonly links: readonly string[];
  readonly posts: readonly string[];
  readonly time: unknown;
}

function ofPost(payload: Payload): Told {
  const post = recordIn(payload['data']) ?? {};
  const urls = listIn(recordIn(post['entities'])?.['urls']);
  const named = listIn(post['referenced_tweets'] ?? post['referenced_posts']);
  return {
    text: textIn(recordIn(post['note_tweet'] ?? post['note_post'])?.['text']) ?? textIn(post['text']) ?? '',
    links: urls.length === 0 ? NONE : linksIn(urls),
    posts: named.length === 0 ? NONE : postsIn(named),
    time: post['created_at'],
  };
}

const NONE: readonly string[] = [];

const linksIn = (urls: readonly unknown[]): string[] =>
  urls.slice(0, MAX_LINKS).flatMap((url) => {
    const { unwound_url, expanded_url } = recordIn(url) ?? {};
    return textIn(unwound_url) ?? textIn(expanded_url) ?? [];
  });

const postsIn = (named: readonly unknown[]): string[] =>
  named.slice(0, MAX_POSTS).flatMap((one) => {
    const { type, id } = recordIn(one) ?? {};
    return type === 'replied_to' ? [] : (textIn(id) ?? []);
  });

/**
 * The headline says what an article is about. Any other page has the same title whatever is told there. Its own address is no
 * evidence: what is told at one address today is not what was told there yesterday.
 */
function ofPage(payload: Payload): Told {
  const [title, added] = [textIn(payload['title']), textIn(addedText(payload))];
  const text = isArticle(payload) ? (title ?? added) : (added ?? title);
  return { text: text ?? '', links: NONE, posts: NONE, time: payload['publish_time'] };
}

const isArticle = (payload: Payload): boolean =>
  !isWatched(payload) &&
  (linkMark(textIn(payload['url']) ?? '') !== undefined ||
    listIn(payload['page_types']).some((type) => textIn(type)?.startsWith('/Article')));

/** A page that Sluice visits again and again: each of its changes tells something of its own. */
const isWatched = (payload: Payload): boolean =>
  recordIn(recordIn(payload['source'])?.['original'])?.['watched'] === true;

function addedText(payload: Payload): string {
  let text = '';
  for (const part of addedTexts(payload)) {
    text += `${part.slice(0, MAX_CHARACTERS)} `;
    if (text.length >= MAX_CHARACTERS) break;
  }
  return text.trim();
}

const MAX_ASKED = 20;
const MAX_ASKED_CHARACTERS = 100;
const MAX_PLACES = 200;

/**
 * The words that rules asked for, by what shows why they matched. A place that many rules of an event point to is read
 * once, and no more than a number of places.
 */
export function askedWordsIn(payload: Payload): (highlights: readonly Highlight[]) => number[] {
  const known = new Map<string, readonly number[]>();
  return (highlights) => {
    const words = new Set<number>();
    for (const place of highlights.slice(0, MAX_ASKED)) {
      const key = `${place.field} ${place.start} ${place.end}`;
      if (!known.has(key) && known.size < MAX_PLACES) known.set(key, wordsAt(payload, place));
      for (const word of known.get(key) ?? []) words.add(word);
    }
    return [...words];
  };
}

function wordsAt(payload: Payload, { field, start, end }: Highlight): number[] {
  const text = field.split('.').reduce<unknown>(fieldIn, payload);
  if (typeof text !== 'string') return [];
  return comparedNumbers(text.slice(start, Math.min(end, start + MAX_ASKED_CHARACTERS)));
}

const fieldIn = (value: unknown, name: string): unknown =>
  Array.isArray(value) ? listIn(value)[Number(name)] : recordIn(value)?.[name];

/** An event as stories compare it, whatever an account asked for. */
export interface ComparedEvent {
  /** Each once, in the order of the text. */
  readonly words: readonly number[];
  readonly marks: readonly number[];
  readonly at?: number;
}

/** Once for an event, however many rules it matches. */
export function comparedEvent(platform: Platform, { text, links, posts, at }: StoryText): ComparedEvent {
  const words = comparedNumbers(text);
  const marks: number[] = [];
  for (const post of posts) addOnce(marks, hash52(`${platform} ${post}`));
  for (const link of links) {
    const mark = linkMark(link);
    if (mark !== undefined) addOnce(marks, mark);
  }
  if (words.length >= LEAST_TEXT) addOnce(marks, hashNumbers(words));
  return at === undefined ? { words, marks } : { words, marks, at };
}

/** The places of these words among others, a bit each: a text has fewer words than a number has bits. */
export function wordPlaces(some: readonly number[], words: readonly number[]): number {
  let places = 0;
  for (const word of some) {
    const at = words.indexOf(word);
    if (at !== -1) places = withPlaces(places, 2 ** at);
  }
  return places;
}

const HIGH = 2 ** 32;

/** All places of both. */
export const withPlaces = (one: number, other: number): number =>
  (Math.trunc(one / HIGH) | Math.trunc(other / HIGH)) * HIGH + ((one | other) >>> 0);

/**
 * An event dated later than now counts as told now. The words that the account's rules asked for, by their places, are left out: all
 * their matches have them, so they do not tell one story from another.
 */
export function storyEventOf({ words: all, marks, at }: ComparedEvent, now: number, asked = 0, origin = 0): StoryEvent {
  const others = asked === 0 ? all : without(all, asked);
  // A text of nothing else is compared by them.
  const words = others.length === 0 ? all : others;
  return { words, marks, at: Math.min(at ?? now, now), origin };
}

/** The number of an origin: all events that one source brings to one rule have the same. It is above 0, in 31 bits. */
export const originOf = (source: string, rule: number): number => (hash32(`${rule} ${source}`) >>> 2) + 1;

function without(words: readonly number[], places: number): readonly number[] {
  const left: number[] = [];
  let [low, high] = [places | 0, Math.trunc(places / HIGH)];
  for (const word of words) {
    if ((low & 1) === 0) left.push(word);
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
  }
  return left;
}

const TRACKING = /^(?:utm_|fbclid|gclid|mc_|ref|src$|cmp|ito|ocid|smid|partner|share|s$|t$)/i;
const STATUS = /^\/[^/]+\/status(?:es)?\/(\d+)/;
const X_HOSTS = new Set(['x.com', 'twitter.com']);

/** One number for all forms of an address; undefined if it leads to no single page. A link to a post is the post. */
function linkMark(link: string): number | undefined {
  const url = link.length > MAX_LINK || !/^https?:/i.test(link) ? null : URL.parse(link);
  if (url === null) return undefined;
  const { hostname, pathname, search } = url;
  const host = hostname.replace(/^(?:www|m|mobile|amp)\./, '');
  const status = X_HOSTS.has(host) ? STATUS.exec(pathname)?.[1] : undefined;
  if (status !== undefined) return hash52(`x ${status}`);
  const path = withoutEnding(pathname);
  const place = search === '' ? path : [path, ...queryOf(url)].join('&');
  return isPermanent(place) ? hash52(`${host}${place}`) : undefined;
}

/** Channels, people and lists of a site: what stands there changes. */
const PLACE_OF_MANY =
  /^\/(?:@|(?:channel|c|user|users|u|profile|playlist|tags?|topics?|categor(?:y|ies)|authors?|search)\/)/i;
const NUMBERED = /\d{4}/;
/** In what stands behind the last slash. */
const SLUG = /[^-]-[^-]+-[^-]+-[\s\S]/;
const RANDOM_ID = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{10,}$/i;

/** Whether an address is that of one thing: it has a number or an id, or several words of a headline. */
const isPermanent = (place: string): boolean =>
  !PLACE_OF_MANY.test(place) &&
  (NUMBERED.test(place) || SLUG.test(place.slice(place.lastIndexOf('/') + 1)) || RANDOM_ID.test(place));

const queryOf = ({ searchParams }: URL): string[] =>
  [...searchParams]
    .filter(([name]) => !TRACKING.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();

const ENDINGS = ['/', '/amp', '/index.html', '/index.htm'];

function withoutEnding(path: string): string {
  let end = path.length;
  for (const ending of ENDINGS) while (path.endsWith(ending, end) && end > 0) end -= ending.length;
  return path.slice(0, end);
}
