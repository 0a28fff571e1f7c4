/** The facts that a page states for programs: its feeds, its name, and the parts that can be watched. */
import { parseHTML } from 'linkedom';
import { parseUrl } from '../../base/parse-url.ts';
import { decodeDocument } from '../text/encoding.ts';
import { tidy } from '../text/plain-text.ts';
import { type PagePart, partsOf } from './page-parts.ts';
import { attributeOf, textAtStart, type WithAttributes } from './tree.ts';

export interface PageFacts {
  readonly title: string;
  readonly description: string;
  /** Names and values of `meta` elements, by `name`, `property` or `itemprop`. */
  readonly meta: Readonly<Record<string, string>>;
  readonly canonical: string | undefined;
  /** The feeds that `link rel=alternate` offers, in order. */
  readonly feeds: readonly FeedLink[];
  /** Links in the text that look like feeds. */
  readonly anchors: readonly FeedLink[];
  /** The first id of a YouTube channel in the page's scripts, which is that of the page. */
  readonly channel: string | undefined;
  /** It was made by Lemmy's web interface. */
  readonly isLemmy: boolean;
  readonly parts: readonly PagePart[];
}

export interface FeedLink {
  readonly url: string;
  readonly title: string;
}

const MAX_LINKS = 20;
const MAX_ANCHORS = 10;
const MAX_META = 100;
const MAX_TEXT = 500;
/** Links beyond these are not looked at. */
const MAX_LOOKED = 5_000;

const FEED_TYPE = /^application\/(?:rss|atom|rdf|feed)\+(?:xml|json)|^application\/json$|^text\/(?:xml|rss)/i;
const FEED_PATH = /(?:\.(?:rss|atom|rdf)|\/(?:feed|rss|atom)(?:\.xml|\.json)?|\/(?:index|feeds?)\.xml)\/?$/i;
const FEED_WORDS = /^(?:rss|atom|feed|rss[ -]feed|atom[ -]feed|json feed|subscribe \(rss\)|subscribe via rss)$/i;
const CHANNEL = /"(?:externalId|externalChannelId|channelId)":"(UC[\w-]{22})"/;

type HtmlDocument = ReturnType<typeof parseHTML>['document'];

export function pageFacts(bytes: Uint8Array, contentType: string | undefined, url: string): PageFacts {
  const html = decodeDocument(bytes, contentType);
  const { document } = parseHTML(html);
  const base = parseUrl(hrefOf(document.querySelector('base')) ?? '', url)?.href ?? url;
  const meta = metaIn(document);
  return {
    title: short(document.querySelector('title')?.textContent ?? meta['og:title'] ?? ''),
    description: meta['description'] ?? meta['og:description'] ?? '',
    meta,
    canonical: addressOf(hrefOf(document.querySelector('link[rel="canonical"]')), base),
    feeds: feedsIn(document, base),
    anchors: anchorsIn(document, base),
    channel: CHANNEL.exec(html)?.[1],
    isLemmy: html.includes('window.isoData') || /lemmy/i.test(meta['generator'] ?? ''),
    parts: partsOf(document),
  };
}

const hrefOf = (element: WithAttributes | null): string | undefined =>
  element === null ? undefined : attributeOf(element, 'href');

const short = (text: string): string => tidy(text).slice(0, MAX_TEXT).toWellFormed();

/** Http and https only. */
function addressOf(href: string | undefined, base: string): string | undefined {
  const url = href === undefined || href.length > 2_000 ? null : parseUrl(href.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function metaIn(document: HtmlDocument): Record<string, string> {
  const meta: Record<string, string> = {};
  for (const element of [...document.querySelectorAll('meta')].slice(0, MAX_META)) {
    const name = attributeOf(element, 'name') ?? attributeOf(element, 'property') ?? attributeOf(element, 'itemprop');
    const content = short(attributeOf(element, 'content') ?? '');
    if (name !== undefined && name !== '__proto__' && content !== '')
      meta[name.toLowerCase().slice(0, 100)] ??= content;
  }
  return meta;
}

function feedsIn(document: HtmlDocument, base: string): FeedLink[] {
  const links = [...document.querySelectorAll('link')].slice(0, MAX_LOOKED).filter((link) => {
    const rel = (attributeOf(link, 'rel') ?? '').toLowerCase().split(/\s/);
    return (rel.includes('alternate') || rel.includes('feed')) && FEED_TYPE.test(attributeOf(link, 'type') ?? '');
  });
  return linked(links, base, (link) => attributeOf(link, 'title') ?? '').slice(0, MAX_LINKS);
}

function anchorsIn(document: HtmlDocument, base: string): FeedLink[] {
  const anchors = [...document.querySelectorAll('a')].slice(0, MAX_LOOKED).filter((anchor) => {
    const path = (attributeOf(anchor, 'href') ?? '').slice(0, 2_000).split(/[?#]/, 1)[0]!;
    return FEED_PATH.test(path) || FEED_WORDS.test(short(textAtStart(anchor, MAX_TEXT)));
  });
  return linked(anchors, base, () => '').slice(0, MAX_ANCHORS);
}

/** Each address once. */
function linked<T extends WithAttributes>(
  elements: readonly T[],
  base: string,
  titleOf: (element: T) => string,
): FeedLink[] {
  const found = new Map<string, FeedLink>();
  for (const element of elements) {
    const url = addressOf(attributeOf(element, 'href'), base);
    if (url !== undefined && !found.has(url)) found.set(url, { url, title: short(titleOf(element)) });
  }
  return [...found.values()];
}
