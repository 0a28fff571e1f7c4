/** Reads JSON Feed, leniently. */
import { z } from 'zod';
import { dateOf } from '../text/dates.ts';
import { jsonOf } from '../text/json.ts';
import { plainText, tidy } from '../text/plain-text.ts';
import { type Feed, resolve } from './feed.ts';

/** A field of a wrong type counts as missing, so that the rest of the entry is kept. */
const text = z.string().optional().catch(undefined);
const itemShape = z.looseObject({
  id: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
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

export function readJsonFeed(json: string, url: string): Feed | undefined {
  const feed = jsonFeedShape.safeParse(jsonOf(json)).data;
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
    skipped: [],
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
