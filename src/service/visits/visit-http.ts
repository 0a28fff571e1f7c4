/**
 * How sources of accounts are fetched: from public addresses only, one request to a host at a time for all accounts together, with a
 * pause between two of them, and none while the host has asked us to stay away. robots.txt of a host is kept for an hour.
 */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import type { HttpAnswer, HttpRequest, SourceHttp } from '../../sources/fetch/fetch-url.ts';
import { createPolite } from '../../sources/fetch/polite.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import type { SourceSecret } from '../../sources/kinds/account-source.ts';
import type { DocumentReader, SharedReader } from '../../sources/reading/document-reader.ts';
import { robotsIn } from '../../sources/watch/robots.ts';

/** The facts that a visit learned from the answers. */
export interface AnswersSeen {
  bytes: number;
  /** Requests that were made. */
  fetches: number;
  /** The status of the last answer that was not robots.txt. */
  status: number | undefined;
  /** The address that it answers from for good. */
  movedTo: string | undefined;
  /** Seconds that the host asks us to stay away. */
  retryAfter: number | undefined;
}

export interface VisitHttp {
  /** For one visit: `host` alone is sent the secret. Nothing is sent when `beforeSend` throws. */
  open(
    host: string,
    secret: SourceSecret | undefined,
    beforeSend?: () => void,
  ): { readonly http: SourceHttp; readonly seen: AnswersSeen };
}

interface KnownRobots {
  readonly at: number;
  readonly answer: HttpAnswer;
  /** The pause that it asks for. */
  readonly delayMs: number;
}

const ROBOTS_MS = 3_600_000;
const ROBOTS_KEPT = 1_000;
const MAX_ROBOTS = 16 * 1024;

export function createVisitHttp(clock: Clock, http: Pick<SourceHttp, 'get'>, pauseMs: number): VisitHttp {
  const refuse = () => {
    throw new SourceError('Sources of accounts are visited, and hold no connection open.');
  };
  const polite = createPolite({ clock, http, pauseMs });
  const robots = createLru<string, KnownRobots>({ limit: ROBOTS_KEPT });

  async function getRobots(request: HttpRequest, seen: AnswersSeen): Promise<HttpAnswer> {
    const known = robots.get(request.url);
    const isFresh = known !== undefined && clock.elapsed() - known.at < ROBOTS_MS;
    if (!isFresh) seen.fetches++;
    const answer = isFresh ? known.answer : await polite.get(request);
    const delayMs = isFresh ? known.delayMs : robotsIn(answer.body).delayMs;
    // Also for a known one: a host that was idle has been forgotten.
    polite.slowDown(request.url, delayMs);
    if (!isFresh && answer.status < 500 && answer.status !== 429 && answer.body.length <= MAX_ROBOTS)
      robots.set(request.url, { at: clock.elapsed(), answer, delayMs });
    return answer;
  }

  return {
    open(host, secret, beforeSend) {
      const seen: AnswersSeen = { bytes: 0, fetches: 0, status: undefined, movedTo: undefined, retryAfter: undefined };
      const get = async (request: HttpRequest): Promise<HttpAnswer> => {
        const { host: asked, pathname } = new URL(request.url);
        if (pathname === '/robots.txt') return getRobots({ ...request, beforeSend }, seen);
        seen.fetches++;
        const answer = await polite
          .get({ ...request, beforeSend, ...(asked === host && { secrets: secret?.headers }) })
          .catch((error: unknown) => {
            if (error instanceof SourceError) seen.retryAfter = error.retryAfter ?? seen.retryAfter;
            throw error;
          });
        note(seen, request, answer);
        return answer;
      };
      return { http: { get, stream: refuse, socket: refuse }, seen };
    },
  };
}

function note(seen: AnswersSeen, { url }: HttpRequest, answer: HttpAnswer): void {
  seen.bytes += answer.body.length;
  seen.status = answer.status;
  if (answer.status >= 400) seen.retryAfter = answer.retryAfter ?? seen.retryAfter;
  const isMoved = answer.status === 200 && answer.isDetour === false && answer.url !== new URL(url).href;
  if (isMoved) seen.movedTo ??= answer.url;
}

export interface FetchMeter {
  /** Fetches that it may make. */
  readonly most: number;
  fetches: number;
  bytes: number;
  /** The account that the documents are read for. */
  readonly accountId: string;
  /** Milliseconds of CPU that reading them took. */
  cpuMs: number;
}

/** The part of a reader that reads for the account of a meter, and counts. */
export const meteredReader = (reader: SharedReader, meter: FetchMeter, signal: AbortSignal): DocumentReader =>
  reader.for({
    owner: meter.accountId,
    signal,
    onCpu: (milliseconds) => {
      meter.cpuMs += milliseconds;
    },
  });

/** Counts what fetching beside visits takes, and ends it when the account has no fetches left. */
export const meteredHttp = (http: SourceHttp, meter: FetchMeter): SourceHttp => ({
  ...http,
  async get(request) {
    if (meter.fetches >= meter.most)
      throw new SourceError('The account has no fetches left in this hour (source_fetches_per_hour).');
    meter.fetches++;
    const answer = await http.get(request);
    meter.bytes += answer.body.length;
    return answer;
  },
});
