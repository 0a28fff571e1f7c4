/** Reads sitemaps as feeds: each page is an entry, the newest on top. Those for news have titles and times as well. */
import { parseUrl } from '../../base/parse-url.ts';
import { dateOf } from '../text/dates.ts';
import { tidy } from '../text/plain-text.ts';
import { type Feed, type FeedEntry, MAX_ENTRIES, resolve } from './feed.ts';
import type { Element } from './xml.ts';

/** Returns undefined when the document is no list of pages. */
export function readSitemap(document: Element, url: string): Feed | undefined {
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

const elementsIn = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');

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
