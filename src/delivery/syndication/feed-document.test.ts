/** One feed in its three formats, byte by byte: readers differ in what they forgive. */
import { describe, expect, it } from 'vitest';
import { atomFeed, type FeedDocument, jsonFeed, rssFeed } from './feed-document.ts';

const published = new Date('2026-11-15T08:30:00.123Z');
const updated = new Date('2026-11-15T09:00:00.456Z');
const full: FeedDocument = {
  id: 'urn:feed:1',
  title: 'Lava & ash',
  self: 'https://sluice.example/feeds/a?b=1&c=2',
  next: 'https://sluice.example/next',
  hub: 'https://hub.example/',
  updated,
  entries: [
    {
      id: 'urn:match:1',
      title: 'One <b>',
      text: 'first\nline\n\nsecond',
      link: 'https://news.example/?a=1&b=2',
      author: 'Ada & Bob',
      published,
      updated,
      category: 'x',
    },
    {
      id: 'urn:match:2',
      title: 'Two',
      text: 'plain',
      link: undefined,
      author: undefined,
      published,
      updated: published,
      category: 'firehose',
    },
  ],
};
const bare: FeedDocument = { ...full, next: undefined, hub: undefined, entries: [] };

it('has the markup of a template in every format', () => {
  const entries = [{ ...full.entries[1]!, text: 'plain', html: '<b>plain</b>' }];
  expect(atomFeed({ ...full, entries })).toContain('<content type="html">&lt;b&gt;plain&lt;/b&gt;</content>');
  expect(rssFeed({ ...full, entries })).toContain('<description>&lt;b&gt;plain&lt;/b&gt;</description>');
  expect(JSON.parse(jsonFeed({ ...full, entries }))).toMatchObject({
    items: [{ content_text: 'plain', content_html: '<b>plain</b>' }],
  });
});

describe('Atom', () => {
  it('has every part of a feed', () => {
    expect(atomFeed(full)).toBe(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:feed:1</id>
<title>Lava &amp; ash</title>
<updated>2026-11-15T09:00:00.456Z</updated>
<author><name>Sluice</name></author>
<generator>Sluice</generator>
<link rel="self" type="application/atom+xml" href="https://sluice.example/feeds/a?b=1&amp;c=2"/>
<link rel="next" type="application/atom+xml" href="https://sluice.example/next"/>
<link rel="hub" href="https://hub.example/"/>
<entry><id>urn:match:1</id><title>One &lt;b&gt;</title><published>2026-11-15T08:30:00.123Z</published><updated>2026-11-15T09:00:00.456Z</updated><author><name>Ada &amp; Bob</name></author><category term="x"/><link rel="alternate" href="https://news.example/?a=1&amp;b=2"/><content type="html">&lt;p&gt;first&lt;br&gt;line&lt;/p&gt;&lt;p&gt;second&lt;/p&gt;</content></entry>
<entry><id>urn:match:2</id><title>Two</title><published>2026-11-15T08:30:00.123Z</published><updated>2026-11-15T08:30:00.123Z</updated><category term="firehose"/><content type="html">&lt;p&gt;plain&lt;/p&gt;</content></entry>
</feed>
`);
  });

  it('leaves out what there is none of', () => {
    expect(atomFeed(bare)).toMatch(/rel="self"[^\n]*\n<\/feed>\n$/);
    expect(atomFeed(bare)).not.toMatch(/rel="(next|hub)"|<entry>/);
  });
});

describe('RSS', () => {
  it('has every part of a feed', () => {
    expect(rssFeed(full)).toBe(`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>Lava &amp; ash</title>
<link>https://sluice.example/feeds/a?b=1&amp;c=2</link>
<description>Lava &amp; ash</description>
<generator>Sluice</generator>
<lastBuildDate>Sun, 15 Nov 2026 09:00:00 GMT</lastBuildDate>
<atom:link rel="self" type="application/rss+xml" href="https://sluice.example/feeds/a?b=1&amp;c=2"/>
<atom:link rel="next" type="application/rss+xml" href="https://sluice.example/next"/>
<atom:link rel="hub" href="https://hub.example/"/>
<item><guid isPermaLink="false">urn:match:1</guid><title>One &lt;b&gt;</title><link>https://news.example/?a=1&amp;b=2</link><pubDate>Sun, 15 Nov 2026 08:30:00 GMT</pubDate><atom:updated>2026-11-15T09:00:00.456Z</atom:updated><dc:creator>Ada &amp; Bob</dc:creator><category>x</category><description>&lt;p&gt;first&lt;br&gt;line&lt;/p&gt;&lt;p&gt;second&lt;/p&gt;</description></item>
<item><guid isPermaLink="false">urn:match:2</guid><title>Two</title><pubDate>Sun, 15 Nov 2026 08:30:00 GMT</pubDate><atom:updated>2026-11-15T08:30:00.123Z</atom:updated><category>firehose</category><description>&lt;p&gt;plain&lt;/p&gt;</description></item>
</channel>
</rss>
`);
  });

  it('leaves out what there is none of', () => {
    expect(rssFeed(bare)).toMatch(/rel="self"[^\n]*\n<\/channel>\n<\/rss>\n$/);
    expect(rssFeed(bare)).not.toMatch(/rel="(next|hub)"|<item>/);
  });
});

describe('JSON Feed', () => {
  it('has every part of a feed, on one line', () => {
    expect(jsonFeed(full)).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(jsonFeed(full))).toEqual({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Lava & ash',
      feed_url: full.self,
      next_url: full.next,
      hubs: [{ type: 'WebSub', url: 'https://hub.example/' }],
      items: [
        {
          id: 'urn:match:1',
          url: 'https://news.example/?a=1&b=2',
          title: 'One <b>',
          content_text: 'first\nline\n\nsecond',
          date_published: '2026-11-15T08:30:00.123Z',
          date_modified: '2026-11-15T09:00:00.456Z',
          authors: [{ name: 'Ada & Bob' }],
          tags: ['x'],
        },
        {
          id: 'urn:match:2',
          title: 'Two',
          content_text: 'plain',
          date_published: '2026-11-15T08:30:00.123Z',
          date_modified: '2026-11-15T08:30:00.123Z',
          tags: ['firehose'],
        },
      ],
    });
  });

  it('leaves out what there is none of', () => {
    expect(Object.keys(JSON.parse(jsonFeed(bare)) as object)).toEqual(['version', 'title', 'feed_url', 'items']);
  });
});
