/** A post of Bluesky as a page, and what its network announces as deleted. */
import { listIn } from '../../../base/json.ts';
import { type Page, POST_TYPES, pageOf } from '../../contract/page.ts';
import { type LinkDraft, type Place, type Post, type PostDraft, xPostOf } from '../../contract/post.ts';
import { type Card, type Facet, type RecordReference, type RichRecord, richIn } from './rich-record.ts';
import { type JetCommit, type JetEvent, POSTS, type TextRecord, timeOfRevision } from './wire.ts';

/** The beginning of the ids of deleted posts: one post's, or those of all posts of an author. */
export function deletedIn({ did, commit, account }: JetEvent): string | undefined {
  if (account?.status === 'deleted') return did;
  return commit?.collection === POSTS && commit.operation === 'delete' ? `${did}/${commit.rkey}` : undefined;
}

/** The post that an event brings. */
export const postIn = ({ commit }: JetEvent): (JetCommit & { readonly record: TextRecord }) | undefined =>
  commit !== undefined && commit.collection === POSTS && commit.operation !== 'delete' && hasRecord(commit)
    ? commit
    : undefined;

/** A post that was made or changed, and has no text that can be read. */
export const isTextless = ({ commit }: JetEvent): boolean =>
  commit?.collection === POSTS && commit.operation !== 'delete' && !hasRecord(commit);

const hasRecord = (commit: JetCommit): commit is JetCommit & { readonly record: TextRecord } =>
  commit.record !== undefined;

export function pageOfEvent(source: string, event: JetEvent): Page | undefined {
  const { did, time } = event;
  const commit = postIn(event);
  if (commit === undefined) return undefined;
  const { record } = commit;
  return pageOf({
    source,
    id: postId(event)!,
    url: addressOfPost(did, commit.rkey),
    added: record.text,
    language: listIn(record['langs'])[0],
    publishedAt: publishedAt(record['createdAt'], new Date(time / 1_000)),
    types: POST_TYPES,
    original: event.original,
  });
}

/** The post, and after it the version: an edited post has another content. */
const postId = ({ did, commit, time }: JetEvent): string | undefined =>
  commit && `${did}/${commit.rkey}/${commit.cid ?? commit.rev ?? time}`;

const addressOfPost = (did: string, rkey: string): string => `https://bsky.app/profile/${did}/post/${rkey}`;

/** The author's client sets the time of a post, to anything; no post was written after it arrived. */
function publishedAt(claimed: unknown, came: Date): Date {
  const time = new Date(typeof claimed === 'string' ? claimed : Number.NaN);
  return time <= came ? time : came;
}

/** A commit in words that every host says alike. */
export const commitKey = ({ did, commit }: JetEvent): string | undefined =>
  commit?.collection === POSTS
    ? `${did} ${commit.rkey} ${commit.operation} ${commit.rev ?? commit.cid ?? ''}`
    : undefined;

/** Repositories may be sent again, by one host and not by the other. Those commits are old. */
const NEW = 300_000_000;

export function isNewCommit({ commit, time, isArchived }: JetEvent): boolean {
  if (isArchived === true) return false;
  const made = timeOfRevision(commit?.rev);
  return made === undefined || Math.abs(time - made) <= NEW;
}

/** A post of Bluesky in X's shape. Facets count bytes of UTF-8; authors are known by their DIDs alone. */
export function postOfEvent(source: string, event: JetEvent): Post | undefined {
  const { did, time } = event;
  const commit = postIn(event);
  if (commit === undefined) return undefined;
  const { record, rkey } = commit;
  const rich = richIn(record);
  return xPostOf({
    source,
    id: postId(event)!,
    url: addressOfPost(did, rkey),
    text: record.text,
    author: { id: did },
    language: listIn(record['langs'])[0],
    createdAt: publishedAt(record['createdAt'], new Date(time / 1_000)),
    ...(rich && partsOf(record.text, rich)),
  });
}

function partsOf(text: string, rich: RichRecord): Partial<PostDraft> {
  const { reply, embed } = rich;
  const shown = embed?.media === undefined ? (embed ? [embed] : []) : [embed, embed.media];
  return {
    ...entitiesOf(
      text,
      rich,
      shown.flatMap((one) => one.external ?? []),
    ),
    media: shown.flatMap((one) => [
      ...one.images.map(({ alt }) => ({ type: 'photo' as const, alt })),
      ...(one.hasVideo ? [{ type: 'video' as const, alt: one.alt }] : []),
    ]),
    repliesTo: reply && { id: idOfReference(reply.parent) ?? reply.parent.uri, authorId: authorOf(reply.parent.uri) },
    conversation: reply && idOfReference(reply.root),
    quotes: embed?.record && idOfReference(embed.record),
  };
}

function entitiesOf(text: string, { facets, tags }: RichRecord, cards: readonly Card[]): Partial<PostDraft> {
  if (facets.length === 0 && tags.length === 0 && cards.length === 0) return NO_ENTITIES;
  const places = byteplaces(text, facets);
  const features = facets.flatMap((facet, at) => facet.features.map((feature) => ({ ...feature, at: places[at] })));
  const links = features.flatMap(({ uri, at }): LinkDraft[] => (uri === undefined ? [] : [{ url: uri, at }]));
  const unlinked = cards.filter((card) => links.every(({ url }) => url !== card.uri));
  const cardOf = (url: string) => cards.find(({ uri }) => uri === url);
  return {
    hashtags: [
      ...features.flatMap(({ tag, at }) => (tag === undefined ? [] : [{ tag, at }])),
      ...tags.map((tag) => ({ tag })),
    ],
    mentions: features.flatMap(({ did, at }) =>
      did === undefined ? [] : [{ id: did, username: at && text.slice(at.start + 1, at.end), at }],
    ),
    links: [
      ...links.map((link) => ({ ...link, title: cardOf(link.url)?.title, description: cardOf(link.url)?.description })),
      ...unlinked.map(({ uri, title, description }) => ({ url: uri, title, description })),
    ],
  };
}

const NO_ENTITIES: Partial<PostDraft> = {};

/** The places of byte spans, in UTF-16 units; undefined for one that is not in the text. */
function byteplaces(text: string, spans: readonly Facet[]): (Place | undefined)[] {
  if (spans.length === 0) return [];
  const bytes = Buffer.from(text);
  return spans.map(({ byteStart, byteEnd }) => {
    if (byteEnd > bytes.length || byteStart >= byteEnd) return undefined;
    const start = bytes.toString('utf8', 0, byteStart).length;
    return { start, end: start + bytes.toString('utf8', byteStart, byteEnd).length };
  });
}

const REFERENCE = /^at:\/\/(did:[^/]+)\/app\.bsky\.feed\.post\/([^/]+)$/;

const authorOf = (uri: string): string | undefined => REFERENCE.exec(uri)?.[1];

/** As the post itself has it, when it comes; undefined for what is no post, such as a list. */
export function idOfReference({ uri, cid }: RecordReference): string | undefined {
  const [, did, rkey] = REFERENCE.exec(uri) ?? [];
  return did === undefined ? undefined : `${did}/${rkey}/${cid}`;
}
