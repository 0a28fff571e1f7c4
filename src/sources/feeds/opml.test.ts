import { describe, expect, it } from 'vitest';
import { feedsInOpml } from '../../app/sources/opml-import.ts';

const opml = (body: string) => `<?xml version="1.0"?><opml version="2.0"><head/><body>${body}</body></opml>`;

describe('OPML', () => {
  it.each([
    [
      'feeds in folders, each once',
      '<outline text="A"><outline xmlUrl="https://a.example/f"/><outline text="B"><outline type="rss" XMLURL=" http://b.example/?x=1&amp;y=2 "/></outline></outline><outline xmlUrl="https://a.example/f"/>',
      ['https://a.example/f', 'http://b.example/?x=1&y=2'],
    ],
    [
      'no other addresses',
      '<outline xmlUrl="file:///etc/passwd"/><outline htmlUrl="https://a.example"/><p xmlUrl="https://c.example"/>',
      [],
    ],
    [
      'tags that are never closed',
      '<outline xmlUrl="https://a.example/f"><outline xmlUrl="https://b.example/f">',
      ['https://a.example/f', 'https://b.example/f'],
    ],
  ])('has %s', (_, body, feeds) => expect(feedsInOpml(opml(body))).toEqual(feeds));

  it.each(['', 'nothing', '<html><body></body></html>', '<rss/>', '<opml/>', '{}'])('is not %j', (text) =>
    expect(feedsInOpml(text)).toBeUndefined(),
  );

  it('is read whole however deep and wide it is', () => {
    const deep = opml('<outline xmlUrl="https://a.example/f">'.repeat(5_000));
    expect(feedsInOpml(deep)).toEqual(['https://a.example/f']);
    const wide = Array.from({ length: 20_000 }, (_, at) => `<outline xmlUrl="https://a.example/${at}"/>`).join('');
    expect(feedsInOpml(opml(wide))).toHaveLength(20_000);
  });
});
