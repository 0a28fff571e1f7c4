/** Reads feeds of every kind (RSS, RDF, Atom, CDF, JSON Feed) and sitemaps, in any encoding, well-formed or not. */
import { z } from 'zod';
import { dateOf } from '../text/dates.ts';
import { decodeDocument } from '../text/encoding.ts';
import { plainText, tidy } from '../text/plain-text.ts';
import { jsonOf, lenient, readItems } from '../text/read-items.ts';
import { type Feed, resolve, withinFeedLimits } from './feed.ts';
import { readSitemap } from './sitemap.ts';
import { parseXml } from './xml.ts';
import { readXmlFeed } from './xml-feed.ts';

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
