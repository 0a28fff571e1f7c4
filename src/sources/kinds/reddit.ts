/**
 * The newest posts of subreddits, by their feeds. Reddit's terms allow programs to read only with its permission, and its
 * robots.txt says the same: without `permitted`, that file decides.
 */
import { z } from 'zod';
import type { Source } from '../contract/source.ts';
import type { Feed } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { createPolite } from '../fetch/polite.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { hostOf, SourceError } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { ACCEPT_FEEDS, feedInAnswer, pageOfEntry } from './feeds.ts';
import { forumPostOf } from './forum-post.ts';
import { readListing } from './listing.ts';
import { createRobots } from './robots-check.ts';

export const redditOptions = z.strictObject({
  subreddits: z.array(z.string().regex(/^\w{2,21}$/, 'must be the name of a subreddit, without r/')).min(1),
  /** Comments too. */
  comments: z.boolean().default(false),
  /** You have Reddit's permission. */
  permitted: z.boolean().default(false),
  /** Seconds between two visits of a feed. */
  every: everyOption(60, 300),
  /** Seconds between two requests. */
  pause: pauseOption(7, 2),
  url: webAddress.default('https://www.reddit.com'),
});

type Options = z.output<typeof redditOptions>;

const PAGE_SIZE = 100;
/** Reddit lists 1,000 posts. */
const MOST_PAGES = 10;
const TYPES: readonly string[] = ['/User_Generated_Content', '/User_Generated_Content/Forum_Thread'];

export function reddit(name: string, options: Options): Source {
  const pauseMs = options.pause * 1_000;
  return {
    name,
    kind: 'reddit',
    replaysMs: Number.POSITIVE_INFINITY,
    read(context) {
      const isAllowed = createRobots(context, createPolite({ ...context, pauseMs }));
      return readListing(
        {
          addresses: addressesOf(options),
          everyMs: options.every * 1_000,
          pauseMs,
          accept: ACCEPT_FEEDS,
          hasUniqueIds: true,
          mostPages: MOST_PAGES,
          next: pageAfter,
          read: feedInAnswer,
          async check(url) {
            if (!options.permitted && !(await isAllowed(url)))
              throw new SourceError(
                `robots.txt of ${hostOf(url)} does not allow ${url}. Set \`permitted: true\` when you have the permission of Reddit.`,
              );
          },
          eventsOf: (version) => ({
            page: pageOfEntry(name, version, { types: TYPES }),
            post: forumPostOf(name, version, {
              url: version.entry.link ?? version.address,
              author: authorOf(version.entry.author),
            }),
          }),
        },
        context,
      );
    },
  };
}

const addressesOf = ({ subreddits, comments, url }: Options): string[] =>
  subreddits.flatMap((subreddit) =>
    ['new', ...(comments ? ['comments'] : [])].map(
      (list) => new URL(`/r/${subreddit}/${list}/.rss?limit=${PAGE_SIZE}`, url).href,
    ),
  );

/** The page after the oldest entry of this one. */
function pageAfter({ url }: HttpAnswer, { entries }: Feed): string | undefined {
  const last = entries.at(-1)?.id;
  if (last === undefined || !/^t\d_\w{1,20}$/.test(last)) return undefined;
  const address = new URL(url);
  address.searchParams.set('after', last);
  return address.href;
}

/** Feeds name authors as `/u/ada`; that is all they tell of them. */
function authorOf(shown: string | undefined): { id: string; username?: string } {
  const username = shown?.replace(/^\/?u\//, '');
  return username === undefined ? { id: '' } : { id: username, username };
}
