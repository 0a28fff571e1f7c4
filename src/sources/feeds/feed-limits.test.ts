import { describe, expect, it } from 'vitest';
import { countOf } from '../text/read-items.ts';
import { API_LISTS } from './api-lists.ts';
import { type Feed, type FeedEntry, MAX_ENTRIES, withinFeedLimits } from './feed.ts';
import { readFeed } from './read-feed.ts';

const entryOf = (change: Partial<FeedEntry> = {}): FeedEntry => ({
  id: 'a',
  link: 'https://a.example/',
  title: 'A',
  content: 'text',
  summary: '',
  published: undefined,
  updated: undefined,
  language: 'en',
  ...change,
});
const feedOf = (...entries: FeedEntry[]) => ({
  title: '',
  link: undefined,
  description: '',
  updated: undefined,
  entries,
  skipped: [],
});
const long = (length: number) => 'x'.repeat(length);

describe('limits of feeds', () => {
  it('leave an ordinary feed as it is', () => {
    const feed = feedOf(entryOf(), entryOf({ link: long(8_192), id: undefined }));
    expect(withinFeedLimits(feed)).toEqual(feed);
  });

  it.each([
    ['an id', { id: long(8_193) }],
    ['a link', { link: long(8_193) }],
    ['a title', { title: long(8_193) }],
  ])('skip entries with %s that is too long, and count them', (field, change) => {
    const { entries, skipped } = withinFeedLimits(feedOf(entryOf(change), entryOf(), entryOf(change)));
    expect(entries).toEqual([entryOf()]);
    const reason = `with ${field} of more than 8192 characters`;
    expect(skipped).toEqual([entryOf(change), entryOf(change)].map((item) => ({ reason, item })));
  });

  it('skip entries with nothing in them', () => {
    const nothing = entryOf({ id: undefined, link: undefined, title: '', content: '' });
    expect(withinFeedLimits(feedOf(nothing)).skipped).toEqual([{ reason: 'with nothing in it', item: nothing }]);
  });

  it('cut texts, drop languages that are none, and take 5,000 entries at most', () => {
    const many = Array.from({ length: MAX_ENTRIES + 3 }, () => entryOf());
    const { entries, skipped } = withinFeedLimits(feedOf(...many));
    expect([entries.length, skipped.map(({ reason }) => reason)]).toEqual([
      MAX_ENTRIES,
      Array(3).fill('over the first 5000'),
    ]);
    const [cut] = withinFeedLimits(feedOf(entryOf({ content: long(300_000), language: long(101) }))).entries;
    expect([cut!.content.length, cut!.language]).toEqual([200_000, undefined]);
  });

  const listed = (count: number) => `[${Array(count).fill(0).join()}]`;
  it.each<[string, (list: string) => unknown]>([
    ['a JSON feed', (list) => readFeed(Buffer.from(`{"items":${list}}`), undefined, 'https://a.example/feed')],
    ['posts of Lemmy', (list) => API_LISTS['lemmy-posts'](`{"posts":${list}}`)],
    ['comments of Lemmy', (list) => API_LISTS['lemmy-comments'](`{"comments":${list}}`)],
    ['events of GitHub', API_LISTS['github-events']],
    ['advisories of GitHub', API_LISTS['github-advisories']],
  ])(
    'show the first hundred items of %s that cannot be read, count the others, and refuse a list without end',
    (_, read) => {
      const { skipped } = read(listed(5_000)) as Feed;
      expect([skipped.length, countOf(skipped)]).toEqual([101, 5_000]);
      expect(skipped.at(-1)).toEqual({ reason: 'that cannot be read', item: undefined, count: 4_900 });
      expect(read(listed(20_001))).toBeUndefined();
    },
  );

  it('hold for what is read, whatever format it has', () => {
    const link = `https://a.example/${long(9_000)}`;
    const formats = [
      `<rss><channel><item><link>${link}</link></item></channel></rss>`,
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${link}"/></entry></feed>`,
      JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [{ url: link }] }),
    ];
    for (const text of formats) {
      const feed = readFeed(Buffer.from(text), undefined, 'https://a.example/feed');
      expect(feed).toMatchObject({ entries: [], skipped: [{ reason: expect.stringContaining('with a link') }] });
    }
  });
});
