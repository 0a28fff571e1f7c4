/**
 * GitHub: what happens in repositories (issues, pull requests, comments, pushes) by its API, releases by their feeds, and
 * security advisories. The token goes to the API alone.
 */
import { z } from 'zod';
import { parseUrl, trimEnd } from '../../base/parse-url.ts';
import type { Source } from '../contract/source.ts';
import type { ApiList } from '../feeds/api-lists.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { webAddress } from '../fetch/web-address.ts';
import { ACCEPT_FEEDS, feedInAnswer, pageOfEntry } from './feeds.ts';
import { listingSource } from './listing.ts';

export const githubOptions = z.strictObject({
  /** Each as `owner/name`. */
  repos: z.array(z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be owner/name')).default([]),
  events: z.boolean().default(true),
  releases: z.boolean().default(true),
  /** Advisories of all packages. They are on by default when no repository is named. */
  advisories: z.boolean().optional(),
  /** Allows 5,000 requests an hour; without one, 60. */
  token: z.string().optional(),
  /** Seconds between two visits of a list. */
  every: everyOption(60, 300),
  /** Seconds between two requests. */
  pause: pauseOption(1),
  url: webAddress.default('https://api.github.com'),
  web: webAddress.default('https://github.com'),
});

type Options = z.output<typeof githubOptions>;

const PAGE_SIZE = 100;
/** The API lists 300 events of a repository. */
const MOST_PAGES = 3;
/** The API lists events for a month. */
const KEPT_MS = 28 * 24 * 3_600_000;
const TYPES: readonly string[] = ['/User_Generated_Content', '/User_Generated_Content/Discussions'];

export function github(name: string, options: Options): Source {
  const api = new URL(options.url);
  const isApi = (url: string) => new URL(url).origin === api.origin && !isFeed(url);
  return listingSource(name, 'github', options, {
    addresses: addressesOf(options),
    accept: `application/vnd.github+json, ${ACCEPT_FEEDS}`,
    hasUniqueIds: true,
    mostPages: MOST_PAGES,
    keepsMs: KEPT_MS,
    headersOf: (url): Record<string, string> => (isApi(url) ? headersOf(options) : {}),
    next: (answer) => nextPage(answer, api),
    read: (reading, answer) => feedInAnswer(reading, answer, listAt(answer.url, options)),
    eventsOf: (version) => ({ page: pageOfEntry(name, version, { types: TYPES }) }),
  });
}

const isFeed = (url: string): boolean => new URL(url).pathname.endsWith('/releases.atom');
const isAdvisories = (url: string): boolean => new URL(url).pathname.endsWith('/advisories');

/** Releases come by their feed where that is read: then they are left out of the events. */
function listAt(url: string, { releases }: Options): ApiList | undefined {
  if (isFeed(url)) return undefined;
  if (isAdvisories(url)) return 'github-advisories';
  return releases ? 'github-events-without-releases' : 'github-events';
}

function addressesOf({ repos, events, releases, advisories = repos.length === 0, url, web }: Options): string[] {
  const base = trimEnd(url, '/');
  return [
    ...(events ? repos.map((repo) => `${base}/repos/${repo}/events?per_page=${PAGE_SIZE}`) : []),
    ...(releases ? repos.map((repo) => `${trimEnd(web, '/')}/${repo}/releases.atom`) : []),
    ...(advisories ? [`${base}/advisories?per_page=${PAGE_SIZE}&sort=updated&direction=desc`] : []),
  ];
}

const headersOf = ({ token }: Options): Record<string, string> => ({
  'x-github-api-version': '2022-11-28',
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});

/** `Link: <URL>; rel="next"`. An address of another host is not followed: the token would go there. */
function nextPage({ headers, url }: HttpAnswer, api: URL): string | undefined {
  const [, link] =
    /<([^<>]{1,2000})>\s*;[^,<]*\brel="?next"?/.exec(String(headers['link'] ?? '').slice(0, 8_000)) ?? [];
  const next = link === undefined ? null : parseUrl(link, url);
  return next !== null && next.origin === api.origin ? next.href : undefined;
}
