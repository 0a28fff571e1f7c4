/**
 * Lists that the APIs of GitHub and Lemmy answer with, as feeds: events of a repository and security advisories, posts and
 * comments. They are read in the reading thread, because a server may answer with anything.
 */
import { z } from 'zod';
import { dateOf } from '../text/dates.ts';
import { jsonOf, lenient } from '../text/read-items.ts';
import { type Feed, type FeedEntry, listOf } from './feed.ts';

const text = lenient(z.string());
const thing = lenient(z.looseObject({ title: text, name: text, tag_name: text, body: text, html_url: text }));
const eventShape = z.looseObject({
  id: z.string(),
  type: z.string(),
  actor: lenient(z.looseObject({ login: z.string() })),
  repo: z.looseObject({ name: z.string() }),
  created_at: text,
  payload: lenient(
    z.looseObject({
      action: text,
      ref: text,
      ref_type: text,
      comment: thing,
      review: thing,
      issue: thing,
      pull_request: thing,
      discussion: thing,
      release: thing,
      commits: lenient(z.array(z.looseObject({ message: z.string() }))),
    }),
  ),
});
type RepositoryEvent = z.output<typeof eventShape>;
type Payload = Partial<NonNullable<RepositoryEvent['payload']>>;

const advisoryShape = z.looseObject({
  ghsa_id: z.string(),
  cve_id: text,
  html_url: text,
  summary: text,
  description: text,
  severity: text,
  published_at: text,
  updated_at: text,
  vulnerabilities: lenient(
    z.array(z.looseObject({ package: z.looseObject({ ecosystem: text, name: text }).nullish() })),
  ),
});

/** Releases come by their feed where that is read: then they are left out here. */
const eventsIn = (json: string, { releases }: { readonly releases: boolean }): Feed | undefined =>
  listOf(jsonOf(json), eventShape, (event) =>
    releases && event.type === 'ReleaseEvent' ? undefined : entryOfEvent(event),
  );

const advisoriesIn = (json: string): Feed | undefined =>
  listOf(jsonOf(json), advisoryShape, (advisory) => {
    const packages = (advisory.vulnerabilities ?? []).flatMap(({ package: one }) => one?.name ?? []);
    const id = advisory.cve_id == null ? advisory.ghsa_id : `${advisory.ghsa_id}, ${advisory.cve_id}`;
    return {
      id: advisory.ghsa_id,
      link: advisory.html_url ?? undefined,
      title: `${id}: ${advisory.summary ?? ''}`,
      content: [[...new Set(packages)].join(', '), advisory.severity, advisory.description].filter(Boolean).join('\n'),
      summary: '',
      published: dateOf(advisory.published_at ?? undefined),
      updated: dateOf(advisory.updated_at ?? undefined),
      language: 'en',
      original: advisory,
    };
  });

function entryOfEvent(event: RepositoryEvent): FeedEntry {
  const { repo } = event;
  const payload: Payload = event.payload ?? {};
  const { issue, pull_request, discussion, release } = payload;
  const subject = payload.comment ?? payload.review ?? release ?? discussion ?? pull_request ?? issue;
  const about = issue ?? pull_request ?? discussion;
  const title = about?.title ?? release?.name ?? release?.tag_name ?? wordsOf(event);
  const messages = (payload.commits ?? []).map(({ message }) => message);
  return {
    id: event.id,
    link: subject?.html_url ?? about?.html_url ?? `https://github.com/${repo.name}`,
    title: `${repo.name}: ${title}`,
    content: subject?.body || messages.join('\n') || title,
    summary: '',
    published: dateOf(event.created_at ?? undefined),
    updated: undefined,
    language: undefined,
    ...(event.actor != null && { author: event.actor.login }),
    original: event,
  };
}

/** Such as `create tag v1.2`: the type without its ending, and what it was about. */
const wordsOf = ({ type, payload }: RepositoryEvent): string =>
  [
    type
      .replace(/Event$/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase(),
    payload?.ref_type,
    payload?.ref,
  ]
    .filter(Boolean)
    .join(' ');

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
export type ListedPost = z.output<typeof postShape>;
export type ListedComment = z.output<typeof commentShape>;

const arrayIn = (json: string, key: 'posts' | 'comments'): unknown => {
  const answer = jsonOf(json);
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>)[key] : undefined;
};

const postsIn = (json: string): Feed | undefined =>
  listOf(arrayIn(json, 'posts'), postShape, (listed) => {
    const { post } = listed;
    return post.deleted || post.removed ? undefined : entryOfPost(listed);
  });

const commentsIn = (json: string): Feed | undefined =>
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

/** The readers of lists, by their names. */
export const API_LISTS = {
  'github-events': (json: string) => eventsIn(json, { releases: false }),
  'github-events-without-releases': (json: string) => eventsIn(json, { releases: true }),
  'github-advisories': advisoriesIn,
  'lemmy-posts': postsIn,
  'lemmy-comments': commentsIn,
};
export type ApiList = keyof typeof API_LISTS;
