import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explanationOf, highlightsOf } from '../../../test/stages/explaining.ts';
import type { Query } from '../../rules/query.ts';
import { holds } from '../scan.ts';
import { type EventView, isRejection } from './event-view.ts';
import { xAnalyzer } from './x-event.ts';

const analyze = xAnalyzer();

function viewOf(payload: unknown): EventView {
  const view = analyze(payload);
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const term = (field: string, value: string): Query => ({ kind: 'term', field, term: value });

/** The texts that the payload holds at the highlights. */
function shownBy(query: Query, payload: unknown): string[] {
  return highlightsOf(query, viewOf(payload), 0).map(({ field, start, end }) => {
    const text = field.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], payload);
    return `${field}: ${String(text).slice(start, end)}`;
  });
}

/** A payload with something in every field that analysis reads. */
const RICH = {
  data: {
    id: '10',
    text: 'Ash &amp; 🌋 #Etna @usgs $NVDA https://t.co/a',
    author_id: '1',
    created_at: '2026-02-13T08:06:32.000Z',
    conversation_id: '8',
    in_reply_to_user_id: '2',
    referenced_tweets: [
      { type: 'quoted', id: '7' },
      { type: 'replied_to', id: '6' },
    ],
    attachments: { media_keys: ['3_1', '7_2'] },
    entities: {
      hashtags: [{ start: 12, end: 17, tag: 'Etna' }],
      mentions: [{ start: 18, end: 23, username: 'usgs', id: '2' }],
      cashtags: [{ start: 24, end: 29, tag: 'NVDA' }],
      urls: [
        {
          start: 30,
          end: 44,
          url: 'https://t.co/a',
          expanded_url: 'https://bit.ly/x',
          unwound_url: 'https://example.org/Quakes',
          title: 'Quakes & ash',
          description: 'All of them',
        },
      ],
      annotations: [{ start: 12, end: 16, probability: 0.9, type: 'GeoPlace', normalized_text: 'Etna' }],
    },
    context_annotations: [{ domain: { id: '11', name: 'GeoPlace' }, entity: { id: '5', name: 'Mount Etna' } }],
    geo: { place_id: 'p1', coordinates: { type: 'Point', coordinates: [15, 37.7] } },
    lang: 'en',
    source: 'Example App',
    scopes: { followers: true },
    note_tweet: undefined as unknown,
  },
  includes: {
    users: [
      {
        id: '1',
        username: 'Ada',
        name: 'Ada L.',
        description: 'Counts &amp; engines',
        location: 'London',
        verified: true,
        public_metrics: { followers_count: 1, following_count: 2, tweet_count: 3, listed_count: 4 },
        affiliation: { user_id: ['9'] },
      },
      { id: '2', username: 'USGS', name: 'Survey' },
      { id: '9', username: 'Org', name: 'Org' },
    ],
    tweets: [{ id: '7', text: 'quoted MAGMA', author_id: '2' }],
    media: [{ media_key: '3_1', type: 'photo' }],
    places: [
      { id: 'p1', full_name: 'Catania, Italy', name: 'Catania', country_code: 'IT', geo: { bbox: [1, 2, 3, 4] } },
    ],
  },
};

