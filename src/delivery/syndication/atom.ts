/** Atom (RFC 4287), with the links of paged feeds (RFC 5005). */
import { type FeedDocument, GENERATOR, type SyndicatedEntry } from './feed-document.ts';
import { element, emptyElement, htmlParagraphs, xmlText } from './xml.ts';

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
