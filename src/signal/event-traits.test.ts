import { describe, expect, it } from 'vitest';
import { authorKey, traitsFilter, traitsOf } from './event-traits.ts';

const post = {
  data: {
    id: '1',
    text: 'Ash',
    author_id: '7',
    lang: 'EN',
    entities: {
      urls: [
        { url: 'https://t.co/a', expanded_url: 'https://bit.example/a', unwound_url: 'https://News.BBC.co.uk/ash?q=1' },
        { url: 'https://t.co/b' },
      ],
    },
  },
  includes: {
    users: [
      { id: '6', username: 'other' },
      { id: '7', username: 'VolcanoWatch' },
    ],
  },
};

describe('the traits of an event', () => {
  it('are the author, the language and where the links of a post lead', () => {
    const traits = traitsOf('x', post);
    expect(traits).toEqual({
      author: { id: '7', name: 'VolcanoWatch' },
      domains: [['news.bbc.co.uk', 'bbc.co.uk'], ['t.co']],
      language: 'en',
    });
    expect(authorKey(traits.author!)).toBe('volcanowatch');
    expect(authorKey({ id: '7', name: undefined })).toBe('7');
  });

  it('are the domain and the language of a page', () => {
    const page = { id: '1', url: 'https://www.example.com/a', language: 'de' };
    expect(traitsOf('firehose', page)).toEqual({
      author: undefined,
      domains: [['www.example.com', 'example.com']],
      language: 'de',
    });
    expect(traitsOf('firehose', { ...page, domain: 'Site.example' }).domains).toEqual([['site.example']]);
  });

  it('are nothing where the payload says nothing, or nonsense', () => {
    const none = { author: undefined, domains: [], language: undefined };
    for (const payload of [{}, { data: 7 }, { data: { entities: { urls: 'a' }, lang: 3, author_id: null } }])
      expect(traitsOf('x', payload)).toEqual(none);
    for (const payload of [{}, { url: 7, language: [] }, { url: 'nowhere' }])
      expect(traitsOf('firehose', payload)).toEqual(none);
  });

  it('look at a bounded number of links', () => {
    const urls = Array.from({ length: 1_000 }, (_, at) => ({ url: `https://s${at}.example/` }));
    expect(traitsOf('x', { data: { entities: { urls } } }).domains).toHaveLength(32);
  });
});

describe('a filter by traits', () => {
  const traits = traitsOf('x', post);
  it.each([
    [{ author: 'volcanowatch' }, true],
    [{ author: '@VolcanoWatch' }, true],
    [{ author: '7' }, true],
    [{ author: 'volcano' }, false],
    [{ domain: 'BBC.co.uk' }, true],
    [{ domain: 'news.bbc.co.uk' }, true],
    [{ domain: 'co.uk' }, false],
    [{ domain: 'bc.co.uk' }, false],
    [{ language: 'En' }, true],
    [{ language: 'e' }, false],
    [{ author: '7', language: 'de' }, false],
  ])('%o answers %s', (wanted, isWanted) => {
    expect(traitsFilter(wanted)(traits)).toBe(isWanted);
  });
});
