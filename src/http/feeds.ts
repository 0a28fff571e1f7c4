/**
 * `GET /feeds/{secret}.atom`, `.rss` and `.json`: who has the address reads the feed. A wrong one is looked up as a right one
 * is, by its digest, and answered alike whatever is wrong with it.
 */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createVersionedCache } from '../base/versioned-cache.ts';
import { refuseSuspended } from '../service/access/caller.ts';
import { limitReached } from '../service/limits.ts';
import { FEED_FORMATS, type FeedFormat, feedDigest } from '../service/matches/feeds.ts';
import { type FeedPage, sharedFeedPage } from '../service/matches/read-feed.ts';
import { RequestError } from './errors.ts';
import type { HttpAppOptions } from './options.ts';
import { createLimiter, type Limiter, networkOf } from './rate-limit.ts';

export const FEED_PATH = '/feeds/:file';

/** Requests a minute of one address; a wrong secret counts as six. */
const BY_ADDRESS = { perMinute: 120, burst: 120 };
const WRONG_COST = 6;
/** Requests a minute for one feed, whoever reads it. */
const BY_FEED = { perMinute: 600, burst: 200 };
const KEPT_BYTES = 16 * 1024 * 1024;

export const FEED_TYPES: Record<FeedFormat, string> = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

interface Rendered extends FeedPage {
  readonly etag: string;
}

export function addFeeds(app: FastifyInstance, { context, publicUrl, rateLimit, websubHub }: HttpAppOptions): void {
  const { store, clock } = context;
  const limiterOf = (policy: typeof BY_FEED) =>
    rateLimit === undefined ? undefined : createLimiter(policy, () => clock.now());
  const [byAddress, byFeed] = [limiterOf(BY_ADDRESS), limiterOf(BY_FEED)];
  const cache = createVersionedCache<Rendered>(() => store.version(), {
    limit: KEPT_BYTES,
    weightOf: ({ body }) => body.length,
  });
  app.get(FEED_PATH, async (request, reply) => {
    const network = networkOf(request.ip);
    take(byAddress, network, 1);
    const { secret, format } = fileOf(request);
    const feed = await store.sharedFeedByDigest(feedDigest(secret));
    if (feed === undefined || format === undefined) {
      take(byAddress, network, WRONG_COST - 1);
      throw new RequestError('not_found', 'There is no feed at this address.');
    }
    take(byFeed, feed.id, 1);
    refuseSuspended((await store.account(feed.accountId)) ?? {});
    const { cursor } = request.query as { cursor?: unknown };
    const place = {
      base: ownAddress(request, publicUrl),
      path: `/feeds/${secret}.${format}`,
      cursor: typeof cursor === 'string' ? cursor : undefined,
      hub: websubHub,
    };
    const page = await cache.get(JSON.stringify([place, feed.id]), async () => {
      // Readers share the page, so it is written to its end when one of them goes.
      // Its readers are no callers of the account: what they cost is told the operator, and takes nothing from its limits.
      const onCpu = (spent: number) => context.accountUses.add(feed.accountId, { cpu_ms: spent, turns: 1 });
      const wish = { accountId: feed.accountId, signal: new AbortController().signal, onCpu };
      const read = await context.compute.run(sharedFeedPage, { feed, format, place }, wish);
      return { ...read, etag: `"${hash('sha256', read.body, 'base64url')}"` };
    });
    return answer(request, reply.type(FEED_TYPES[format]), page, websubHub);
  });
}

function take(limiter: Limiter | undefined, id: string, cost: number): void {
  const taken = limiter?.take(id, cost);
  if (taken === undefined || taken.allowed) return;
  throw limitReached('feed_requests', `Feeds are read ${limiter!.policy.perMinute} times a minute at most.`, {
    details: { per_minute: limiter!.policy.perMinute },
    retryAfter: taken.retryAfter,
  });
}

/** Anything that is not the name of a feed is a secret that no feed has. */
function fileOf(request: FastifyRequest): { secret: string; format: FeedFormat | undefined } {
  const { file } = request.params as { file: string };
  const dot = file.lastIndexOf('.');
  const format = FEED_FORMATS.find((name) => name === file.slice(dot + 1));
  return { secret: dot === -1 ? file : file.slice(0, dot), format };
}

/** There is no `Last-Modified`: the newest time of a feed goes back when an entry is erased, so that a date would hide it. */
function answer(request: FastifyRequest, reply: FastifyReply, { body, self, etag }: Rendered, hub?: string) {
  reply.headers({
    ETag: etag,
    'Cache-Control': 'private, max-age=60',
    'X-Robots-Tag': 'noindex',
    ...(hub !== undefined && { Link: `<${hub}>; rel="hub", <${self}>; rel="self"` }),
  });
  return hasTag(request, etag)
    ? reply.code(304).send()
    : reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}

/** Whether the reader has the very answer with this tag. */
export const hasTag = ({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean =>
  headers['if-none-match']?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) === true;

/** How the caller reached this server. */
export const ownAddress = (request: FastifyRequest, publicUrl: string | undefined): string =>
  publicUrl ?? `${schemeOf(request)}://${hostOf(request)}`;

/** A proxy may pass on whatever a client says of it. */
const schemeOf = ({ protocol }: FastifyRequest): string => (protocol.toLowerCase() === 'https' ? 'https' : 'http');

/** A Host header may hold anything; only what can be a host is repeated. Port 99999 and the address 1.2.3.256 cannot. */
const hostOf = ({ host }: FastifyRequest): string =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) && URL.canParse(`http://${host}`) ? host : '127.0.0.1:4800';
