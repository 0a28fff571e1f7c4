/**
 * Mastodon: a public or hashtag timeline of one server, live over server-sent events. The stream replays nothing, so after
 * a break the source opens the stream and then reads the timeline from the last known post on.
 */
import { z } from 'zod';
import { type Page, POST_TYPES, pageId, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import { openEventStream, type SourceEvent } from '../fetch/event-stream.ts';
import { hostOf, SourceError } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { jsonOf, type ReadItems, readItem, readItems, unreadOf } from '../text/read-items.ts';
import { addressOfStatus, idOfStatus, postOfStatus, type Status, statusShape, textOfStatus } from './mastodon-post.ts';

export const mastodonOptions = z.strictObject({
  url: webAddress.default('https://mastodon.social'),
  /** One hashtag; the public timeline when there is none. */
  hashtag: z
    .string()
    .regex(/^[^#\s/]+$/)
    .optional(),
  /** Only posts of the server's own users. */
  local: z.boolean().default(false),
  /** Most servers require a token for their streams. */
  token: z.string().optional(),
  /** Seconds of silence after which it connects again. */
  stall: z.number().positive().default(90),
});

type Options = z.output<typeof mastodonOptions>;

const PAGE_SIZE = 40;
const MAX_BYTES = 2 * 1024 * 1024;
/** 2,000 posts: older posts of a long break are left out. */
const MAX_PAGES = 50;
/** Posts of other servers come late, with ids of when they were written, so the last five minutes are read again. */
const OVERLAP_MS = 300_000n;

export function mastodon(name: string, options: Options): Source {
  return {
    name,
    kind: 'mastodon',
    replaysMs: Number.POSITIVE_INFINITY,
    async *read(context) {
      const last = await context.cursor();
      const events = await openEventStream(context, {
        url: streamOf(options),
        headers: headersOf(options),
        stallMs: options.stall * 1_000,
      });
      let newest = last;
      const arrivalOf = ({ items, skipped }: ReadItems<Status>): SourceArrival => {
        for (const { id } of items) newest = newest === undefined || isNewer(id, newest) ? id : newest;
        const unread = unreadOf(hostOf(options.url), skipped);
        return {
          pages: items.map((status) => pageOfStatus(name, options, status)),
          posts: items.map((status) => postOfStatus(name, options.url, status)),
          ...(newest !== undefined && { cursor: { value: newest } }),
          ...(unread && { unread }),
        };
      };
      const opened = context.clock.now();
      if (last !== undefined) for await (const statuses of missed(context, options, last)) yield arrivalOf(statuses);
      yield { pages: [], reaches: opened };
      for await (const event of events) {
        const reaches = context.clock.now();
        if (isPost(event)) yield { ...arrivalOf(readItem(jsonOf(event.data), statusShape)), reaches };
        else if (event.event === 'delete') yield { pages: [], deleted: [pageId(name, event.data.trim())], reaches };
        else yield { pages: [], reaches };
      }
    },
  };
}

function streamOf({ url, hashtag, local }: Options): string {
  const kind = hashtag === undefined ? 'public' : 'hashtag';
  const address = new URL(`/api/v1/streaming/${kind}${local ? '/local' : ''}`, url);
  if (hashtag !== undefined) address.searchParams.set('tag', hashtag);
  return address.href;
}

function timelineOf({ url, hashtag, local }: Options, after: string): string {
  const address = new URL(
    `/api/v1/timelines/${hashtag === undefined ? 'public' : `tag/${encodeURIComponent(hashtag)}`}`,
    url,
  );
  if (local) address.searchParams.set('local', 'true');
  address.searchParams.set('limit', String(PAGE_SIZE));
  address.searchParams.set('min_id', after);
  return address.href;
}

const headersOf = ({ token }: Options): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** New posts and edited ones. */
const isPost = ({ event }: SourceEvent): boolean => event === 'update' || event === 'status.update';

/** The posts of the timeline after a post, page by page, each oldest first. What cannot be asked for is lost. */
async function* missed(context: SourceContext, options: Options, last: string): AsyncIterable<ReadItems<Status>> {
  let after = beforehand(last);
  // The overlap has the last post that is known.
  const isFull = after !== last;
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await timelinePage(context, options, after);
    if (list === undefined) return;
    if (list.length === 0 && page === 0 && isFull)
      return lost(context, 'The timeline is empty. Posts made during the break are missing.');
    if (list.length === 0) return;
    const { items, skipped } = readItems(list, statusShape);
    yield { items: items.toSorted((one, other) => (isNewer(one.id, other.id) ? 1 : -1)), skipped };
    const newest = idsIn(list).reduce((one, other) => (isNewer(other, one) ? other : one), after);
    if (newest === after)
      return lost(context, 'The timeline repeats itself. Newer posts made during the break are missing.');
    after = newest;
  }
  lost(context, `More than ${PAGE_SIZE * MAX_PAGES} posts were made during the break. The newest of them are missing.`);
}

function lost(context: SourceContext, message: string): void {
  context.lost();
  context.trouble(message);
}

/** Returns undefined when the server shows its timeline to nobody: that is lost, and the stream goes on. */
async function timelinePage(context: SourceContext, options: Options, after: string): Promise<unknown[] | undefined> {
  const { status, body, retryAfter } = await context.http.get({
    url: timelineOf(options, after),
    headers: headersOf(options),
    maxBytes: MAX_BYTES,
    signal: context.signal,
  });
  if (status === 429 || status >= 500) throw new SourceError(`The timeline answered ${status}.`, { retryAfter });
  if (status !== 200) {
    lost(context, `The timeline answered ${status}. Posts made during the break are missing.`);
    return undefined;
  }
  const list = jsonOf(body.toString());
  if (!Array.isArray(list)) throw new SourceError('The timeline answered with something that is no list of posts.');
  return list;
}

/** Also of posts that cannot be read: the next page begins after them. */
const idsIn = (list: readonly unknown[]): string[] =>
  readItems(list, z.object({ id: z.string() })).items.map(({ id }) => id);

/** Ids are milliseconds and 16 bits more; an old server counts from one, and its ids stay as they are. */
function beforehand(id: string): string {
  if (!/^\d{16,20}$/.test(id)) return id;
  return String(BigInt(id) - (OVERLAP_MS << 16n));
}

const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length;

const pageOfStatus = (source: string, { url }: Options, status: Status): Page =>
  pageOf({
    source,
    id: idOfStatus(status),
    url: addressOfStatus(url, status),
    added: textOfStatus(status),
    language: status.language,
    publishedAt: new Date(status.created_at),
    types: POST_TYPES,
    original: status,
  });
