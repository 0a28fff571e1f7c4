import { describe, expect, it } from 'vitest';
import { pageOfContent, pageOfPost, postOf, postOfPage } from './twins.ts';

const NOW = new Date('2026-11-15T08:30:00.123Z');

describe('a post of a content', () => {
  it('has the title as its first line and the link among its entities', () => {
    expect(postOf({ text: 'a #lava & <b>', title: 'News', link: 'https://a.example/', language: 'en' })).toEqual({
      data: {
        id: '1',
        text: 'News\na #lava &amp; &lt;b&gt;',
        lang: 'en',
        entities: expect.objectContaining({
          hashtags: [expect.objectContaining({ tag: 'lava' })],
          urls: [{ expanded_url: 'https://a.example/', title: 'News' }],
        }),
      },
    });
  });

  it('has no entities without a title and a link, and no language that is not known', () => {
    expect(postOf({ text: 'lava' })).toEqual({ data: { id: '1', text: 'lava' } });
    expect(postOf({ text: 'lava', title: 'News' })).toMatchObject({
      data: { entities: { urls: [{ title: 'News' }] } },
    });
    expect(postOf({ text: 'lava', link: 'https://a.example/' })).toMatchObject({
      data: { text: 'lava', entities: { urls: [{ expanded_url: 'https://a.example/' }] } },
    });
  });
});

describe('a page of a content', () => {
  it('has the text as added, and a time without a zone', () => {
    expect(pageOfContent({ text: 'lava' }, NOW)).toEqual({
      id: '1',
      added: ['lava'],
      publish_time: '2026-11-15T08:30:00',
    });
    expect(
      pageOfContent({ text: 'lava', title: 'News', link: 'https://a.example/', language: 'en' }, NOW),
    ).toMatchObject({ title: 'News', url: 'https://a.example/', language: 'en' });
  });

  it.each([
    ['zh', 'zh-cn'],
    ['EN', 'en'],
    ['xx', undefined],
    [undefined, undefined],
  ])('in %s has the language %s', (language, label) => {
    expect(pageOfContent({ text: 'lava', ...(language !== undefined && { language }) }, NOW)['language']).toBe(label);
  });
});

describe('the page of a post', () => {
  it('has its text, unescaped, and that of what it reposts or quotes, and of nothing else', () => {
    const tweets = [
      { id: '2', text: 'quoted &lt;b&gt;' },
      { id: '3', text: 'replied to' },
      { id: '4', text: 'reposted' },
    ];
    const referenced_tweets = [
      { type: 'quoted', id: '2' },
      { type: 'replied_to', id: '3' },
      { type: 'retweeted', id: '4' },
    ];
    const page = pageOfPost({ data: { text: 'a &amp; b', referenced_tweets }, includes: { tweets } }, NOW);
    expect(page['added']).toEqual(['a & b', 'quoted <b>', 'reposted']);
    const newer = pageOfPost(
      { data: { text: 'a', referenced_posts: referenced_tweets }, includes: { posts: tweets } },
      NOW,
    );
    expect(newer['added']).toEqual(['a', 'quoted <b>', 'reposted']);
  });

  it('passes over what is no post and no reference', () => {
    const referenced_tweets = [null, 'quoted', { type: 'quoted' }, { type: 'quoted', id: '2' }];
    const tweets = [null, 'text', { id: '2', text: 'quoted' }, { id: '5', text: 'another' }];
    const page = pageOfPost({ data: { text: 'a', referenced_tweets }, includes: { tweets } }, NOW);
    expect(page['added']).toEqual(['a', 'quoted']);
    expect(pageOfPost({ data: { text: 'a', referenced_tweets } }, NOW)['added']).toEqual(['a']);
    expect(pageOfPost({ data: { text: 'a', entities: { urls: [null] } } }, NOW)).not.toHaveProperty('url');
  });

  it('has the whole text of a long post', () => {
    for (const name of ['note_tweet', 'note_post'])
      expect(pageOfPost({ data: { text: 'cut', [name]: { text: 'the whole' } } }, NOW)['added']).toEqual(['the whole']);
    expect(pageOfPost({ data: {} }, NOW)['added']).toEqual(['']);
    expect(pageOfPost({}, NOW)).toEqual({ id: '1', added: [''], publish_time: '2026-11-15T08:30:00' });
  });

  it('is at the first link of the post', () => {
    const post = (url: object) => ({ data: { text: 'a', lang: 'de', entities: { urls: [url, { title: 'second' }] } } });
    expect(pageOfPost(post({ expanded_url: 'https://a.example/', title: 'News' }), NOW)).toMatchObject({
      url: 'https://a.example/',
      title: 'News',
      language: 'de',
    });
    const both = { expanded_url: 'https://short.example/', unwound_url: 'https://long.example/' };
    expect(pageOfPost(post(both), NOW)).toMatchObject({ url: 'https://long.example/' });
    expect(pageOfPost(post(both), NOW)).not.toHaveProperty('title');
  });
});

describe('the post of a page', () => {
  it('has what the page added, by its parts', () => {
    const page = {
      diff: { chunks: [null, { typ: 'ins', text: 'new' }, { typ: 'del', text: 'old' }, { typ: 'ins' }] },
      added: ['one', 'two'],
      added_anchor: 'three',
      title: 'News',
      url: 'https://a.example/',
      language: 'he',
    };
    expect(postOfPage(page)).toMatchObject({
      data: {
        text: 'News\nnew\n\none\ntwo\nthree',
        lang: 'iw',
        entities: { urls: [{ expanded_url: 'https://a.example/', title: 'News' }] },
      },
    });
    expect(postOfPage({ added: 'one' })).toEqual({ data: { id: '1', text: 'one\n' } });
  });

  it('has the tags of its text, unless that is longer than any post', () => {
    const page = (length: number) => ({ title: 'News', added: `#tag ${'a'.repeat(length)}` });
    expect(postOfPage(page(20_000))).toMatchObject({ data: { entities: { hashtags: [{ tag: 'tag' }] } } });
    expect(postOfPage(page(25_000))).toMatchObject({ data: { entities: { hashtags: [], urls: [{ title: 'News' }] } } });
  });
});
