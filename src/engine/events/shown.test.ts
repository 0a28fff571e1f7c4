/** The places of a payload that show each value: paths, spans, and the way back from folded texts. */
import { describe, expect, it } from 'vitest';
import { newAnalyzer } from './analyzer.ts';
import { type EventView, isRejection, type Piece } from './event-view.ts';
import { sourceOffsets } from './x-text.ts';

function viewOf(platform: 'x' | 'firehose', payload: unknown): EventView {
  const view = newAnalyzer(platform)(payload);
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const shown = ({ pieces }: EventView): string[] =>
  pieces.map(({ field, text, path, span }) => `${field}: ${text} @ ${path}${span ? ` ${span.start}-${span.end}` : ''}`);

describe('a page', () => {
  it('shows each value at its path: in chunks, in lists, or by itself', () => {
    const page = {
      url: 'https://news.Example.co.uk/a?x=news.example.co.uk',
      title: ['One', 7, 'Two'],
      diff: { chunks: [{ typ: 'ins', text: 'New' }, null, { typ: 'ins', text: 7 }, { typ: 'del', text: 'Old' }] },
      added: ['More'],
      removed: 'Less',
      added_anchor: ['Here'],
      removed_anchor: 'There',
      publish_time: '2026-11-15',
      page_category: ['/a', '/b'],
      page_types: '/c',
      page_type: ['/d'],
      language: ['en', 'de'],
    };
    expect(shown(viewOf('firehose', page))).toEqual([
      'added: new @ diff.chunks.0.text',
      'added: more @ added.0',
      'removed: old @ diff.chunks.3.text',
      'removed: less @ removed',
      'added_anchor: here @ added_anchor.0',
      'removed_anchor: there @ removed_anchor',
      'title: one @ title.0',
      'title: two @ title.2',
      'url: https://news.Example.co.uk/a?x=news.example.co.uk @ url',
      'domain: news.example.co.uk @ url 8-26',
      'domain: example.co.uk @ url 13-26',
      'publish_time: 2026-11-15 @ publish_time',
      'page_category: /a @ page_category.0',
      'page_category: /b @ page_category.1',
      'page_type: /c @ page_types',
      'page_type: /d @ page_type.0',
      'language: en @ language.0',
      'language: de @ language.1',
    ]);
  });

  it('has the domains that it names, one or several, or else those of its URL', () => {
    const domains = (page: object) =>
      shown(viewOf('firehose', { id: '1', ...page })).filter((one) => one.startsWith('domain'));
    expect(domains({ domain: ['a.example', 'b.example'], url: 'https://c.example/' })).toEqual([
      'domain: a.example @ domain.0',
      'domain: b.example @ domain.1',
    ]);
    expect(domains({ domain: null, url: 'https://c.example/' })).toEqual(['domain: c.example @ url 8-17']);
    expect([domains({}), domains({ url: 'no address' }), domains({ url: 7 })]).toEqual([[], [], []]);
  });

  it('is refused with the reason', () => {
    const analyze = newAnalyzer('firehose');
    expect(analyze([])).toEqual({ rejected: 'a page is an object' });
    expect(analyze({ id: '', url: '' })).toEqual({ rejected: 'a page needs an `id` or a `url`, a string' });
  });
});

describe('a value of a post', () => {
  const post = (entities: object) => viewOf('x', { data: { id: '1', text: '#ab cd', entities } });
  const of = (entities: object, field: string) => shown(post(entities)).filter((one) => one.startsWith(field));

  it('shows in the text where its offsets span two characters at least, and by itself otherwise', () => {
    const tags = [
      { tag: 'a', start: 0, end: 2 },
      { tag: 'b', start: 0, end: 1 },
      { tag: 'c', start: 0 },
      { tag: 'd', end: 3 },
      { tag: 'e', start: '0', end: 3 },
      { start: 0, end: 3 },
      'f',
    ];
    expect(of({ hashtags: tags }, 'hashtag')).toEqual([
      'hashtag: a @ data.text 0-2',
      'hashtag: b @ data.entities.hashtags.1.tag',
      'hashtag: c @ data.entities.hashtags.2.tag',
      'hashtag: d @ data.entities.hashtags.3.tag',
      'hashtag: e @ data.entities.hashtags.4.tag',
    ]);
  });

  it('shows an annotation up to its last character, which its end names', () => {
    const annotations = [
      { normalized_text: 'ab', start: 1, end: 2 },
      { normalized_text: 'c', start: 4, end: 4 },
      { normalized_text: 'none', start: 4, end: 3 },
    ];
    expect(of({ annotations }, 'entity')).toEqual([
      'entity: ab @ data.text 1-3',
      'entity: c @ data.text 4-5',
      'entity: none @ data.entities.annotations.2.normalized_text',
    ]);
  });

  it('may be a number where it is an id', () => {
    expect(of({ mentions: [{ username: 'Ada', id: 5 }] }, 'mention')).toEqual([
      'mention: ada @ data.entities.mentions.0.username',
      'mention: 5 @ data.entities.mentions.0.id',
    ]);
  });
});

describe('lists that are too long are named by their path', () => {
  const many = (count: number) => Array.from({ length: count }, () => ({}));
  const refused = (data: object, includes?: object) =>
    newAnalyzer('x')({ data: { id: '1', text: 'a', entities: {}, ...data }, includes });
  const words = (path: string, count: number, most: number) => ({
    rejected: `\`${path}\` has ${count} entries, and ${most} are the most`,
  });
  const quoted = { referenced_tweets: [{ type: 'quoted', id: '7' }] };
  const original = (rest: object) => ({ tweets: [{ id: '6' }, { id: '7', text: 'b', entities: {}, ...rest }] });

  it('in the post that is quoted or reposted', () => {
    expect(refused(quoted, original({ entities: { urls: many(1_001) } }))).toEqual(
      words('includes.tweets.1.entities.urls', 1_001, 1_000),
    );
    expect(refused(quoted, original({ referenced_tweets: many(65) }))).toEqual(
      words('includes.tweets.1.referenced_tweets', 65, 64),
    );
    expect(refused(quoted, original({ attachments: { media_keys: many(65) } }))).toEqual(
      words('includes.tweets.1.attachments.media_keys', 65, 64),
    );
    expect(refused(quoted, original({ context_annotations: many(2_000) }))).not.toHaveProperty('rejected');
  });

  it('in a note, and in the entities of the post that the note takes the place of', () => {
    expect(refused({ note_tweet: { text: 'long', entities: { hashtags: many(2_001) } } })).toEqual(
      words('data.note_tweet.entities.hashtags', 2_001, 2_000),
    );
    expect(refused({ entities: { urls: many(1_001) }, note_tweet: { text: 'long', entities: {} } })).toEqual(
      words('data.entities.urls', 1_001, 1_000),
    );
  });

  it('the first of several', () => {
    const data = { referenced_posts: many(65), entities: { urls: many(1_001) }, attachments: { media_keys: many(65) } };
    expect(refused(data, { media: many(1_001), users: many(1_001) })).toEqual(words('includes.users', 1_001, 1_000));
    expect(refused(data, { media: many(1_001) })).toEqual(words('includes.media', 1_001, 1_000));
    expect(refused(data)).toEqual(words('data.referenced_posts', 65, 64));
  });
});

describe('the way back from a folded text', () => {
  const offsetsOf = (source: string, text: string) => {
    const piece: Piece = { field: 'text', text, path: 'data.text', source, span: undefined };
    const work = sourceOffsets(piece);
    const yields: number[] = [];
    for (;;) {
      const step = work.next();
      if (step.done === true) return { offsets: step.value && [...step.value], yields };
      yields.push(step.value);
    }
  };
  const folded = (source: string) => viewOf('x', { data: { id: '1', text: source, entities: {} } }).pieces[0]!.text;

  it.each<[string, number[] | undefined]>([
    ['Lava', undefined],
    ['a&amp;B', [0, 1, 6, 7]],
    ['&lt;&gt;', [0, 4, 8]],
    ['e\u0301a', [0, 2, 3]],
    ['aa\u0301b', [0, 1, 3, 4]],
    ['İa', [0, 0, 1, 2]],
    ['☀\ufe0fa', [0, 2, 3]],
    ['\u1100\u1161\u11a8a', [0, 3, 4]],
    ['&a&', undefined],
    ['&amp', undefined],
    ['', undefined],
    ['e\u0301🌋b', [0, 2, 3, 4, 5]],
  ])('of %j is %j', (source, offsets) => {
    expect(offsetsOf(source, folded(source)).offsets).toEqual(offsets);
  });

  it('is walked 16,384 characters at a time', () => {
    const source = `e\u0301${'x'.repeat(2 * 16_384)}`;
    const { offsets, yields } = offsetsOf(source, folded(source));
    expect([yields, offsets!.length, offsets!.at(-1)]).toEqual([[16_384, 16_384], source.length, source.length]);
    expect(offsetsOf(source.slice(0, 16_384), folded(source.slice(0, 16_384))).yields).toEqual([]);
  });
});
