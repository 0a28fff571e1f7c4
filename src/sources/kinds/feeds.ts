/** RSS, Atom, RDF and JSON Feed, fetched on a schedule with conditional requests. An entry that changes is yielded again. */
import type { z } from 'zod';
import { shownSource, withoutSecrets } from '../../base/parse-url.ts';
import { type Page, pageOf } from '../contract/page.ts';
import type { Source, SourceContext } from '../contract/source.ts';
import type { ApiList } from '../feeds/api-lists.ts';
import type { Feed } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { roundsOptions } from '../fetch/rounds.ts';
import { listingSource } from './listing.ts';
import type { EntryVersion } from './listing-memory.ts';

export const feedsOptions = roundsOptions({ every: 900, pause: 1 });

type Options = z.output<typeof feedsOptions>;

export const ACCEPT_FEEDS =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8, */*;q=0.5';

export function feeds(name: string, options: Options): Source {
  return listingSource(name, 'feeds', options, {
    addresses: options.urls,
    first: options.first,
    accept: ACCEPT_FEEDS,
    read: feedInAnswer,
    eventsOf: (version) => ({ page: pageOfEntry(name, version, { types: ['/Article'] }) }),
  });
}

/** Reads an answer as a feed of any kind, or as a list of an API. */
export const feedInAnswer = (
  { reader }: SourceContext,
  { body, headers, url }: HttpAnswer,
  list?: ApiList,
): Promise<Feed | undefined> => reader.feed({ bytes: body, contentType: headers['content-type'], url, list });

/** The page of an entry; the kind says of which type it is, and may know its address better. */
export const pageOfEntry = (
  source: string,
  { address, feed, entry, id, change, isNew }: EntryVersion,
  known: { readonly types: readonly string[]; readonly url?: string | undefined },
): Page =>
  pageOf({
    source,
    id,
    url: known.url ?? entry.link ?? feed.link ?? withoutSecrets(address),
    title: entry.title,
    ...change,
    language: entry.language,
    publishedAt: isNew ? (entry.published ?? entry.updated) : (entry.updated ?? entry.published),
    types: known.types,
    original: entry.original ?? { feed: shownSource(address), feed_title: feed.title, ...entry },
  });
