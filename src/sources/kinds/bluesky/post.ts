/** A post of Bluesky as a page, and what its network announces as deleted. */
import { listIn } from '../../../base/json-fields.ts';
import { type Page, POST_TYPES, pageOf } from '../../contract/page.ts';
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
export const postId = ({ did, commit, time }: JetEvent): string | undefined =>
  commit && `${did}/${commit.rkey}/${commit.cid ?? commit.rev ?? time}`;

export const addressOfPost = (did: string, rkey: string): string => `https://bsky.app/profile/${did}/post/${rkey}`;

/** The author's client sets the time of a post, to anything; no post was written after it arrived. */
export function publishedAt(claimed: unknown, came: Date): Date {
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
