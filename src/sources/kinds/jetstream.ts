/**
 * Bluesky's Jetstream: every public post, over a WebSocket. The cursor is a time in microseconds. Servers keep more than a
 * day of events and their clocks differ a little, so a connection begins 5 seconds before its cursor.
 */
import { z } from 'zod';
import { type Page, POST_TYPES, pageId, pageOf } from '../contract/page.ts';
import type { Source } from '../contract/source.ts';
import { textFrames } from '../fetch/web-socket.ts';
import { jsonOf } from '../text/json.ts';

export const jetstreamOptions = z.strictObject({
  url: z
    .url({ protocol: /^wss?$/, error: 'must be a ws or wss address' })
    .default('wss://jetstream2.us-east.bsky.network/subscribe'),
  /** Accounts to follow, by their DIDs; all when there are none. */
  dids: z.array(z.string().startsWith('did:')).max(10_000).default([]),
  /** Seconds of silence after which it connects again. */
  stall: z.number().positive().default(60),
});

const POSTS = 'app.bsky.feed.post';
const OVERLAP = 5_000_000n;
/** Servers keep more than a day. */
const KEPT_MS = 24 * 3_600_000;

const frameShape = z.object({
  did: z.string(),
  time_us: z.number().int().positive(),
  kind: z.string(),
  commit: z
    .object({
      operation: z.string(),
      collection: z.string(),
      rkey: z.string(),
      cid: z.string().optional(),
      record: z
        .looseObject({ text: z.string(), createdAt: z.string().optional(), langs: z.array(z.unknown()).optional() })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  account: z.object({ status: z.string().optional() }).optional().catch(undefined),
});

export function jetstream(name: string, options: z.output<typeof jetstreamOptions>): Source {
  return {
    name,
    kind: 'jetstream',
    replaysMs: KEPT_MS,
    async *read(context) {
      const url = addressOf(options, await context.cursor());
      for await (const text of textFrames(context, url, options.stall * 1_000)) {
        const frame = frameShape.safeParse(jsonOf(text)).data;
        if (frame === undefined) {
          context.unreadable();
          continue;
        }
        const page = postOf(name, frame);
        const cursor = { value: String(frame.time_us) };
        const reaches = timeOf(frame, context.clock.now());
        const deleted = deletedIn(frame);
        if (deleted !== undefined) yield { pages: [], deleted: [pageId(name, deleted)], cursor, reaches };
        else yield { pages: page === undefined ? [] : [page], cursor, reaches };
      }
    },
  };
}

/** The server's clock may be ahead of ours. */
const timeOf = ({ time_us }: z.output<typeof frameShape>, now: Date): Date =>
  new Date(Math.min(time_us / 1_000, now.getTime()));

function addressOf({ url, dids }: z.output<typeof jetstreamOptions>, cursor: string | undefined): string {
  const address = new URL(url);
  address.searchParams.append('wantedCollections', POSTS);
  for (const did of dids) address.searchParams.append('wantedDids', did);
  if (cursor !== undefined) address.searchParams.set('cursor', String(BigInt(cursor) - OVERLAP));
  return address.href;
}

type Frame = z.output<typeof frameShape>;

/** What the ids of deleted posts begin with: one post's, or those of all that an author wrote. */
function deletedIn({ did, commit, account }: Frame): string | undefined {
  if (account?.status === 'deleted') return did;
  return commit?.collection === POSTS && commit.operation === 'delete' ? `${did}/${commit.rkey}` : undefined;
}

function postOf(source: string, frame: Frame): Page | undefined {
  const { did, commit, time_us } = frame;
  if (commit?.collection !== POSTS || commit.record === undefined || commit.operation === 'delete') return undefined;
  const { rkey, cid, record } = commit;
  return pageOf({
    source,
    id: `${did}/${rkey}/${cid ?? time_us}`,
    url: `https://bsky.app/profile/${did}/post/${rkey}`,
    added: record.text,
    language: record.langs?.[0],
    publishedAt: publishedAt(record.createdAt, new Date(time_us / 1_000)),
    types: POST_TYPES,
    original: frame,
  });
}

/** The author's client sets the time of a post, to anything; no post was written after it arrived. */
function publishedAt(claimed: string | undefined, came: Date): Date {
  const time = new Date(claimed ?? '');
  return time <= came ? time : came;
}
