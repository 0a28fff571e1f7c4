/** Posts and comments of Lemmy's API as entries of a feed, and what X's shape takes of them. */
import { z } from 'zod';
import { type Feed, type FeedEntry, listOf } from '../feeds/feed.ts';
import { dateOf } from '../text/dates.ts';
import { jsonOf, lenient } from '../text/read-items.ts';
import type { ForumFacts } from './forum-post.ts';

const text = lenient(z.string());
const flag = lenient(z.boolean());
const creatorShape = lenient(z.looseObject({ actor_id: z.string(), name: z.string(), display_name: text, bio: text }));
const postShape = z.looseObject({
  post: z.looseObject({
    id: z.int(),
    name: z.string(),
    body: text,
    url: text,
    ap_id: z.string(),
    published: text,
    updated: text,
    deleted: flag,
    removed: flag,
    featured_community: flag,
    featured_local: flag,
    thumbnail_url: text,
    embed_title: text,
    embed_description: text,
  }),
  creator: creatorShape,
});
const commentShape = z.looseObject({
  comment: z.looseObject({
    id: z.int(),
    content: z.string(),
    ap_id: z.string(),
    path: text,
    published: text,
    updated: text,
    deleted: flag,
    removed: flag,
  }),
  creator: creatorShape,
  post: lenient(z.looseObject({ id: z.int() })),
});
type ListedPost = z.output<typeof postShape>;
type ListedComment = z.output<typeof commentShape>;

const arrayIn = (json: string, key: 'posts' | 'comments'): unknown => {
  const answer = jsonOf(json);
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>)[key] : undefined;
};

export const postsIn = (json: string): Feed | undefined =>
  listOf(arrayIn(json, 'posts'), postShape, (listed) => {
    const { post } = listed;
    return post.deleted || post.removed ? undefined : entryOfPost(listed);
  });

export const commentsIn = (json: string): Feed | undefined =>
  listOf(arrayIn(json, 'comments'), commentShape, (listed) => {
    const { comment } = listed;
    return comment.deleted || comment.removed ? undefined : entryOfComment(listed);
  });

const entryOfPost = (listed: ListedPost): FeedEntry => ({
  id: `post/${listed.post.id}`,
  link: listed.post.ap_id,
  title: listed.post.name,
  content: listed.post.body ?? '',
  summary: '',
  ...timesOf(listed.post),
  language: undefined,
  isPinned: (listed.post.featured_community || listed.post.featured_local) === true,
  original: listed,
});

const entryOfComment = (listed: ListedComment): FeedEntry => ({
  id: `comment/${listed.comment.id}`,
  link: listed.comment.ap_id,
  title: '',
  content: listed.comment.content,
  summary: '',
  ...timesOf(listed.comment),
  language: undefined,
  original: listed,
});

/** Older servers give times without a zone; they are in UTC. */
function timesOf({
  published,
  updated,
}: {
  published?: string | null | undefined;
  updated?: string | null | undefined;
}) {
  const timeOf = (given: string | null | undefined) =>
    dateOf(given == null || /(Z|[+-]\d\d:?\d\d)$/i.test(given) ? (given ?? undefined) : `${given}Z`);
  return { published: timeOf(published), updated: timeOf(updated) };
}

export function lemmyFactsOf({ link, original }: FeedEntry): ForumFacts {
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
