/** JSON Feed 1.1. */
import type { FeedDocument, SyndicatedEntry } from './feed-document.ts';

export const jsonFeed = ({ title, self, next, hub, entries }: FeedDocument): string =>
  `${JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    feed_url: self,
    next_url: next,
    hubs: hub === undefined ? undefined : [{ type: 'WebSub', url: hub }],
    items: entries.map(itemOf),
  })}\n`;

const itemOf = ({ id, title, text, html, link, author, published, updated, category }: SyndicatedEntry) => ({
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
