/** The facts that a rule can ask of a post beside its words, from payloads that say much or little. */
import { describe, expect, it } from 'vitest';
import { type EventView, isRejection } from './event-view.ts';
import { xAnalyzer } from './x-event.ts';

const analyze = xAnalyzer();

function viewOf(data: object, includes: object = {}): EventView {
  const view = analyze({ data: { id: '10', text: 'hi', ...data }, includes });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

/** The values of a field, with where they show. */
const valuesOf = (view: EventView, field: string): string[] =>
  view.pieces
    .filter((piece) => piece.field === field)
    .map(({ text, path }) => (path === '' ? text : `${text} @ ${path}`));

const repost = (id = '7') => ({ referenced_tweets: [{ type: 'retweeted', id }] });

describe('what X recognised in a post', () => {
  const annotations = (text: string) => ({ annotations: [{ normalized_text: text }, { probability: 1 }, 7] });
  const context = (id: string, name: string) => ({ domain: { id: `d${id}` }, entity: { id, name } });

  it('is that of the post itself, and of the original of a repost, and not of what it quotes', () => {
    const entities = annotations('Etna');
    const original = {
      id: '7',
      text: 'x',
      entities: annotations('Vesuvius'),
      context_annotations: [context('6', 'Mount Vesuvius')],
    };
    const data = { entities, context_annotations: [context('5', 'Mount Etna')] };
    const reposted = viewOf({ ...data, ...repost() }, { tweets: [original] });
    expect(valuesOf(reposted, 'entity')).toEqual([
      'etna @ data.entities.annotations.0.normalized_text',
      'vesuvius @ includes.tweets.0.entities.annotations.0.normalized_text',
      'mount etna @ data.context_annotations.0.entity.name',
      'mount vesuvius @ includes.tweets.0.context_annotations.0.entity.name',
    ]);
    expect(valuesOf(reposted, 'context')).toEqual(['d5.*', '*.5', 'd5.5', 'd6.*', '*.6', 'd6.6']);
    const quote = viewOf({ ...data, referenced_tweets: [{ type: 'quoted', id: '7' }] }, { tweets: [original] });
    expect(valuesOf(quote, 'entity')).toEqual([
      'etna @ data.entities.annotations.0.normalized_text',
      'mount etna @ data.context_annotations.0.entity.name',
    ]);
  });

  it('may have a domain or an entity alone, or neither', () => {
    const context_annotations = [{ domain: { id: '1' } }, { entity: { id: '2' } }, {}, null];
    expect(valuesOf(viewOf({ context_annotations }), 'context')).toEqual(['1.*', '*.2']);
  });
});

describe('the author of a post', () => {
  it('is known by id where the payload has no more', () => {
    expect(valuesOf(viewOf({ author_id: '1' }), 'from')).toEqual(['1 @ data.author_id']);
    expect(valuesOf(viewOf({}), 'from')).toEqual([]);
  });

  it.each([
    ['a list', ['8', '9', 7, null]],
    ['one id', '8'],
  ])('belongs to those that %s names, by id and by name', (_, user_id) => {
    const users = [
      { id: '1', affiliation: { user_id } },
      { id: '8', username: 'Org' },
      { id: '8', username: 'Later' },
    ];
    const values = valuesOf(viewOf({ author_id: '1' }, { users }), 'from_affiliate_of');
    const own = 'includes.users.0.affiliation.user_id';
    const first = [`8 @ ${own}`, 'org @ includes.users.1.username'];
    expect(values).toEqual(user_id === '8' ? first : [...first, `9 @ ${own}`, `7 @ ${own}`]);
  });

  it('belongs to whom the address of a profile names, shown there', () => {
    const affiliation = (url: unknown) =>
      viewOf({ author_id: '1' }, { users: [{ id: '1', affiliation: { url } }] }).pieces.filter(
        ({ field }) => field === 'from_affiliate_of',
      );
    const path = 'includes.users.0.affiliation.url';
    for (const url of ['https://twitter.com/NASA', 'https://www.x.com/NASA/', 'http://mobile.twitter.com/NASA?s=20']) {
      const start = url.indexOf('NASA');
      const shown = { path, source: url, span: { start, end: start + 4 } };
      expect(affiliation(url)).toEqual([{ field: 'from_affiliate_of', text: 'nasa', ...shown }]);
    }
    for (const url of ['https://example.org/NASA', 'https://x.com/', 'https://x.com/NASA/status/1', 'NASA', 7, null])
      expect(affiliation(url)).toEqual([]);
  });

  it('has the counts that are numbers, under either name of posts', () => {
    const counts = (public_metrics: unknown) =>
      viewOf({ author_id: '1' }, { users: [{ id: '1', public_metrics }] }).numbers.map((one) => [one.field, one.value]);
    expect(counts({ followers_count: 0, following_count: '2', post_count: 5 })).toEqual([
      ['followers_count', 0],
      ['tweets_count', 5],
    ]);
    expect(counts({ tweet_count: 4, post_count: 5, listed_count: 6, following_count: 7 })).toEqual([
      ['following_count', 7],
      ['listed_count', 6],
      ['tweets_count', 4],
    ]);
    expect(counts(undefined)).toEqual([]);
  });

  it('is verified only if the payload says just that', () => {
    const is = (verified: unknown) => valuesOf(viewOf({ author_id: '1' }, { users: [{ id: '1', verified }] }), 'is');
    expect([is(true), is('true'), is(false)]).toEqual([['verified'], [], []]);
  });
});

describe('whom a post answers', () => {
  const mentions = [
    { id: '3', username: 'Other' },
    { id: '2', username: 'Ada' },
  ];

  it('is known by name from the people included, and whom they belong to', () => {
    const users = [
      { id: '2', username: 'Ada', affiliation: { user_id: '9' } },
      { id: '9', username: 'Org' },
    ];
    const view = viewOf({ in_reply_to_user_id: '2', entities: { mentions } }, { users });
    expect(valuesOf(view, 'to')).toEqual(['2 @ data.in_reply_to_user_id', 'ada @ includes.users.0.username']);
    expect(valuesOf(view, 'to_affiliate_of')).toEqual([
      '9 @ includes.users.0.affiliation.user_id',
      'org @ includes.users.1.username',
    ]);
  });

  it('is known by name from the mention with its id, where it is not included', () => {
    const view = viewOf({ in_reply_to_user_id: '2', entities: { mentions } });
    expect(valuesOf(view, 'to')).toEqual(['2 @ data.in_reply_to_user_id', 'ada @ data.entities.mentions.1.username']);
    expect(valuesOf(viewOf({ in_reply_to_user_id: '5', entities: { mentions } }), 'to')).toEqual([
      '5 @ data.in_reply_to_user_id',
    ]);
  });

  it('is known from the post that it answers, if that is included', () => {
    const data = { referenced_tweets: [{ type: 'replied_to', id: '6' }] };
    const view = viewOf(data, { tweets: [{ id: '6', text: 'x', author_id: '2' }] });
    expect(valuesOf(view, 'to')).toEqual(['2 @ data.in_reply_to_user_id']);
    expect(valuesOf(view, 'in_reply_to_tweet_id')).toEqual(['6 @ data.referenced_tweets.0.id']);
    expect(valuesOf(viewOf(data), 'to')).toEqual([]);
  });
});

describe('the thread of a post', () => {
  it('is its own where it starts one, and unknown where an answer does not say', () => {
    expect(valuesOf(viewOf({}), 'conversation_id')).toEqual(['10 @ data.id']);
    expect(valuesOf(viewOf({ conversation_id: '8' }), 'conversation_id')).toEqual(['8 @ data.conversation_id']);
    expect(valuesOf(viewOf({ in_reply_to_user_id: '2' }), 'conversation_id')).toEqual([]);
  });

  it('is read in one vocabulary where the payload has nothing in the other', () => {
    const references = [{ type: 'quoted', id: '7' }];
    const tweets = [{ id: '7', text: 'lava' }];
    for (const nothing of [null, []]) {
      const view = viewOf({ referenced_posts: nothing, referenced_tweets: references }, { posts: nothing, tweets });
      expect(valuesOf(view, 'text')).toEqual(['hi @ data.text', 'lava @ includes.tweets.0.text']);
    }
    const note_post = { text: 'long' };
    expect(valuesOf(viewOf({ note_tweet: null, note_post }), 'text')).toEqual(['long @ data.note_post.text']);
  });

  it('is read in both vocabularies', () => {
    const references = [
      { type: 'retweeted', id: '7' },
      { type: 'retweeted', id: '8' },
    ];
    const view = viewOf({ referenced_posts: references }, { posts: [{ id: '7', text: 'lava', author_id: '2' }] });
    expect(valuesOf(view, 'retweets_of_tweet_id')).toEqual(['7 @ data.referenced_posts.0.id']);
    expect(valuesOf(view, 'retweets_of')).toEqual(['2 @ includes.posts.0.author_id']);
    expect(valuesOf(view, 'text')).toEqual(['hi @ data.text', 'lava @ includes.posts.0.text']);
  });
});

describe('the author of what is reposted', () => {
  const text = 'RT @Ada: hello';
  const entities = {
    mentions: [
      { start: 3, end: 7, username: 'Ada', id: '2' },
      { start: 9, username: 'Other', id: '4' },
    ],
  };
  const original = { id: '7', text: 'hello', author_id: '2' };

  it('is known by id and name where all is included', () => {
    const view = viewOf({ text, entities, ...repost() }, { tweets: [original], users: [{ id: '2', username: 'Ada' }] });
    expect(valuesOf(view, 'retweets_of')).toEqual([
      '2 @ includes.tweets.0.author_id',
      'ada @ includes.users.0.username',
    ]);
  });

  it('is known by the mention at the beginning otherwise', () => {
    expect(valuesOf(viewOf({ text, entities, ...repost() }, { tweets: [original] }), 'retweets_of')).toEqual([
      '2 @ includes.tweets.0.author_id',
      'ada @ data.entities.mentions.0.username',
    ]);
    expect(valuesOf(viewOf({ text, entities, ...repost() }), 'retweets_of')).toEqual([
      'ada @ data.entities.mentions.0.username',
      '2 @ data.entities.mentions.0.id',
    ]);
  });

  it('is unknown where the text does not begin as a repost does', () => {
    expect(valuesOf(viewOf({ text: 'hi @Ada: hello', entities, ...repost() }), 'retweets_of')).toEqual([]);
    expect(valuesOf(viewOf({ text, entities: { mentions: [] }, ...repost() }), 'retweets_of')).toEqual([]);
    expect(valuesOf(viewOf({ text, entities }), 'retweets_of')).toEqual([]);
  });
});

describe('the kind of a post', () => {
  const is = (data: object, includes?: object) => valuesOf(viewOf(data, includes), 'is');

  it('is said of reposts, quotes and answers, and of what reposts or quotes an answer', () => {
    const quoted = { referenced_tweets: [{ type: 'quoted', id: '7' }] };
    const answer = { tweets: [{ id: '7', text: 'x', in_reply_to_user_id: '2' }] };
    expect(is({})).toEqual([]);
    expect(is(repost())).toEqual(['retweet']);
    expect(is(quoted)).toEqual(['quote']);
    expect(is({ in_reply_to_user_id: '2' })).toEqual(['reply']);
    expect(is({ referenced_tweets: [{ type: 'replied_to', id: '7' }] })).toEqual(['reply']);
    expect(is(repost(), answer)).toEqual(['retweet', 'reply']);
    expect(is(quoted, answer)).toEqual(['quote', 'reply']);
    expect(is(quoted, { tweets: [{ id: '7', text: 'x' }] })).toEqual(['quote']);
  });

  it('is promoted only where followers do not see it, or an advertiser sent it', () => {
    expect(is({ scopes: { followers: false } })).toEqual(['nullcast']);
    expect(is({ scopes: { followers: true } })).toEqual([]);
    expect(is({ source: 'Twitter for Advertisers (legacy)' })).toEqual(['nullcast']);
    expect(is({ source: '<a href="https://ads.example">Twitter for Advertisers</a>' })).toEqual(['nullcast']);
    expect(is({ source: 'An app like Twitter for Advertisers' })).toEqual([]);
  });
});

describe('what a post has', () => {
  const has = (data: object, includes?: object) => valuesOf(viewOf(data, includes), 'has');

  it.each([
    [{ entities: { hashtags: [{ tag: 'a' }] } }, ['hashtags']],
    [{ entities: { cashtags: [{ tag: 'a' }] } }, ['cashtags']],
    [{ entities: { mentions: [{ username: 'a' }] } }, ['mentions']],
    [{ entities: { urls: [{ url: 'https://t.co/a' }] } }, ['links']],
    [{ entities: { hashtags: [] } }, []],
    [{ attachments: { media_keys: ['3_1'] } }, ['links', 'media', 'images']],
    [{ attachments: { media_keys: ['7_1'] } }, ['links', 'media', 'video_link']],
    [{ attachments: { media_keys: ['13_1'] } }, ['links', 'media', 'video_link']],
    [{ attachments: { media_keys: ['16_1'] } }, ['links', 'media']],
    [{ attachments: { media_keys: [7] } }, ['links', 'media']],
    [{ attachments: { media_keys: [] } }, []],
    [{ referenced_tweets: [{ type: 'quoted', id: '7' }] }, ['links']],
    [{ geo: { place_id: 'p' } }, ['geo']],
    [{ geo: { coordinates: { coordinates: [15, 37] } } }, ['geo']],
    [{ geo: { coordinates: { coordinates: [15, null] } } }, []],
    [{ geo: {} }, []],
    [{ geo: { place_id: 'p' }, ...repost() }, []],
    [{ text: 'with #tags and $TSLA, @ada, https://example.com' }, ['hashtags', 'cashtags', 'mentions', 'links']],
  ])('%j is said as %j', (data, expected) => {
    expect(has(data)).toEqual(expected);
  });

  it('is known by the media that are included, rather than by their keys', () => {
    const data = { attachments: { media_keys: ['3_1', '7_2'] } };
    expect(
      has(data, {
        media: [
          { media_key: '3_1', type: 'video' },
          { media_key: '7_2', type: 'animated_gif' },
        ],
      }),
    ).toEqual(['links', 'media', 'video_link']);
  });

  it('is also what the post that it reposts or quotes has', () => {
    const tweets = [{ id: '7', text: 'x #tag', attachments: { media_keys: ['3_1'] } }];
    expect(has(repost(), { tweets })).toEqual(['hashtags', 'links', 'media', 'images']);
  });
});

describe('where a post comes from', () => {
  it('is the app by its name, and by its address where the payload has one', () => {
    expect(valuesOf(viewOf({ source: 'App' }), 'source')).toEqual(['app @ data.source']);
    const source = '<a href="https://App.example/x" rel="nofollow">My App</a>';
    expect(valuesOf(viewOf({ source }), 'source')).toEqual([
      'my app @ data.source',
      'https://app.example/x @ data.source',
    ]);
    expect(valuesOf(viewOf({ source: '<a name="x">y</a>' }), 'source')).toEqual(['<a name="x">y</a> @ data.source']);
    expect(valuesOf(viewOf({ lang: 'DE' }), 'lang')).toEqual(['de @ data.lang']);
  });

  const places = [
    { id: 'p', country_code: 'IT', full_name: 'Catania, IT', name: 'Catania', geo: { bbox: [1, 2, 3, 4] } },
  ];

  it('is a point, or else a box, or else unknown', () => {
    const coordinates = (list: unknown[]) => ({ geo: { place_id: 'p', coordinates: { coordinates: list } } });
    expect(viewOf(coordinates([15, 37]), { places }).place).toEqual({ kind: 'point', longitude: 15, latitude: 37 });
    expect(viewOf(coordinates([0, 0]), { places }).place).toEqual({ kind: 'point', longitude: 0, latitude: 0 });
    const box = { kind: 'box', west: 1, south: 2, east: 3, north: 4 };
    for (const list of [[], [15], ['15', 37], [15, null]]) {
      expect(viewOf(coordinates(list), { places }).place).toEqual(box);
    }
    for (const bbox of [[1, 2, 3], [1, 2, 3, 'x'], ['x', 2, 3, 4], [1, 'x', 3, 4], [1, 2, 'x', 4], undefined]) {
      expect(viewOf({ geo: { place_id: 'p' } }, { places: [{ id: 'p', geo: { bbox } }] }).place).toBeUndefined();
    }
    expect(viewOf({ geo: { place_id: 'p' }, ...repost() }, { places }).place).toBeUndefined();
  });

  it('has names and a country where the place is included', () => {
    const view = viewOf({ geo: { place_id: 'p' } }, { places });
    expect(['place_id', 'place_country', 'place'].map((field) => valuesOf(view, field))).toEqual([
      ['p @ data.geo.place_id'],
      ['it @ includes.places.0.country_code'],
      ['catania, it @ includes.places.0.full_name', 'catania @ includes.places.0.name'],
    ]);
    expect(valuesOf(viewOf({ geo: { place_id: 'q' } }, { places }), 'place')).toEqual([]);
  });
});

describe('the text of a post', () => {
  it('is its note where it is a long post, in both vocabularies, with the entities of the note', () => {
    for (const name of ['note_tweet', 'note_post']) {
      const note = { text: 'long #Lava', entities: { hashtags: [{ tag: 'Lava' }] } };
      const view = viewOf({ text: 'short #Ash', [name]: note });
      expect(valuesOf(view, 'text')).toEqual([`long #lava @ data.${name}.text`]);
      expect(valuesOf(view, 'hashtag')).toEqual([`lava @ data.${name}.entities.hashtags.0.tag`]);
    }
    expect(valuesOf(viewOf({ note_tweet: { text: 7 } }), 'text')).toEqual(['hi @ data.text']);
  });

  it('shows what is listed beside its cut text in the note as far as both are the same, and then by itself', () => {
    const annotation = (start: number, end: number, name: string) => ({ start, end, normalized_text: name });
    const annotations = [annotation(3, 6, 'Etna'), annotation(11, 13, 'Rom…')];
    const note_tweet = { text: '🌋 #Etna in Rome', entities: { annotations: [annotation(3, 7, 'etna!')] } };
    const view = viewOf({ text: '🌋 #Etna in Ro…', entities: { annotations }, note_tweet });
    expect(valuesOf(view, 'entity')).toEqual([
      'etna! @ data.note_tweet.text',
      'etna @ data.note_tweet.text',
      'rom… @ data.entities.annotations.1.normalized_text',
    ]);
    expect(view.pieces.filter(({ field }) => field === 'entity').map(({ span }) => span)).toEqual([
      { start: 3, end: 8 },
      { start: 3, end: 7 },
      undefined,
    ]);
  });

  it('has of each kind of entity what its note lists, or else what stands beside its cut text', () => {
    const listed = (tag: string) => [{ start: 0, end: 3, tag, username: tag, url: `https://t.co/${tag}` }];
    const kinds = ['hashtags', 'mentions', 'cashtags', 'urls'];
    const entities = Object.fromEntries(kinds.map((kind) => [kind, listed('short')]));
    const fields = (note: object) => {
      const view = viewOf({ text: 'cut', entities, note_tweet: { text: 'cut no more', entities: note } });
      return ['hashtag', 'mention', 'cashtag', 'url'].map((field) => valuesOf(view, field)[0]?.split(' ')[0]);
    };
    expect(fields({ hashtags: listed('long'), urls: [] })).toEqual(['long', 'short', 'short', undefined]);
    expect(fields({ mentions: listed('long'), cashtags: null })).toEqual([
      'short',
      'long',
      'short',
      'https://t.co/short',
    ]);
  });

  it('is looked through for tags where it came without them, up to 25,000 characters', () => {
    const tagged = (length: number) => `${'x'.repeat(length - 5)} #tag`;
    expect(valuesOf(viewOf({ text: tagged(25_000) }), 'hashtag')).toEqual(['tag @ data.text']);
    expect(valuesOf(viewOf({ text: tagged(25_001) }), 'hashtag')).toEqual([]);
  });

  it('counts the places of such tags in code points', () => {
    const spans = viewOf({ text: '🌋🌋 #Etna 🌋 #Ash' }).pieces.filter(({ field }) => field === 'hashtag');
    expect(spans.map(({ span }) => span)).toEqual([
      { start: 3, end: 8 },
      { start: 11, end: 15 },
    ]);
  });

  it('has the addresses behind its links, each once', () => {
    const link = { url: 'https://t.co/A', expanded_url: 'https://b.example/B', unwound_url: 'https://b.example/B' };
    const view = viewOf({ entities: { urls: [link, { url: 'https://t.co/C', start: 0, end: 14 }] } });
    expect(valuesOf(view, 'url')).toEqual([
      'https://t.co/a @ data.entities.urls.0.url',
      'https://b.example/b @ data.entities.urls.0.expanded_url',
      'https://t.co/c @ data.text',
    ]);
    expect(valuesOf(view, 'text')).toEqual([
      'hi @ data.text',
      'https://t.co/a @ data.entities.urls.0.url',
      'https://b.example/b @ data.entities.urls.0.expanded_url',
    ]);
  });
});
