import { describe, expect, it, vi } from 'vitest';
import { timeIn } from '../engine/events/time.ts';
import { shownText } from './shown-text.ts';
import { askedWordsIn, comparedEvent, storyEventOf, storyTextOf, withPlaces, wordPlaces } from './story-text.ts';

describe('what people read of an event', () => {
  it('is the title of a page with all that its changes added', () => {
    const chunks = [
      { typ: 'ins', text: 'Storage' },
      { typ: 'del', text: 'old' },
      null,
      { typ: 'ins', text: 'is down' },
    ];
    const page = (more: object) => shownText('firehose', { title: 'Status', ...more });
    expect(page({ diff: { chunks }, markdown: 'all' })).toBe('Status: Storage is down');
    expect(page({ added: ['Storage', 7, 'is down'] })).toBe('Status: Storage is down');
    expect(page({ added: 'Storage is down' })).toBe('Status: Storage is down');
    expect(page({ markdown: 'all' })).toBe('Status: all');
    expect([page({}), shownText('firehose', {})]).toEqual(['Status', '']);
  });

  it('has none of the escapes in which X sends a text', () => {
    expect(shownText('x', { data: { text: 'R&amp;D &lt;3 &amp;lt;' } })).toBe('R&D <3 &lt;');
  });

  it.each(['note_tweet', 'note_post'])('is the whole of a long post, under the name %s', (note) => {
    expect(shownText('x', { data: { text: 'short…', [note]: { text: 'the whole &amp; long text' } } })).toBe(
      'the whole & long text',
    );
  });
});

