/** Characters that XML 1.0 allows in no form, not even as a reference: controls, and the two that are no characters. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\ufffe\uffff]/gu;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For the content of an element and for an attribute in double quotes. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replaceAll('\r', '&#13;');

/** Plain text as HTML: paragraphs and line breaks stay, and nothing in it is markup. */
export const htmlParagraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${xmlText(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');

/** An element, left out when there is nothing to say. */
const element = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${xmlText(text)}</${name}>`;

/** XML and HTML from plain text. Nothing is written as CDATA, so nothing can end one. */
const emptyElement = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${xmlText(value)}"`)
    .join('')}/>`;

/** A feed before it is written in one of its formats. Texts are by strangers, without hidden characters. */
export interface FeedDocument {
  /** A URN, which never changes. */
  readonly id: string;
  readonly title: string;
  /** This page of the feed. */
  readonly self: string;
  /** The page with older entries. */
  readonly next: string | undefined;
  /** A WebSub hub that passes the feed on. */
  readonly hub: string | undefined;
  readonly updated: Date;
  /** Newest first. */
  readonly entries: readonly SyndicatedEntry[];
}

export interface SyndicatedEntry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** The text with markup, where the feed has a template. */
  readonly html?: string | undefined;
  /** An http or https address. */
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly published: Date;
  readonly updated: Date;
  /** The platform. */
  readonly category: string;
}

export const FEED_FORMATS = ['atom', 'rss', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** The name of the program that made the feed. */
const GENERATOR = 'Sluice';

/** Atom (RFC 4287), with the links of paged feeds (RFC 5005). */
export const atomFeed = ({ id, title, self, next, hub, updated, entries }: FeedDocument): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
${[
  element('id', id),
  element('title', title),
  element('updated', updated.toISOString()),
  // An entry without an author needs the feed to have one.
  `<author>${element('name', GENERATOR)}</author>`,
  element('generator', GENERATOR),
  emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: self }),
  ...(next === undefined ? [] : [emptyElement('link', { rel: 'next', type: 'application/atom+xml', href: next })]),
  ...(hub === undefined ? [] : [emptyElement('link', { rel: 'hub', href: hub })]),
  ...entries.map(entryOf),
].join('\n')}
</feed>
`;

const entryOf = ({ id, title, text, html, link, author, published, updated, category }: SyndicatedEntry): string =>
  `<entry>${[
    element('id', id),
    element('title', title),
    element('published', published.toISOString()),
    element('updated', updated.toISOString()),
    author === undefined ? '' : `<author>${element('name', author)}</author>`,
    emptyElement('category', { term: category }),
    link === undefined ? '' : emptyElement('link', { rel: 'alternate', href: link }),
    `<content type="html">${xmlText(html ?? htmlParagraphs(text))}</content>`,
  ].join('')}</entry>`;

/** RSS 2.0, with the links that Atom has and RSS lacks. */
export const rssFeed = ({ title, self, next, hub, updated, entries }: FeedDocument): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
${[
  element('title', title),
  element('link', self),
  element('description', title),
  element('generator', GENERATOR),
  element('lastBuildDate', updated.toUTCString()),
  emptyElement('atom:link', { rel: 'self', type: 'application/rss+xml', href: self }),
  ...(next === undefined ? [] : [emptyElement('atom:link', { rel: 'next', type: 'application/rss+xml', href: next })]),
  ...(hub === undefined ? [] : [emptyElement('atom:link', { rel: 'hub', href: hub })]),
  ...entries.map(itemOf),
].join('\n')}
</channel>
</rss>
`;

/** `author` of RSS is an e-mail address; names are in `dc:creator`. */
const itemOf = ({ id, title, text, html, link, author, published, updated, category }: SyndicatedEntry): string =>
  `<item>${[
    `<guid isPermaLink="false">${xmlText(id)}</guid>`,
    element('title', title),
    element('link', link),
    element('pubDate', published.toUTCString()),
    element('atom:updated', updated.toISOString()),
    element('dc:creator', author),
    element('category', category),
    element('description', html ?? htmlParagraphs(text)),
  ].join('')}</item>`;

/** JSON Feed 1.1. */
export const jsonFeed = ({ title, self, next, hub, entries }: FeedDocument): string =>
  `${JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    feed_url: self,
    next_url: next,
    hubs: hub === undefined ? undefined : [{ type: 'WebSub', url: hub }],
    items: entries.map(jsonItemOf),
  })}\n`;

const jsonItemOf = ({ id, title, text, html, link, author, published, updated, category }: SyndicatedEntry) => ({
  id,
  url: link,
  title,
  content_text: text,
  content_html: html,
  date_published: published.toISOString(),
  date_modified: updated.toISOString(),
  authors: author === undefined ? undefined : [{ name: author }],
  tags: [category],
});
