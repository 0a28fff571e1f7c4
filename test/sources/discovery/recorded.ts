/** Plays recorded answers of the web, and makes documents in the shapes that real sites have. */
import { systemClock } from '../../../src/base/clock.ts';
import type { DiscoveryWish } from '../../../src/sources/discovery/discover.ts';
import type { HttpAnswer, SourceHttp } from '../../../src/sources/fetch/fetch-url.ts';
import { reader } from '../stage.ts';

export interface RecordedAnswer {
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly status?: number;
  /** A redirect to here. */
  readonly to?: string;
}

/** One address that somebody pastes, what is behind it, and what must come first. */
export interface Recorded {
  readonly about: string;
  readonly paste: string;
  readonly answers: Readonly<Record<string, RecordedAnswer | string>>;
  readonly first: { readonly kind: string; readonly options?: Readonly<Record<string, unknown>> };
}

const NOT_THERE: RecordedAnswer = {
  status: 404,
  body: '<html><title>Not found</title><p>There is nothing here.</html>',
};

export function playing(answers: Recorded['answers']): { tools: DiscoveryWish; asked: string[] } {
  const asked: string[] = [];
  const get = async (url: string, redirects = 0): Promise<HttpAnswer> => {
    const found = answers[url] ?? answers[decodeURIComponent(url)] ?? NOT_THERE;
    const { type, body = '', status = 200, to } = typeof found === 'string' ? { body: found } : found;
    if (to !== undefined && redirects < 5) return get(to, redirects + 1);
    const shown = type ?? (body.toString().startsWith('<?xml') ? 'application/xml' : 'text/html; charset=utf-8');
    return { status, url, headers: { 'content-type': shown }, body: Buffer.from(body), retryAfter: undefined };
  };
  const http: SourceHttp = {
    get({ url }) {
      asked.push(url);
      return get(url);
    },
    stream: () => Promise.reject(new Error('Nothing is streamed.')),
    socket: () => {
      throw new Error('Nothing is streamed.');
    },
  };
  const clock = { ...systemClock, now: () => new Date('2026-11-15T12:00:00Z') };
  return { tools: { clock, http, readerFor: () => reader, signal: new AbortController().signal }, asked };
}

const TEXT =
  'The harbour was dredged for the third time in ten years, and the ferries moved to the northern pier until the spring. Three new buoys mark the channel, and pilots are asked to keep to the eastern side of it.';

/** A page with a head of its own and an article. */
export const html = (head: string, body = `<main><h1>News</h1><p>${TEXT}</p><p>${TEXT}</p></main>`): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">${head}</head><body>${body}</body></html>`;

export const alternate = (href: string, title = '', type = 'application/rss+xml'): string =>
  `<link rel="alternate" type="${type}" title="${title}" href="${href}" />`;

const days = [14, 12, 9, 5];

export const rss = (title: string, link: string, slug = 'post'): string =>
  `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>${title}</title><link>${link}</link><description>d</description>${days
    .map(
      (day) =>
        `<item><title>Entry of day ${day}</title><link>${link.replace(/\/$/, '')}/${slug}-${day}</link><guid>${link}#${slug}-${day}</guid><pubDate>${new Date(Date.UTC(2026, 10, day)).toUTCString()}</pubDate><description>What happened on day ${day}.</description></item>`,
    )
    .join('')}</channel></rss>`;

export const atom = (title: string, link: string, slug = 'post'): string =>
  `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>${title}</title><link href="${link}"/><id>${link}</id>${days
    .map(
      (day) =>
        `<entry><id>${link}/${slug}/${day}</id><title>Entry of day ${day}</title><link href="${link.replace(/\/$/, '')}/${slug}-${day}"/><updated>2026-11-${String(day).padStart(2, '0')}T08:00:00Z</updated><content type="html">&lt;p&gt;What happened on day ${day}.&lt;/p&gt;</content></entry>`,
    )
    .join('')}</feed>`;

export const jsonFeed = (title: string, link: string): RecordedAnswer => ({
  type: 'application/feed+json',
  body: JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: link,
    items: days.map((day) => ({
      id: `${link}${day}`,
      url: `${link}post-${day}`,
      title: `Entry of day ${day}`,
      content_text: `What happened on day ${day}.`,
      date_published: `2026-11-${String(day).padStart(2, '0')}T08:00:00Z`,
    })),
  }),
});

export const sitemap = (origin: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${days
    .map(
      (day) =>
        `<url><loc>${origin}/pages/page-of-day-${day}</loc><lastmod>2026-11-${String(day).padStart(2, '0')}</lastmod></url>`,
    )
    .join('')}</urlset>`;

export const feedAt = (url: string): Recorded['first'] => ({ kind: 'feeds', options: { urls: [url] } });
export const pageAt = (url: string): Recorded['first'] => ({ kind: 'watch', options: { urls: [url] } });
