/**
 * GitHub: what happens in repositories (issues, pull requests, comments, pushes) by its API, releases by their feeds, and
 * security advisories. The token goes to the API alone.
 */
import { z } from 'zod';
import { parseUrl, trimEnd } from '../../base/parse-url.ts';
import type { Source } from '../contract/source.ts';
import { type Feed, type FeedEntry, listOf } from '../feeds/feed.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { webAddress } from '../fetch/web-address.ts';
import { dateOf } from '../text/dates.ts';
import { jsonOf, lenient } from '../text/read-items.ts';
import { ACCEPT_FEEDS, feedInAnswer, pageOfEntry } from './feeds.ts';
import { readListing } from './listing.ts';

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
  every: z.number().min(60).default(300),
  /** Seconds between two requests. */
  pause: z.number().min(0).default(1),
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
  return {
    name,
    kind: 'github',
    replaysMs: Number.POSITIVE_INFINITY,
    read: (context) =>
      readListing(
        {
          addresses: addressesOf(options),
          everyMs: options.every * 1_000,
          pauseMs: options.pause * 1_000,
          accept: `application/vnd.github+json, ${ACCEPT_FEEDS}`,
          hasUniqueIds: true,
          mostPages: MOST_PAGES,
          keepsMs: KEPT_MS,
          headersOf: (url): Record<string, string> => (isApi(url) ? headersOf(options) : {}),
          next: (answer) => nextPage(answer, api),
          async read(reading, answer) {
            if (isFeed(answer.url)) return feedInAnswer(reading, answer);
            const text = answer.body.toString();
            return isAdvisories(answer.url) ? advisoriesIn(text) : eventsIn(text, options);
          },
          eventsOf: (version) => ({ page: pageOfEntry(name, version, { types: TYPES }) }),
        },
        context,
      ),
  };
}

const isFeed = (url: string): boolean => new URL(url).pathname.endsWith('/releases.atom');
const isAdvisories = (url: string): boolean => new URL(url).pathname.endsWith('/advisories');

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

/** Lists of GitHub's API as feeds: events of a repository, and security advisories. */
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
