/** JSON Feed, as carelessly as it may be written. */
import { z } from 'zod';
import { jsonOf } from '../fetch/json.ts';
import { plainText, tidy } from '../text/plain-text.ts';
import { dateOf } from './dates.ts';
import { type Feed, resolve } from './feed.ts';

/** Fields of a wrong type count as missing: an entry is worth more than its date. */
const said = z.string().optional().catch(undefined);
const itemShape = z.looseObject({
  id: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
  url: said,
  external_url: said,
  title: said,
  content_html: said,
  content_text: said,
  summary: said,
  date_published: said,
  date_modified: said,
  language: said,
});
const jsonFeedShape = z.looseObject({
  title: said,
  home_page_url: said,
  description: said,
  language: said,
  items: z.array(z.unknown()),
});

export function readJsonFeed(text: string, url: string): Feed | undefined {
  const feed = jsonFeedShape.safeParse(jsonOf(text)).data;
  if (feed === undefined) return undefined;
  const items = feed.items.flatMap((item) => {
    const read = itemShape.safeParse(item);
    return read.success ? [read.data] : [];
  });
  return {
    title: tidy(feed.title ?? ''),
    link: resolve(feed.home_page_url, [], url),
    description: tidy(feed.description ?? ''),
    updated: undefined,
    entries: items.map((item) => ({
      id: item.id,
      link: resolve(item.url ?? item.external_url, [], url),
      title: tidy(item.title ?? ''),
      content: item.content_html === undefined ? tidy(item.content_text ?? '') : plainText(item.content_html),
      summary: tidy(item.summary ?? ''),
      published: dateOf(item.date_published),
      updated: dateOf(item.date_modified),
      language: item.language ?? feed.language,
    })),
  };
}
