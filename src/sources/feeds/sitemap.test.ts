import { describe, expect, it } from 'vitest';
import { MAX_ENTRIES } from './feed.ts';
import { readFeed, sitemapsIn } from './read-feed.ts';
import { parseXml } from './xml.ts';

const read = (inner: string) =>
  readFeed(
    Buffer.from(`<?xml version="1.0"?><urlset xmlns:news="n">${inner}</urlset>`),
    undefined,
    'https://a.example/s.xml',
  );

describe('a sitemap', () => {
  it('is a feed of its pages, the newest on top, named by their addresses', () => {
    const feed = read(
      '<url><loc>https://a.example/old-page.html</loc><lastmod>2026-01-01</lastmod></url><url><loc> /spring_sale/ </loc><lastmod>2026-03-01T10:00:00Z</lastmod></url><url><loc>https://a.example/undated</loc></url>',
    );
    expect(feed?.entries.map(({ link, title, updated }) => [link, title, updated?.toISOString()])).toEqual([
      ['https://a.example/spring_sale/', 'spring sale', '2026-03-01T10:00:00.000Z'],
      ['https://a.example/old-page.html', 'old page', '2026-01-01T00:00:00.000Z'],
      ['https://a.example/undated', 'undated', undefined],
    ]);
  });

  it('of news has titles, times and languages', () => {
    const feed = read(
      '<url><loc>https://a.example/1</loc><news:news><news:publication><news:name>A</news:name><news:language>de</news:language></news:publication><news:publication_date>2026-11-01</news:publication_date><news:title>Hafen &amp; Meer</news:title></news:news></url>',
    );
    expect(feed?.entries).toMatchObject([
      { title: 'Hafen & Meer', language: 'de', published: new Date('2026-11-01T00:00:00Z') },
    ]);
  });

  it('of a large site is read from its newest page on, and the oldest pages are left out', () => {
    const pages = Array.from(
      { length: MAX_ENTRIES + 2 },
      (_, at) =>
        `<url><loc>https://a.example/${at}</loc><lastmod>${new Date(1.7e12 + at * 1e6).toISOString()}</lastmod></url>`,
    );
    const feed = read(pages.join(''));
    expect([feed?.entries.length, feed?.leftOut, feed?.entries[0]?.link]).toEqual([
      MAX_ENTRIES,
      2,
      `https://a.example/${MAX_ENTRIES + 1}`,
    ]);
    expect(feed?.skipped).toEqual([]);
  });

  it('may be one of many in an index', () => {
    const index =
      '<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>';
    expect(sitemapsIn(parseXml(index), 'https://a.example/x')).toEqual([
      'https://a.example/b.xml',
      'https://a.example/a.xml',
    ]);
    expect(sitemapsIn(parseXml('<urlset/>'), 'https://a.example/x')).toEqual([]);
  });
});
