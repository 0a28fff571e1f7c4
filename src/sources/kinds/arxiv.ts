/**
 * New papers of arXiv by category, by its API. A paper may appear below known ones, when its moderation took days, so all
 * papers of the last days are listed at each visit, and of the whole break after one.
 */
import { z } from 'zod';
import type { Source, SourceContext } from '../contract/source.ts';
import type { Feed } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { SourceError } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { ACCEPT_FEEDS, feedInAnswer, pageOfEntry } from './feeds.ts';
import { listingSource } from './listing.ts';

export const arxivOptions = z.strictObject({
  /** Such as `cs.LG` or `hep-th`. */
  categories: z
    .array(z.string().regex(/^[a-z-]{2,20}(\.[A-Za-z-]{2,20})?$/, 'must be a category such as cs.LG'))
    .min(1),
  /** Papers that were submitted this many days ago are still looked for. */
  days: z.number().int().min(1).max(14).default(4),
  /** Seconds between two visits: arXiv adds papers once a day. */
  every: everyOption(3_600, 21_600),
  /** Seconds between two requests. */
  pause: pauseOption(3, 3),
  url: webAddress.default('https://export.arxiv.org'),
});

type Options = z.output<typeof arxivOptions>;

const PAGE_SIZE = 200;
const MOST_PAGES = 10;
const DAY_MS = 86_400_000;

export function arxiv(name: string, options: Options): Source {
  return listingSource(name, 'arxiv', options, {
    addresses: options.categories,
    accept: ACCEPT_FEEDS,
    // A paper of two categories is in both lists.
    hasUniqueIds: true,
    readsAll: true,
    mostPages: MOST_PAGES,
    urlOf: (category, { last, now }) => queryOf(options, category, last ?? now, now),
    next: nextStart,
    totalOf: totalIn,
    read: wholePage,
    eventsOf: (version) => ({
      page: pageOfEntry(name, version, { types: ['/Document', '/Document/Research_Paper'] }),
    }),
  });
}

function queryOf({ url, days }: Options, category: string, last: Date, now: Date): string {
  const from = new Date(Math.min(last.getTime(), now.getTime()) - days * DAY_MS);
  const address = new URL('/api/query', url);
  // In the future, so that the address is the same for a day and caches of arXiv can answer.
  const until = new Date(now.getTime() + DAY_MS);
  address.searchParams.set(
    'search_query',
    `cat:${category} AND submittedDate:[${dayOf(from)}0000 TO ${dayOf(until)}0000]`,
  );
  address.searchParams.set('sortBy', 'submittedDate');
  address.searchParams.set('sortOrder', 'descending');
  address.searchParams.set('start', '0');
  address.searchParams.set('max_results', String(PAGE_SIZE));
  return address.href;
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10).replaceAll('-', '');

const startOf = (url: string): number => Number(new URL(url).searchParams.get('start') ?? 0);

/** How many papers the query has in all; arXiv says so with each page. */
function totalIn({ body }: HttpAnswer): number | undefined {
  const [, total] =
    /<opensearch:totalResults\b[^<>]{0,200}>\s*(\d{1,9})\s*</.exec(body.toString('latin1', 0, 8_192)) ?? [];
  return total === undefined ? undefined : Number(total);
}

function nextStart(answer: HttpAnswer, { entries }: Feed): string | undefined {
  const start = startOf(answer.url) + entries.length;
  if (start >= (totalIn(answer) ?? 0)) return undefined;
  const address = new URL(answer.url);
  address.searchParams.set('start', String(start));
  return address.href;
}

/** arXiv answers with an empty page now and then although there is more. That is a failure, not the end. */
async function wholePage(context: SourceContext, answer: HttpAnswer): Promise<Feed | undefined> {
  const feed = await feedInAnswer(context, answer);
  const isCut = feed !== undefined && feed.entries.length === 0 && startOf(answer.url) < (totalIn(answer) ?? 0);
  if (isCut) throw new SourceError('arXiv answered with a page that is cut short.');
  return feed;
}