describe('a post', () => {
  it.each([
    [undefined, 'data'],
    [null, 'data'],
    ['text', 'data'],
    [{}, 'data'],
    [{ data: [] }, 'data'],
    [{ data: { text: 'no id' } }, 'data.id'],
    [{ data: { id: '', text: 'no id' } }, 'data.id'],
    [{ data: { id: '1' } }, 'data.text'],
    [{ data: { id: '1', text: 7 } }, 'data.text'],
  ])('%j is rejected for %s', (payload, missing) => {
    expect(analyze(payload)).toEqual({ rejected: expect.stringContaining(`\`${missing}\``) });
  });

  it('may have a number for an id', () => {
    expect(viewOf({ data: { id: 7, text: '' } }).id).toBe('7');
  });

  it('shows every value where the payload has it', () => {
    const expected: [string, string, string[]][] = [
      ['text', 'ash', ['data.text: Ash']],
      ['text', '🌋', ['data.text: 🌋']],
      ['text', 'magma', ['includes.tweets.0.text: MAGMA']],
      ['text', 'quakes', ['data.entities.urls.0.unwound_url: Quakes']],
      ['url', 'quakes', ['data.entities.urls.0.unwound_url: Quakes']],
      ['url', 'co', ['data.text: https://t.co/a']],
      ['url_title', 'ash', ['data.entities.urls.0.title: ash']],
      ['url_description', 'all', ['data.entities.urls.0.description: All']],
      ['hashtag', 'etna', ['data.text: #Etna']],
      ['mention', 'usgs', ['data.text: @usgs']],
      ['mention', '2', ['data.text: @usgs']],
      ['cashtag', 'nvda', ['data.text: $NVDA']],
      ['entity', 'etna', ['data.text: #Etna']],
      ['entity', 'mount etna', ['data.context_annotations.0.entity.name: Mount Etna']],
      ['from', 'ada', ['includes.users.0.username: Ada']],
      ['from', '1', ['data.author_id: 1']],
      ['to', 'usgs', ['includes.users.1.username: USGS']],
      ['from_affiliate_of', 'org', ['includes.users.2.username: Org']],
      ['bio', 'engines', ['includes.users.0.description: engines']],
      ['bio_name', 'l', ['includes.users.0.name: L']],
      ['bio_location', 'london', ['includes.users.0.location: London']],
      ['conversation_id', '8', ['data.conversation_id: 8']],
      ['in_reply_to_tweet_id', '6', ['data.referenced_tweets.1.id: 6']],
      ['place', 'catania', ['includes.places.0.full_name: Catania', 'includes.places.0.name: Catania']],
      ['place_id', 'p1', ['data.geo.place_id: p1']],
      ['place_country', 'it', ['includes.places.0.country_code: IT']],
      ['lang', 'en', ['data.lang: en']],
      ['source', 'example app', ['data.source: Example App']],
      ['context', '11.*', []],
      ['is', 'quote', []],
    ];
    expect(expected.map(([field, value]) => [field, value, shownBy(term(field, value), RICH)])).toEqual(expected);
  });

  it('has these flags, numbers and place', () => {
    const view = viewOf(RICH);
    const values = (field: string) => view.pieces.filter((piece) => piece.field === field).map((piece) => piece.text);
    expect(values('is')).toEqual(['quote', 'reply', 'verified']);
    expect(values('has')).toEqual([
      'hashtags',
      'cashtags',
      'mentions',
      'links',
      'media',
      'images',
      'video_link',
      'geo',
    ]);
    expect(values('context')).toEqual(['11.*', '*.5', '11.5']);
    expect(view.numbers.map(({ field, value }) => `${field} ${value}`)).toEqual([
      'followers_count 1',
      'following_count 2',
      'listed_count 4',
      'tweets_count 3',
    ]);
    expect(view.place).toEqual({ kind: 'point', longitude: 15, latitude: 37.7 });
    expect(view.publishedAt).toBe(Date.UTC(2026, 1, 13, 8, 6, 32));
  });

  const REPOST = {
    data: {
      id: '20',
      text: 'RT @Salvini_G: Luigi Di Maio and the rest of the #go…',
      referenced_tweets: [{ type: 'retweeted', id: '21' }],
      entities: {
        mentions: [{ start: 3, end: 13, username: 'Salvini_G', id: '5' }],
        hashtags: [{ start: 52, end: 53, tag: 'Government' }],
      },
    },
    includes: { tweets: [{ id: '21', text: 'Luigi Di Maio and the rest of the #Government fell', author_id: '5' }] },
  };
  const ALONE = { data: REPOST.data };

  it.each<[string, string, string[]]>([
    ['mention', 'salvini_g', ['data.text: @Salvini_G']],
    ['mention', '5', ['data.text: @Salvini_G']],
    ['text', 'salvini', ['data.text: Salvini']],
    ['text', 'rt', ['data.text: RT']],
    ['has', 'mentions', []],
  ])('matches a repost on its own %s %s, with the original and without', (field, value, shown) => {
    for (const payload of [REPOST, ALONE]) {
      expect(explanationOf(term(field, value), viewOf(payload), 0).holds).toBe(true);
      expect(shownBy(term(field, value), payload)).toEqual(shown);
    }
  });

  it('matches a repost on the whole original too', () => {
    expect(shownBy(term('text', 'fell'), REPOST)).toEqual(['includes.tweets.0.text: fell']);
    expect(shownBy(term('text', 'maio'), REPOST)).toEqual(['data.text: Maio', 'includes.tweets.0.text: Maio']);
    expect(explanationOf(term('text', 'fell'), viewOf(ALONE), 0).holds).toBe(false);
  });

  it('shows a tag that was cut off a repost by its own value, not by the mark of the cut', () => {
    expect(shownBy(term('hashtag', 'government'), REPOST)).toEqual([
      'data.entities.hashtags.0.tag: Government',
      'includes.tweets.0.text: #Government',
    ]);
  });

  it.each([
    ['a quote', RICH],
    ['a repost', { ...RICH, data: { ...RICH.data, referenced_tweets: [{ type: 'retweeted', id: '7' }] } }],
  ])('has its pieces grouped by field and its words in order, as %s', (_, payload) => {
    const { pieces, words } = viewOf(payload);
    const fields = pieces.map((piece) => piece.field);
    expect(fields.filter((field, at) => field !== fields[at - 1])).toEqual([...new Set(fields)]);
    for (let at = 1; at < words.count; at++) {
      expect(words.pieces[at]!).toBeGreaterThanOrEqual(words.pieces[at - 1]!);
      expect(words.positions[at]!).toBeGreaterThan(words.positions[at - 1]!);
    }
  });

  it.each([
    ['an escape before it', 'a &amp;&lt;&gt; Lava', 'Lava'],
    ['a letter that folding lengthens', 'İİİ Lava', 'Lava'],
    ['accents that folding composes', 'e\u0301e\u0301 La\u0301va', 'La\u0301va'],
    ['a selector that folding drops', '☀\ufe0f☀\ufe0f Lava', 'Lava'],
    ['Hangul parts that folding composes', '\u1100\u1161\u11a8 Lava', 'Lava'],
    ['a mark on an escape', '&lt;\u0338 Lava', 'Lava'],
    ['a lone surrogate', '\ud83c Lava', 'Lava'],
  ])('shows a word in its own text with %s', (_, text, word) => {
    expect(shownBy(term('text', word.normalize().toLowerCase()), { data: { id: '1', text } })).toEqual([
      `data.text: ${word}`,
    ]);
  });

  it('never makes analysis throw, whatever its shape', () => {
    const query: Query = {
      kind: 'any',
      of: ['text', 'hashtag', 'from', 'to', 'is'].map((field) => term(field, 'etna')),
    };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.jsonValue(), (place, value) => {
        const view = analyze(withReplaced(RICH, place, value));
        fc.pre(!isRejection(view));
        expect(explanationOf(query, view, 0).holds).toBe(holds(query, view, 0));
        for (const { start, end } of highlightsOf(query, view, 0)) expect(start).toBeLessThan(end);
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        expect(analyze(payload)).toBeTypeOf('object');
      }),
    );
  });
});

/** A copy in which the nth value, counted through the whole, is another. */
function withReplaced(payload: unknown, place: number, value: unknown): unknown {
  let count = 0;
  const copy = (part: unknown): unknown => {
    if (count++ === place) return value;
    if (Array.isArray(part)) return part.map(copy);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, copy(inner)]));
  };
  return copy(payload);
}
