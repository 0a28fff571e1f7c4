/** The common shape of feeds of every kind, in plain text. */
import type { z } from 'zod';
import { parseUrl } from '../../base/parse-url.ts';
import { firstSkipped, readItems, type SkippedItem } from '../text/read-items.ts';

export interface Feed {
  readonly title: string;
  readonly link: string | undefined;
  readonly description: string;
  readonly updated: Date | undefined;
  readonly entries: readonly FeedEntry[];
  /** Entries that were left out, or of which something was: the first ones, and how many others there are. */
  readonly skipped: readonly SkippedItem[];
  /** How many entries were left out because nobody wants them. */
  readonly leftOut?: number;
  /** It ends in the middle: entries may be missing. */
  readonly isCutOff?: boolean;
}

export interface FeedEntry {
  /** The feed's own id; undefined when it gives none. */
  readonly id: string | undefined;
  readonly link: string | undefined;
  readonly title: string;
  readonly content: string;
  readonly summary: string;
  readonly published: Date | undefined;
  readonly updated: Date | undefined;
  readonly language: string | undefined;
  readonly author?: string | undefined;
  /** It stays on top, however old it is. */
  readonly isPinned?: boolean;
  /** As it was listed, for those who need more than the fields above. */
  readonly original?: unknown;
}

/** Resolves an address against each base in turn, the document's own address first. Undefined when it is none. */
export function resolve(address: string | undefined, bases: readonly string[], url: string): string | undefined {
  if (address === undefined || address.trim() === '') return undefined;
  if (/^https?:\/\//i.test(address.trim())) return parseUrl(address) === null ? undefined : address.trim();
  const base = bases.reduce((around, inner) => parseUrl(inner, around)?.href ?? around, url);
  return parseUrl(address.trim(), base)?.href;
}

/**
 * Limits on what is taken from a feed. The fields of the feed itself are cut, because they are repeated with each of its
 * entries. An entry with a longer id, link or title is skipped and counted by its reason; its text is cut.
 */
export const MAX_ENTRIES = 5_000;
/** The most characters of an id, a link or a title. */
const MAX_FIELD = 8_192;
const MAX_TEXT = 200_000;
const MAX_FEED_TITLE = 2_000;
const MAX_LANGUAGE = 100;
const MAX_AUTHOR = 500;

export function withinFeedLimits(feed: Feed): Feed {
  const skipped = [...feed.skipped];
  const entries: FeedEntry[] = [];
  for (const entry of feed.entries) {
    const reason = entries.length === MAX_ENTRIES ? `over the first ${MAX_ENTRIES}` : entryProblem(entry);
    if (reason === undefined) entries.push(cutEntry(entry));
    else skipped.push({ reason, item: entry });
  }
  return {
    ...feed,
    title: feed.title.slice(0, MAX_FEED_TITLE),
    link: upTo(MAX_FIELD, feed.link),
    description: feed.description.slice(0, MAX_FIELD),
    entries,
    skipped: firstSkipped(skipped),
  };
}

function entryProblem(entry: FeedEntry): string | undefined {
  const { id, link, title, content, summary, published, updated, author } = entry;
  if (![id, link, title, content, summary, published, updated, author].some(Boolean)) return 'with nothing in it';
  const fields = { id, link, title };
  const long = Object.entries(fields).find(([, value]) => (value?.length ?? 0) > MAX_FIELD);
  return long === undefined
    ? undefined
    : `with ${long[0] === 'id' ? 'an' : 'a'} ${long[0]} of more than ${MAX_FIELD} characters`;
}

const cutEntry = (entry: FeedEntry): FeedEntry => ({
  ...entry,
  content: entry.content.slice(0, MAX_TEXT),
  summary: entry.summary.slice(0, MAX_TEXT),
  language: upTo(MAX_LANGUAGE, entry.language),
  ...(entry.author !== undefined && { author: entry.author.slice(0, MAX_AUTHOR) }),
});

const upTo = (most: number, value: string | undefined): string | undefined =>
  value === undefined || value.length > most ? undefined : value;

/** Items of an API's list as entries of a feed. One that cannot be read is counted, and the others are kept. */

/** Returns undefined when it is no list. An item without an entry is left out. */
export function listOf<T>(
  list: unknown,
  shape: z.ZodType<T>,
  entryOf: (item: T) => FeedEntry | undefined,
): Feed | undefined {
  if (!Array.isArray(list)) return undefined;
  const { items, skipped } = readItems(list, shape);
  const entries = items.flatMap((item) => entryOf(item) ?? []);
  const bare = { title: '', link: undefined, description: '', updated: undefined };
  return withinFeedLimits({ ...bare, entries, skipped, leftOut: items.length - entries.length });
}
