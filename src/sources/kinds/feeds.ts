/**
 * RSS, Atom, RDF and JSON Feed: asked for on a schedule, with what the server told last time, so that nothing is sent
 * when nothing is new. What is remembered of a feed is which entries it had and what they said; an entry that says
 * something else than before is yielded as a change.
 */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Entry, Feed } from '../feeds/feed.ts';
import { getIfNew, validators } from '../fetch/conditional.ts';
import { createPolite, type Polite } from '../fetch/polite.ts';
import { rounds, roundsOptions } from '../fetch/rounds.ts';
import { digestOf, type Page, pageOf } from '../page.ts';
import { type Arrival, type Desk, type Source, SourceError } from '../source.ts';
import { changeOf } from '../text/passages.ts';

export const feedsOptions = roundsOptions({ every: 900, pause: 1 });

type Options = z.output<typeof feedsOptions>;

const memoryShape = validators.extend({
  /** By the digests of entries' ids: the digest of what an entry said, and the text itself while it is short. */
  entries: z.record(z.string(), z.tuple([z.string(), z.string()])),
});
type Memory = z.output<typeof memoryShape>;

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_KEPT_TEXT = 2_000;
/** Entries between two pauses, in which everything else runs. */
const AT_ONCE = 20;
/** Entries that a feed no longer has are remembered for a while: some feeds show a few of them, in turn. */
const MAX_KEPT = 1_000;
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8, */*;q=0.5';

export function feeds(name: string, options: Options): Source {
  return {
    name,
    kind: 'feeds',
    read(desk) {
      const polite = createPolite({ ...desk, pauseMs: options.pause * 1_000 });
      const look = (url: string) => lookAt(name, options, desk, polite, url);
      return rounds(desk, { addresses: options.urls, everyMs: options.every * 1_000, look });
    },
  };
}

async function lookAt(
  source: string,
  { first }: Options,
  desk: Desk,
  polite: Polite,
  url: string,
): Promise<Arrival | undefined> {
  const stored = await desk.cursor(url);
  const memory = stored === undefined ? undefined : memoryShape.parse(JSON.parse(stored));
  const answer = await getIfNew(polite, desk, { url, accept: ACCEPT, maxBytes: MAX_BYTES, known: memory });
  if (answer === undefined) return undefined;
  const contentType = answer.headers['content-type'];
  const feed = await desk.reader.feed({ bytes: answer.body, contentType, url: answer.url });
  if (feed === undefined) throw new SourceError(`${url} is not a feed.`);
  const { pages, entries } = await news(source, url, feed, memory?.entries ?? {});
  const next: Memory = { ...answer.validators, entries };
  const value = JSON.stringify(next);
  if (value === stored) return undefined;
  return { pages: memory === undefined && first === 'skip' ? [] : pages, cursor: { key: url, value } };
}

/** Oldest first, as they happened; feeds have the newest on top. */
async function news(
  source: string,
  url: string,
  feed: Feed,
  known: Memory['entries'],
): Promise<{ pages: Page[]; entries: Memory['entries'] }> {
  const pages: Page[] = [];
  const seen = new Map<string, [string, string]>();
  const keyOf = entryKeys(feed);
  for (const entry of feed.entries.toReversed()) {
    const text = entry.content || entry.summary;
    const key = keyOf(entry);
    const says = digestOf(entry.title, text);
    if (seen.has(key)) continue;
    seen.set(key, [says, text.length <= MAX_KEPT_TEXT ? text : '']);
    const before = known[key];
    if (before?.[0] === says) continue;
    const change = before === undefined || before[1] === '' ? { added: text } : changeOf(before[1], text);
    const id = [digestOf(url, key), says, ...(before === undefined ? [] : [before[0]])].join('/');
    pages.push(pageOfEntry(source, url, feed, entry, { id, change, isNew: before === undefined }));
    if (pages.length % AT_ONCE === 0) await setImmediate();
  }
  const gone = Object.entries(known).filter(([key]) => !seen.has(key));
  return { pages, entries: Object.fromEntries([...seen, ...gone.slice(0, Math.max(0, MAX_KEPT - seen.size))]) };
}

/** An entry is known by its id, or its link. Where a feed gives one id to several, all that they are called counts. */
function entryKeys({ entries }: Feed): (entry: Entry) => string {
  const counts = new Map<string, number>();
  const idOf = ({ id, link, title, content, summary }: Entry) => digestOf(id ?? link ?? [title, content || summary]);
  for (const entry of entries) counts.set(idOf(entry), (counts.get(idOf(entry)) ?? 0) + 1);
  return (entry) => (counts.get(idOf(entry)) === 1 ? idOf(entry) : digestOf(entry.id, entry.link, entry.title));
}

interface Told {
  readonly id: string;
  readonly change: { readonly added: string | readonly string[]; readonly removed?: readonly string[] };
  readonly isNew: boolean;
}

const pageOfEntry = (source: string, url: string, feed: Feed, entry: Entry, { id, change, isNew }: Told): Page =>
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
