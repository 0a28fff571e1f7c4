/** Lemmy: the newest posts and comments that one server knows, its own and those of the servers it is linked with. */
import { z } from 'zod';
import { POST_TYPES } from '../contract/page.ts';
import type { Source } from '../contract/source.ts';
import type { ListedComment, ListedPost } from '../feeds/api-lists.ts';
import type { FeedEntry } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { webAddress } from '../fetch/web-address.ts';
import { feedInAnswer, pageOfEntry } from './feeds.ts';
import { type ForumFacts, forumPostOf } from './forum-post.ts';
import { listingSource } from './listing.ts';

export const lemmyOptions = z.strictObject({
  url: webAddress.default('https://lemmy.world'),
  /** Such as `technology`, or `technology@other.example`; all when empty. */
  communities: z.array(z.string().regex(/^[\w.-]{1,100}(@[\w.-]{1,200})?$/, 'must be name or name@server')).default([]),
  /** Only posts of the server's own communities. */
  local: z.boolean().default(false),
  comments: z.boolean().default(true),
  /** Seconds between two visits of a list. */
  every: everyOption(15, 60),
  /** Seconds between two requests. */
  pause: pauseOption(1),
});

type Options = z.output<typeof lemmyOptions>;

const PAGE_SIZE = 50;
const MOST_PAGES = 20;

export function lemmy(name: string, options: Options): Source {
  return listingSource(name, 'lemmy', options, {
    addresses: addressesOf(options),
    accept: 'application/json',
    hasUniqueIds: true,
    mostPages: MOST_PAGES,
    next: nextNumber,
    read: (reading, answer) => feedInAnswer(reading, answer, listAt(answer.url)),
    eventsOf: (version) => ({
      page: pageOfEntry(name, version, { types: POST_TYPES }),
      post: forumPostOf(name, version, lemmyFactsOf(version.entry)),
    }),
  });
}

const listAt = (url: string) => (new URL(url).pathname.endsWith('/comment/list') ? 'lemmy-comments' : 'lemmy-posts');

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
  address.searchParams.set('page', `${pages + 1}`);
  return address.href;
}

function lemmyFactsOf({ link, original }: FeedEntry): ForumFacts {
  const { creator, post } = original as ListedPost | ListedComment;
  const comment = (original as ListedComment).comment as ListedComment['comment'] | undefined;
  const outside = comment === undefined ? (post as ListedPost['post']) : undefined;
  return {
    url: link ?? '',
    author:
      creator == null
        ? { id: '' }
        : {
            id: creator.actor_id,
            username: creator.name,
            name: creator.display_name ?? undefined,
            description: creator.bio ?? undefined,
          },
    links: outside?.url
      ? [
          {
            url: outside.url,
            title: outside.embed_title ?? undefined,
            description: outside.embed_description ?? undefined,
          },
        ]
      : [],
    ...(comment !== undefined && {
      repliesTo: parentOf(comment.path ?? '0', post?.id),
      conversation: post == null ? undefined : `post/${post.id}`,
    }),
  };
}

/** A path such as `0.7.12` names a comment, after those it replies to. */
function parentOf(path: string, post: number | undefined): string | undefined {
  const parent = path.split('.').at(-2);
  if (parent !== undefined && parent !== '0') return `comment/${parent}`;
  return post === undefined ? undefined : `post/${post}`;
}
