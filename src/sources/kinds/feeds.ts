/**
 * RSS, Atom, RDF and JSON Feed, fetched on a schedule with conditional requests. The cursor of a feed holds its entries
 * and digests of their text; an entry whose text differs from before is yielded as a change.
 */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { digestOf, type Page, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import type { Feed, FeedEntry } from '../feeds/feed.ts';
import { getIfNew, validators } from '../fetch/conditional.ts';
import { createPolite, type Polite } from '../fetch/polite.ts';
import { rounds, roundsOptions } from '../fetch/rounds.ts';
import { SourceError } from '../fetch/source-error.ts';
import { changeOf } from '../text/passages.ts';

export const feedsOptions = roundsOptions({ every: 900, pause: 1 });

type Options = z.output<typeof feedsOptions>;

const memoryShape = validators.extend({
  /** By the digest of an entry's id: the digest of its text, and the text itself when it is short. */
  entries: z.record(z.string(), z.tuple([z.string(), z.string()])),
});
type Memory = z.output<typeof memoryShape>;

const MAX_BYTES = 8 * 1024 * 1024;
/** Characters of an entry that are remembered, and of all entries of a feed together. */
const MAX_KEPT_TEXT = 2_000;
const MAX_KEPT_TEXTS = 1_000_000;
/** Entries handled before the event loop gets a turn. */
const AT_ONCE = 20;
/** Entries that have left a feed are remembered up to this many: some feeds show their entries in turn. */
const MAX_KEPT = 1_000;
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8, */*;q=0.5';

export function feeds(name: string, options: Options): Source {
  return {
    name,
    kind: 'feeds',
    // A feed still shows what it published during a break, unless all of it is new.
    replaysMs: Number.POSITIVE_INFINITY,
    read(context) {
      const polite = createPolite({ ...context, pauseMs: options.pause * 1_000 });
      const visit = (url: string) => visitFeed(name, options, context, polite, url);
      return rounds(context, { addresses: options.urls, everyMs: options.every * 1_000, visit });
    },
  };
}

async function visitFeed(
  source: string,
  { first }: Options,
  context: SourceContext,
  polite: Polite,
  url: string,
): Promise<SourceArrival | undefined> {
  const stored = await context.cursor(url);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const answer = await getIfNew(polite, {
    url,
    accept: ACCEPT,
    maxBytes: MAX_BYTES,
    known: memory,
    signal: context.signal,
  });
  if (answer === undefined) return undefined;
  const contentType = answer.headers['content-type'];
  const feed = await context.reader.feed({ bytes: answer.body, contentType, url: answer.url });
  if (feed === undefined) throw new SourceError(`${url} is not a feed.`);
  const { pages, entries, isAllNew } = await changesIn(source, url, feed, memory?.entries ?? {});
  if (memory !== undefined && isAllNew) context.lost();
  const next: Memory = { ...answer.validators, entries };
  const value = JSON.stringify(next);
  if (value === stored) return undefined;
  for (const { reason, count } of feed.skipped) context.trouble(`Skipped entries of ${url}: ${count} ${reason}.`);
  return { pages: memory === undefined && first === 'skip' ? [] : pages, cursor: { key: url, value } };
}

/** New and changed entries, oldest first; feeds have the newest on top. */
async function changesIn(
  source: string,
  url: string,
  feed: Feed,
  known: Memory['entries'],
): Promise<{ pages: Page[]; entries: Memory['entries']; isAllNew: boolean }> {
  const pages: Page[] = [];
  const seen = new Map<string, [string, string]>();
  let room = MAX_KEPT_TEXTS;
  for (const { entry, key } of (await entryKeys(feed)).toReversed()) {
    if (seen.size % AT_ONCE === 0) await setImmediate();
    if (seen.has(key)) continue;
    const text = entry.content || entry.summary;
    const version = digestOf(entry.title, text);
    const kept = text.length <= Math.min(MAX_KEPT_TEXT, room) ? text : '';
    room -= kept.length;
    seen.set(key, [version, kept]);
    const before = known[key];
    if (before?.[0] === version) continue;
    const change = before === undefined || before[1] === '' ? { added: text } : changeOf(before[1], text);
    const id = [digestOf(url, key), version, ...(before === undefined ? [] : [before[0]])].join('/');
    pages.push(pageOfEntry(source, url, feed, entry, { id, change, isNew: before === undefined }));
  }
  const gone = Object.entries(known).filter(([key]) => !seen.has(key));
  const isAllNew = seen.size > 0 && gone.length > 0 && gone.length === Object.keys(known).length;
  return {
    pages,
    isAllNew,
    entries: Object.fromEntries([...seen, ...gone.slice(0, Math.max(0, MAX_KEPT - seen.size))]),
  };
}

/** An entry is known by its id, or its link. Entries that share an id are told apart by id, link and title. */
async function entryKeys({ entries }: Feed): Promise<{ entry: FeedEntry; key: string }[]> {
  const counts = new Map<string, number>();
  const named: { entry: FeedEntry; id: string }[] = [];
  for (const entry of entries) {
    if (named.length % AT_ONCE === 0) await setImmediate();
    const id = digestOf(entry.id ?? entry.link ?? [entry.title, entry.content || entry.summary]);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    named.push({ entry, id });
  }
  return named.map(({ entry, id }) => ({
    entry,
    key: counts.get(id) === 1 ? id : digestOf(entry.id, entry.link, entry.title),
  }));
}

interface EntryVersion {
  readonly id: string;
  readonly change: { readonly added: string | readonly string[]; readonly removed?: readonly string[] };
  readonly isNew: boolean;
}

const pageOfEntry = (
  source: string,
  url: string,
  feed: Feed,
  entry: FeedEntry,
  { id, change, isNew }: EntryVersion,
): Page =>
  pageOf({
    source,
    id,
    url: entry.link ?? feed.link ?? url,
    title: entry.title,
    ...change,
    language: entry.language,
    publishedAt: isNew ? (entry.published ?? entry.updated) : (entry.updated ?? entry.published),
    types: ['/Article'],
    original: { feed: url, feed_title: feed.title, ...entry },
  });
