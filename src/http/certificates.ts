/**
 * `GET /certificates/head`, `/certificates/log`, `/certificates/proof` and `/certificates/heads.{atom,rss,json}`: the public log of
 * certificates. It needs no key: who would be told another truth must be able to compare.
 */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitReached } from '../service/limits.ts';
import { headsFeed, logPage, logProof } from '../service/matches/certificate-log.ts';
import { FEED_FORMATS } from '../service/matches/feeds.ts';
import { headAt } from '../service/outlets/certificate-heads.ts';
import { unreadable } from './errors.ts';
import { FEED_TYPES, hasTag, ownAddress } from './feeds.ts';
import type { HttpAppOptions } from './options.ts';
import { createLimiter, networkOf } from './rate-limit.ts';

const LOG_PATH = '/certificates';

/** Requests a minute of one address. */
const BY_ADDRESS = { perMinute: 120, burst: 120 };

/** A head may be followed by the next one at once: a cache asks again each time. Proofs between two sizes stay what they are. */
const CHECKED = 'no-cache';
const STABLE = 'public, max-age=3600';

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function addCertificates(app: FastifyInstance, options: HttpAppOptions): void {
  const { context, publicUrl, websubHub } = options;
  const add = adderTo(app, options);
  add('/head', async (request, reply) => {
    nothingIn(request);
    return json(request, reply, await headAt(context), CHECKED);
  });
  add('/log', async (request, reply) => {
    const page = await logPage(context, queryOf(request));
    return json(request, reply, page, page.next === null ? CHECKED : STABLE);
  });
  add('/proof', async (request, reply) => {
    const query = queryOf(request);
    const isStable = 'size' in query || 'to' in query;
    return json(request, reply, await logProof(context, query), isStable ? STABLE : CHECKED);
  });
  for (const format of FEED_FORMATS)
    add(`/heads.${format}`, async (request, reply) => {
      nothingIn(request);
      const self = `${ownAddress(request, publicUrl)}${LOG_PATH}/heads.${format}`;
      const body = await headsFeed(context, format, { self, hub: websubHub });
      return answerOf(request, reply.type(FEED_TYPES[format]), body, CHECKED);
    });
}

/** Adds paths of the log, which share one limit. */
function adderTo(app: FastifyInstance, { context, rateLimit }: HttpAppOptions) {
  const limiter = rateLimit === undefined ? undefined : createLimiter(BY_ADDRESS, () => context.clock.now());
  return (path: string, answer: Answer) =>
    app.get(`${LOG_PATH}${path}`, async (request, reply) => {
      const taken = limiter?.take(networkOf(request.ip), 1);
      if (taken?.allowed === false)
        throw limitReached(
          'feed_requests',
          `The log of certificates is read ${BY_ADDRESS.perMinute} times a minute at most.`,
          { retryAfter: taken.retryAfter, details: { per_minute: BY_ADDRESS.perMinute } },
        );
      return answer(request, reply);
    });
}

const queryOf = ({ query }: FastifyRequest): object => query as object;

function nothingIn(request: FastifyRequest): void {
  if (Object.keys(queryOf(request)).length > 0) throw unreadable('This path takes no parameters.');
}

const json = (request: FastifyRequest, reply: FastifyReply, answer: object, cache: string): FastifyReply =>
  answerOf(request, reply.type('application/json; charset=utf-8'), JSON.stringify(answer), cache);

function answerOf(request: FastifyRequest, reply: FastifyReply, body: string, cache: string): FastifyReply {
  const etag = `"${hash('sha256', body, 'base64url')}"`;
  reply.headers({ ETag: etag, 'Cache-Control': cache });
  return hasTag(request, etag) ? reply.code(304).send() : reply.send(body);
}
