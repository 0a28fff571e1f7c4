/** RSS 2.0, with the links that Atom has and RSS lacks. */
import { type FeedDocument, GENERATOR, type SyndicatedEntry } from './feed-document.ts';
import { element, emptyElement, htmlParagraphs, xmlText } from './xml.ts';

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
