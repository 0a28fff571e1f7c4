/** Reads feeds of every kind (RSS, RDF, Atom, CDF, JSON Feed) and sitemaps, in any encoding, well-formed or not. */
import { z } from 'zod';
import { parseUrl } from '../../base/parse-url.ts';
import { dateOf } from '../text/dates.ts';
import { decodeDocument } from '../text/encoding.ts';
import { plainText, tidy } from '../text/plain-text.ts';
import { jsonOf, lenient, readItems } from '../text/read-items.ts';
import { type Feed, type FeedEntry, MAX_ENTRIES, resolve, withinFeedLimits } from './feed.ts';
import { type Element, elementsIn, parseXml } from './xml.ts';
import { readXmlFeed } from './xml-feed.ts';

/** Reads sitemaps as feeds: each page is an entry, the newest on top. Those for news have titles and times as well. */

/** Returns undefined when the document is no list of pages. */
function readSitemap(document: Element, url: string): Feed | undefined {
  const root = elementsIn(document).find(({ name }) => name === 'urlset');
  if (root === undefined) return undefined;
  const all = elementsIn(root)
    .filter(({ name, isCutOff }) => name === 'url' && !isCutOff)
    .map((page) => entryOf(page, url));
  const newest = all.toSorted((one, other) => timeOf(other) - timeOf(one));
  // On a large site, pages without a time, and the oldest, are not new.
  const isDated = newest.some(({ updated }) => updated !== undefined);
  const entries = isDated ? newest.slice(0, MAX_ENTRIES) : newest;
  return {
    title: '',
    link: undefined,
    description: '',
    updated: undefined,
    entries,
    skipped: [],
    leftOut: all.length - entries.length,
    isCutOff: root.isCutOff,
  };
}

/** The sitemaps that an index lists, the one that changed last on top; none when it is no index. */
export function sitemapsIn(document: Element, url: string): string[] {
  const root = elementsIn(document).find(({ name }) => name === 'sitemapindex');
  const listed = root === undefined ? [] : elementsIn(root).filter(({ name }) => name === 'sitemap');
  return listed
    .map((one) => ({ address: addressIn(one, url), at: dateOf(textIn(one, 'lastmod'))?.getTime() ?? 0 }))
    .toSorted((one, other) => other.at - one.at)
    .flatMap(({ address }) => address ?? []);
}

const timeOf = ({ published, updated }: FeedEntry): number => (published ?? updated)?.getTime() ?? 0;

function entryOf(page: Element, url: string): FeedEntry {
  const news = elementsIn(page).find(({ name }) => name === 'news');
  const publication = news && elementsIn(news).find(({ name }) => name === 'publication');
  const address = addressIn(page, url);
  return {
    id: address,
    link: address,
    title: (news && textIn(news, 'title')) ?? titleFrom(address),
    content: '',
    summary: '',
    published: news && dateOf(textIn(news, 'publication_date')),
    updated: dateOf(textIn(page, 'lastmod')),
    language: publication && textIn(publication, 'language'),
  };
}

const addressIn = (element: Element, url: string): string | undefined => resolve(textIn(element, 'loc'), [], url);

function textIn(element: Element, wanted: string): string | undefined {
  const found = elementsIn(element).find(({ name }) => name === wanted);
  const text = found?.children.filter((child) => typeof child === 'string').join('') ?? '';
  return tidy(text) || undefined;
}

/** The words of the last part of an address: `/blog/spring-sale` is about a spring sale. */
function titleFrom(address: string | undefined): string {
  const parts =
    (address &&
      parseUrl(address)
        ?.pathname.split('/')
        .filter((part) => part !== '')) ||
    [];
  return (parts.at(-1) ?? '').replace(/\.\w{1,5}$/, '').replaceAll(/[-_+]/g, ' ');
}

/** Returns undefined when the document is no feed. Never throws. */
export function readFeed(bytes: Uint8Array, contentType: string | undefined, url: string): Feed | undefined {
  const text = decodeDocument(bytes, contentType);
  const feed = /^\s*\{/.test(text) ? readJsonFeed(text, url) : readXml(text, url);
  return feed === undefined ? undefined : withinFeedLimits(feed);
}

function readXml(text: string, url: string): Feed | undefined {
  const document = parseXml(text);
  return readXmlFeed(document, url) ?? readSitemap(document, url);
}

/** A field of JSON Feed of a wrong type counts as missing, so that the rest of the entry is kept. */
const text = lenient(z.string());
const itemShape = z.looseObject({
  id: lenient(z.union([z.string(), z.number().transform(String)])),
  url: text,
  external_url: text,
  title: text,
  content_html: text,
  content_text: text,
  summary: text,
  date_published: text,
  date_modified: text,
  language: text,
});
const jsonFeedShape = z.looseObject({
  title: text,
  home_page_url: text,
  description: text,
  language: text,
  items: z.array(z.unknown()),
});

function readJsonFeed(json: string, url: string): Feed | undefined {
  const feed = jsonFeedShape.safeParse(jsonOf(json)).data;
  if (feed === undefined) return undefined;
  const { items, skipped } = readItems(feed.items, itemShape);
  return {
    title: tidy(feed.title ?? ''),
    link: resolve(feed.home_page_url ?? undefined, [], url),
    description: tidy(feed.description ?? ''),
    updated: undefined,
    skipped,
    entries: items.map((item) => ({
      id: item.id ?? undefined,
      link: resolve(item.url ?? item.external_url ?? undefined, [], url),
      title: tidy(item.title ?? ''),
      content: item.content_html == null ? tidy(item.content_text ?? '') : plainText(item.content_html),
      summary: tidy(item.summary ?? ''),
      published: dateOf(item.date_published ?? undefined),
      updated: dateOf(item.date_modified ?? undefined),
      language: item.language ?? feed.language ?? undefined,
    })),
  };
}
