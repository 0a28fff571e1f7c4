/** Lemmy: the newest posts and comments that one server knows, its own and those of the servers it is linked with. */
import { z } from 'zod';
import { POST_TYPES } from '../contract/page.ts';
import type { Source } from '../contract/source.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { webAddress } from '../fetch/web-address.ts';
import { pageOfEntry } from './feeds.ts';
import { forumPostOf } from './forum-post.ts';
import { commentsIn, lemmyFactsOf, postsIn } from './lemmy-lists.ts';
import { readListing } from './listing.ts';

export const lemmyOptions = z.strictObject({
  url: webAddress.default('https://lemmy.world'),
  /** Such as `technology`, or `technology@other.example`; all when empty. */
  communities: z.array(z.string().regex(/^[\w.-]{1,100}(@[\w.-]{1,200})?$/, 'must be name or name@server')).default([]),
  /** Only posts of the server's own communities. */
  local: z.boolean().default(false),
  comments: z.boolean().default(true),
  /** Seconds between two visits of a list. */
  every: z.number().min(15).default(60),
  /** Seconds between two requests. */
  pause: z.number().min(0).default(1),
});

type Options = z.output<typeof lemmyOptions>;

const PAGE_SIZE = 50;
const MOST_PAGES = 20;

export function lemmy(name: string, options: Options): Source {
  return {
    name,
    kind: 'lemmy',
    replaysMs: Number.POSITIVE_INFINITY,
    read: (context) =>
      readListing(
        {
          addresses: addressesOf(options),
          everyMs: options.every * 1_000,
          pauseMs: options.pause * 1_000,
          accept: 'application/json',
          hasUniqueIds: true,
          mostPages: MOST_PAGES,
          next: nextNumber,
          read: async (_, { url, body }) =>
            new URL(url).pathname.endsWith('/comment/list') ? commentsIn(body.toString()) : postsIn(body.toString()),
          eventsOf: (version) => ({
            page: pageOfEntry(name, version, { types: POST_TYPES }),
            post: forumPostOf(name, version, lemmyFactsOf(version.entry)),
          }),
        },
        context,
      ),
  };
}

function addressesOf({ url, communities, local, comments }: Options): string[] {
  const lists = ['post/list', ...(comments ? ['comment/list'] : [])];
  const places = communities.length === 0 ? [undefined] : communities;
  return places.flatMap((community) =>
    lists.map((list) => {
      const address = new URL(`/api/v3/${list}`, url);
      address.searchParams.set('type_', local ? 'Local' : 'All');
      address.searchParams.set('sort', 'New');
      address.searchParams.set('limit', String(PAGE_SIZE));
      if (community !== undefined) address.searchParams.set('community_name', community);
      return address.href;
    }),
  );
}

/** Posts that came meanwhile move the others down: some are listed twice, none is left out. */
function nextNumber({ url }: HttpAnswer, _: unknown, pages: number): string {
  const address = new URL(url);
  address.searchParams.set('page', String(pages + 1));
  return address.href;
}