describe('what is compared of an event', () => {
  it('is the long text of a post, its links, and the posts that it repeats or quotes', () => {
    const payload = {
      data: {
        text: 'short',
        note_tweet: { text: 'long' },
        created_at: '2026-11-15T08:30:00.000Z',
        entities: {
          urls: [{ expanded_url: 'https://a.example/long-path', unwound_url: 'https://b.example/long-path' }],
        },
        referenced_tweets: [
          { type: 'retweeted', id: '7' },
          { type: 'replied_to', id: '8' },
        ],
      },
    };
    expect(storyTextOf('x', payload, { postId: '9', earlier: ['6'] })).toEqual({
      text: 'long',
      links: ['https://b.example/long-path'],
      posts: ['9', '6', '7'],
      at: Date.parse('2026-11-15T08:30:00.000Z'),
    });
  });

  it('is the same of a post in the names that X has now', () => {
    const data = {
      text: 'short',
      note_post: { text: 'long' },
      referenced_posts: [
        { type: 'quoted', id: '7' },
        { type: 'replied_to', id: '8' },
      ],
    };
    expect(storyTextOf('x', { data }, { postId: '9' })).toEqual({ text: 'long', links: [], posts: ['9', '7'] });
  });

  it.each([
    '2026-11-15T08:00:00',
    '2026-11-15 08:00:00',
    '2026-11-15T08:00:00.123456',
    '2026-11-15T08:00',
    '2026-11-15',
    '2026-11-15T08:00:00Z',
    '2026-11-15T08:00:00.5z',
    '2026-11-15T08:00:00+01:30',
    '2026-11-15T08:00-0800',
    '15 November 2026 08:00:00',
    'Sun, 15 Nov 2026 08:00:00',
    'soon',
  ])('has the time at which the engine has it, wherever the machine stands: %s', (publish_time) => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(new Date('2026-11-15T08:00:00').toISOString()).toBe('2026-11-15T13:00:00.000Z');
    expect(storyTextOf('firehose', { publish_time }, { postId: '1' }).at).toBe(timeIn(publish_time));
    const post = { data: { created_at: publish_time } };
    expect(storyTextOf('x', post, { postId: '1' }).at).toBe(timeIn(publish_time));
  });

  it('is the headline of an article, and the new text of a page whose title never changes', () => {
    const diff = {
      chunks: [
        { typ: 'del', text: 'old' },
        { typ: 'ins', text: 'news' },
      ],
    };
    const page = (url: string) => storyTextOf('firehose', { url, title: 'Title', diff }, { postId: '1' }).text;
    expect([page('https://a.example/2026/harbour'), page('https://a.example/')]).toEqual(['Title', 'news']);
  });

  it('is what was added to a page that is no article, or that is watched', () => {
    const page = (more: object) => {
      const diff = { chunks: [{ typ: 'ins', text: 'Storage is down' }] };
      const payload = {
        url: 'https://status.example.com/incidents/current',
        title: 'Status of Example',
        diff,
        ...more,
      };
      return storyTextOf('firehose', payload, { postId: '2', earlier: ['1'] });
    };
    expect(page({})).toMatchObject({ text: 'Storage is down', links: [], posts: ['2', '1'] });
    expect(page({ page_types: ['/Article/News_Update'] }).text).toBe('Status of Example');
    const watched = { url: 'https://a.example/2026/notice', source: { name: 'w', original: { watched: true } } };
    expect(page(watched)).toMatchObject({ text: 'Storage is down', posts: ['2'] });
  });

  it('has the link to one thing as a mark, and not one to a place where many are told', () => {
    const marks = (link: string) => comparedEvent('x', { text: '', links: [link], posts: [] }).marks.length;
    const permanent = [
      'https://paper.example/2026/harbour-fire',
      'https://paper.example/news/fire-at-northline-harbour',
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      'https://forum.example/t/1234567',
    ];
    const changing = [
      'https://status.example.com/incidents/current',
      'https://www.youtube.com/@northline-news',
      'https://www.youtube.com/channel/UC1234567890abcdefghij',
      'https://forum.example/tag/fire-at-northline-harbour',
      'https://paper.example/latest-news',
    ];
    expect([permanent.map(marks), changing.map(marks)]).toEqual([
      [1, 1, 1, 1],
      [0, 0, 0, 0, 0],
    ]);
  });

  it.each([
    ['x', {}],
    ['x', { data: { text: 7, entities: { urls: [null, 3, {}] }, referenced_tweets: 'all', created_at: 'soon' } }],
    ['firehose', { url: 9, title: [], diff: { chunks: [null, 'x'] }, added: [{}], publish_time: {} }],
  ] as const)('is nothing where a payload of %s has nothing of the kind: %j', (platform, payload) => {
    expect(storyTextOf(platform, payload, { postId: '1' })).toEqual({
      text: '',
      links: [],
      posts: ['1'],
    });
  });

  it('leaves out the words that the rules asked for, except to know the same text again', () => {
    const payload = { data: { text: 'Northline hires a plumber' }, list: ['Northline wins'] };
    const highlights = [
      { field: 'data.text', start: 0, end: 9 },
      { field: 'list.0', start: 10, end: 14 },
      { field: 'nowhere.at.all', start: 0, end: 9 },
    ];
    const asked = askedWordsIn(payload)(highlights);
    expect(asked).toHaveLength(2);
    const event = comparedEvent('x', storyTextOf('x', payload, { postId: '1' }));
    const [plain, without] = [storyEventOf(event, 0), storyEventOf(event, 0, wordPlaces(asked, event.words))];
    expect([plain.words.length, without.words.length]).toEqual([3, 2]);
    expect(without.marks).toEqual(plain.marks);
  });

  it('leaves out words at any place that a text may have', () => {
    const words = Array.from({ length: 48 }, (_, at) => 100 + at);
    const left = (asked: readonly number[]) =>
      storyEventOf({ words, marks: [], at: 0 }, 0, wordPlaces(asked, words)).words;
    for (const word of words) expect(left([word])).toEqual(words.filter((one) => one !== word));
    const some = words.filter((_, at) => at % 3 === 0);
    expect(left([...some, ...some, 7])).toEqual(words.filter((_, at) => at % 3 !== 0));
    const both = withPlaces(wordPlaces(some.slice(0, 9), words), wordPlaces(some.slice(5), words));
    expect(both).toBe(wordPlaces(some, words));
    expect(left(words)).toEqual(words);
  });

  it('reads a bounded number of places, however many rules matched', () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ');
    let reads = 0;
    const payload = {
      get data() {
        reads++;
        return { text };
      },
    };
    const asked = askedWordsIn(payload);
    for (let rule = 0; rule < 1_000; rule++)
      asked(Array.from({ length: 30 }, (_, at) => ({ field: 'data.text', start: (rule + at) % 900, end: 990 })));
    expect(reads).toBe(200);
  });

  it('is bounded', () => {
    const url = `https://a.example/${'p'.repeat(5_000)}`;
    const payload = {
      data: { text: 'a'.repeat(9_000), entities: { urls: Array.from({ length: 90 }, () => ({ expanded_url: url })) } },
    };
    const { text, links, posts } = storyTextOf('x', payload, { postId: '1', earlier: Array(500).fill('2') });
    expect([text.length, links.length, posts.length]).toEqual([400, 0, 9]);
    // A link of a thousand characters is the longest that is read.
    const link = (length: number) => 'https://a.example/2026/'.padEnd(length, 'p');
    const linksOf = (length: number) =>
      storyTextOf('x', { data: { entities: { urls: [{ expanded_url: link(length) }] } } }, { postId: '1' }).links
        .length;
    const marksOf = (length: number) => comparedEvent('x', { text: '', links: [link(length)], posts: [] }).marks.length;
    expect([linksOf(1_000), linksOf(1_001), marksOf(1_000), marksOf(1_001)]).toEqual([1, 0, 1, 0]);
  });
});
