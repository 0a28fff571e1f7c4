import { describe, expect, it } from 'vitest';
import { broughtWords, feedsIn, opmlOf } from './opml.ts';

const source = (name: string, kind: string, options: Record<string, unknown>) => ({
  id: name,
  name,
  kind,
  options,
  secrets: [],
  platforms: ['firehose' as const],
  owner: 'account' as const,
  status: 'ok' as const,
  last_good_at: null,
  last_error: null,
  next_at: null,
  rate: null,
  events: 0,
  created_at: null,
});

describe('OPML', () => {
  it('has the feeds of folders, each address once', () => {
    const text = `<?xml version="1.0"?><opml version="1.0"><body><outline text="Folder"><outline text='A &amp; B' xmlUrl="https://a.example/?x=1&amp;y=2"/>
      <outline title="B" type="rss" XMLURL="https://b.example/"></outline></outline><outline text="again" xmlUrl="https://b.example/"/><outline xmlUrl="javascript:alert(1)"/></body></opml>`;
    expect(feedsIn(text)).toEqual([
      { url: 'https://a.example/?x=1&y=2', name: 'A & B' },
      { url: 'https://b.example/', name: 'again' },
    ]);
    expect(feedsIn('<html></html>')).toBeUndefined();
  });

  it('is read as it was written', () => {
    const urls = ['https://a.example/?x=1&y="2"'];
    const text = opmlOf([
      source('A <b>', 'feeds', { urls }),
      source('Page', 'watch', { urls: ['https://c.example/'] }),
    ]);
    expect(feedsIn(text)).toEqual([{ url: urls[0], name: 'A <b>' }]);
  });

  it('says how many feeds were added, and which were not', () => {
    expect(broughtWords({ done: ['a'], failed: [] })).toBe('One feed was added.');
    const failed = ['A', 'B', 'C', 'D'].map((name) => ({ name, message: 'No.' }));
    expect(broughtWords({ done: ['a', 'b'], failed })).toBe(
      '2 feeds were added. 4 failed: “A” (No.), “B” (No.), “C” (No.), and 1 more',
    );
  });
});
