/**
 * Finds what can be watched at an address: the service behind it, feeds that it is, declares, links to or has at the usual
 * places, a sitemap, and the page itself. Each is tried before it is offered, so that its samples are true.
 */
import { parseUrl } from '../../base/parse-url.ts';
import type { Page } from '../contract/page.ts';
import type { HttpAnswer } from '../fetch/fetch-url.ts';
import { SourceError } from '../fetch/source-error.ts';
import type { DocumentReader } from '../reading/document-reader.ts';
import { loadLanguages } from '../text/language.ts';
import type { PageFacts } from '../watch/page-facts.ts';
import type { PagePart } from '../watch/page-parts.ts';
import { draftsOfService, type SourceDraft } from './services.ts';
import { boundedHttp, type DiscoveryTools, readAddress, sampleOf } from './visits.ts';

export interface SourceCandidate {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly about: string;
  /** Its newest events, the newest first. */
  readonly samples: readonly Page[];
  readonly ratePerDay: number | undefined;
  /** Why it brought no samples. */
  readonly problem: string | undefined;
  /** The parts of a page that can be watched instead of all of it. */
  readonly parts?: readonly PagePart[];
}

/** The whole of a discovery takes no longer. */
const PATIENCE_MS = 20_000;
const MOST_DECLARED = 6;
const MOST_NAME = 200;
const ACCEPT =
  'text/html, application/xhtml+xml, application/atom+xml, application/rss+xml, application/feed+json, */*;q=0.5';
const WELL_KNOWN = [
  '/feed',
  '/rss.xml',
  '/feed.xml',
  '/atom.xml',
  '/index.xml',
  '/rss',
  '/feed.json',
  '/feeds/posts/default',
];
/** Pages that list what is new on a site. */
const LISTING =
  /^\/(?:blog|news|posts|articles|journal|archive|updates|press|stories|aktuelles|noticias|actualites)?\/?$/i;
const COMMENTS = /comment|kommentar|comentari|commenti|reacties|コメント|评论|комментари/i;

export interface DiscoveryWish extends Omit<DiscoveryTools, 'reader'> {
  /** A document is read no longer than until the signal aborts. */
  readerFor(signal: AbortSignal): DocumentReader;
}

/** Throws when it is no address, or nothing answers there. */
export async function discover(pasted: string, { readerFor, ...given }: DiscoveryWish): Promise<SourceCandidate[]> {
  const url = readAddress(pasted);
  if (url === undefined)
    throw new SourceError('This is no address of the web. Paste one such as https://example.org/.');
  await loadLanguages();
  const ended = new AbortController();
  const signal = AbortSignal.any([given.signal, ended.signal]);
  const tools = { ...given, signal, reader: readerFor(signal), http: boundedHttp(given.http, signal) };
  void given.clock.sleep(PATIENCE_MS, ended.signal).then(() => ended.abort());
  try {
    return await candidatesAt(url, tools);
  } finally {
    ended.abort();
  }
}

async function candidatesAt(url: URL, tools: DiscoveryTools): Promise<SourceCandidate[]> {
  const visit = await visitOf(url, tools);
  const { facts } = visit;
  const places = [url, visit.landed].filter((one, at, all) => all.findIndex(({ href }) => href === one.href) === at);
  const service = places.map((place) => draftsOfService(place, facts)).find((drafts) => drafts.length > 0) ?? [];
  const known = await tried(service, tools);
  if (visit.answer === undefined && known.length === 0) throw visit.failure;
  const own = await tried(
    visit.lists.map((address) => draftOfFeed(address)),
    tools,
  );
  const isFeed = own.length > 0;
  const declared = isFeed ? [] : await tried(declaredBy(visit.landed, facts), tools);
  const watched = await watchOf(url, visit, tools);
  const found = [...known, ...own, ...declared];
  if (found.length > 0) return distinct([...found.filter(isFilled), watched, ...found.filter((one) => !isFilled(one))]);
  const probed = await probe(visit.landed, tools);
  const covers = LISTING.test(visit.landed.pathname) || probed?.isNear === true;
  return [...(probed && covers ? [probed.candidate] : []), watched, ...(probed && !covers ? [probed.candidate] : [])];
}

/** A candidate that cannot be tried keeps its place; a feed without entries goes behind the page. */
const isFilled = ({ kind, samples, problem }: SourceCandidate): boolean =>
  kind !== 'feeds' || samples.length > 0 || problem !== undefined;

interface Visit {
  readonly answer: HttpAnswer | undefined;
  readonly failure: unknown;
  readonly landed: URL;
  /** Its own address when it is a feed, or the newest sitemap that it lists. */
  readonly lists: readonly string[];
  readonly facts: PageFacts | undefined;
}

/** Visits the address itself. Some services refuse programs, and are known by their addresses. */
async function visitOf(url: URL, { http, reader, signal }: DiscoveryTools): Promise<Visit> {
  const nothing = { answer: undefined, landed: url, lists: [], facts: undefined };
  try {
    const answer = await http.get({ url: url.href, headers: { accept: ACCEPT }, signal });
    const landed = parseUrl(answer.url) ?? url;
    if (answer.status !== 200)
      return { ...nothing, failure: new SourceError(`${url.host} answered ${answer.status}.`) };
    const document = { bytes: answer.body, contentType: answer.headers['content-type'], url: landed.href };
    if ((await reader.feed(document)) !== undefined)
      return { answer, failure: undefined, landed, lists: [landed.href], facts: undefined };
    const lists = (await reader.sitemaps(document)).slice(0, 1);
    return { answer, failure: undefined, landed, lists, facts: await reader.facts(document) };
  } catch (failure) {
    return { ...nothing, failure };
  }
}

