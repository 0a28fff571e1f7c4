/**
 * Mastodon: a public or hashtag timeline of one server, live over server-sent events. The stream replays nothing, so after
 * a break the source opens the stream and then reads the timeline from the last known post on.
 */
import { z } from 'zod';
import { type Page, POST_TYPES, pageId, pageOf } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext } from '../contract/source.ts';
import { openEventStream, type SourceEvent } from '../fetch/event-stream.ts';
import { SourceError } from '../fetch/source-error.ts';
import { webAddress } from '../fetch/web-address.ts';
import { jsonOf } from '../text/json.ts';
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
      const arrivalOf = (status: Status): SourceArrival => {
        newest = newest === undefined || isNewer(status.id, newest) ? status.id : newest;
        return {
          pages: [pageOfStatus(name, options, status)],
          posts: [postOfStatus(name, options.url, status)],
          cursor: { value: newest },
        };
      };
      const opened = context.clock.now();
      if (last !== undefined) for await (const status of missed(context, options, last)) yield arrivalOf(status);
      yield { pages: [], reaches: opened };
      for await (const event of events) {
        const status = statusOf(event);
        const reaches = context.clock.now();
        if (status !== undefined) yield { ...arrivalOf(status), reaches };
        else if (isPost(event)) context.unreadable();
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

const statusOf = (event: SourceEvent): Status | undefined =>
  isPost(event) ? statusShape.safeParse(jsonOf(event.data)).data : undefined;

/** The posts of the timeline after a post, oldest first. */
async function* missed(context: SourceContext, options: Options, last: string): AsyncIterable<Status> {
  let after = beforehand(last);
  for (let page = 0; page < MAX_PAGES; page++) {
    const { status, body, retryAfter } = await context.http.get({
      url: timelineOf(options, after),
      headers: headersOf(options),
      maxBytes: MAX_BYTES,
      signal: context.signal,
    });
    if (status === 429 || status >= 500) throw new SourceError(`The timeline answered ${status}.`, { retryAfter });
    if (status !== 200) {
      context.lost();
      return context.trouble(`The timeline answered ${status}. Posts made during the break are missing.`);
    }
    const statuses = z.array(statusShape).safeParse(jsonOf(body.toString())).data ?? [];
    const sorted = statuses.toSorted((one, other) => (isNewer(one.id, other.id) ? 1 : -1));
    yield* sorted;
    const newest = sorted.at(-1);
    if (newest === undefined || !isNewer(newest.id, after)) return;
    after = newest.id;
  }
  context.lost();
  context.trouble(
    `More than ${PAGE_SIZE * MAX_PAGES} posts were made during the break. The newest of them are missing.`,
  );
}

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