const draftOfFeed = (url: string, about = 'A feed'): SourceDraft => ({
  kind: 'feeds',
  options: { urls: [url] },
  about,
});

/** The feeds that a page names: those for the page before those for the site, comments last. */
function declaredBy(page: URL, facts: PageFacts | undefined): SourceDraft[] {
  const isAbout = ({ url }: { url: string }): number => {
    const path = parseUrl(url)?.pathname ?? '';
    return Number(page.pathname.length > 1 && path.startsWith(page.pathname.replace(/\/$/, '')));
  };
  const isTalk = ({ url, title }: { url: string; title: string }): number => Number(COMMENTS.test(`${url} ${title}`));
  const links = facts?.feeds.length ? facts.feeds : (facts?.anchors ?? []);
  return links
    .toSorted((one, other) => isTalk(one) - isTalk(other) || isAbout(other) - isAbout(one))
    .slice(0, MOST_DECLARED)
    .map(({ url }) => draftOfFeed(url, 'A feed that the page names'));
}

/** The drafts that can be read, in their order. */
async function tried(drafts: readonly SourceDraft[], tools: DiscoveryTools): Promise<SourceCandidate[]> {
  const all = await Promise.all(
    drafts.map(async (draft) => {
      const { events, perDay, problem } = await sampleOf(draft, tools);
      if (problem !== undefined && events.length === 0 && draft.isCertain !== true) return [];
      const name = draft.name ?? (await nameOf(draft, tools)) ?? events[0]?.url ?? draft.kind;
      return [candidateOf(draft, name, events, perDay, events.length === 0 ? problem : undefined)];
    }),
  );
  return all.flat();
}

const candidateOf = (
  { kind, options, about }: SourceDraft,
  name: string,
  samples: readonly Page[],
  ratePerDay: number | undefined,
  problem: string | undefined,
): SourceCandidate => ({
  kind,
  options,
  name: name.slice(0, MOST_NAME).toWellFormed(),
  about,
  samples,
  ratePerDay,
  problem,
});

/** The title of the feed, or its host. */
async function nameOf({ options }: SourceDraft, { http, reader, signal }: DiscoveryTools): Promise<string | undefined> {
  const urls = options['urls'];
  const url: unknown = Array.isArray(urls) ? urls[0] : undefined;
  if (typeof url !== 'string') return undefined;
  const { body, headers } = await http.get({ url, signal });
  const feed = await reader.feed({ bytes: body, contentType: headers['content-type'], url });
  return feed?.title || parseUrl(url)?.host;
}

/** Several feeds of the same entries are one. */
function distinct(candidates: readonly SourceCandidate[]): SourceCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ kind, samples }) => {
    const key = samples.map(({ url }) => url).join(' ');
    if (kind === 'watch' || key === '') return true;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

async function watchOf(url: URL, { facts, failure }: Visit, tools: DiscoveryTools): Promise<SourceCandidate> {
  const draft: SourceDraft = {
    kind: 'watch',
    options: { urls: [url.href] },
    about: 'The page itself: text that appears or vanishes',
  };
  const { events, problem } = await sampleOf(draft, tools);
  const why = failure instanceof Error ? failure.message : problem;
  const name = facts?.title || url.host;
  return {
    ...candidateOf(draft, name, events, undefined, events.length === 0 ? why : undefined),
    parts: facts?.parts ?? [],
  };
}

/** A feed at one of the usual places, or else a sitemap; the feed is near when the page is in its folder. */
async function probe(
  page: URL,
  tools: DiscoveryTools,
): Promise<{ candidate: SourceCandidate; isNear: boolean } | undefined> {
  const folder = page.pathname.replace(/\/$/, '');
  const inFolder =
    folder === '' || folder.split('/').length > 3 ? [] : [`${folder}/feed`, `${folder}/rss.xml`, `${folder}/index.xml`];
  for (const path of [...inFolder, ...WELL_KNOWN]) {
    const address = parseUrl(path, page.origin)?.href;
    const [candidate] =
      address === undefined ? [] : await tried([draftOfFeed(address, 'A feed at a usual place of this site')], tools);
    if (candidate !== undefined && candidate.samples.length > 0) return { candidate, isNear: inFolder.includes(path) };
  }
  for (const address of await sitemapsOf(page, tools)) {
    const [candidate] = await tried([draftOfFeed(address, 'The sitemap: pages that are new on this site')], tools);
    if (candidate !== undefined && candidate.samples.length > 0)
      return { candidate: { ...candidate, name: `${page.host}: new pages` }, isNear: false };
  }
  return undefined;
}

/** The sitemaps that robots.txt names, or the usual one; of an index, the one that changed last. */
async function sitemapsOf(page: URL, { http, reader, signal }: DiscoveryTools): Promise<string[]> {
  const textOf = async (url: string): Promise<HttpAnswer | undefined> => {
    const answer = await http.get({ url, signal }).catch(() => undefined);
    return answer?.status === 200 ? answer : undefined;
  };
  const robots = (await textOf(`${page.origin}/robots.txt`))?.body.toString('utf8', 0, 100_000) ?? '';
  const named = Array.from(robots.matchAll(/^sitemap:[ \t]*(\S+)/gim), ([, address]) => address!);
  const found: string[] = [];
  for (const address of [...named, `${page.origin}/sitemap.xml`].slice(0, 3)) {
    const answer = await textOf(address);
    if (answer === undefined) continue;
    const listed = await reader.sitemaps({
      bytes: answer.body,
      contentType: answer.headers['content-type'],
      url: answer.url,
    });
    found.push(listed[0] ?? address);
  }
  return found;
}
