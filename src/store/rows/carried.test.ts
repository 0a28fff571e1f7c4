import { describe, expect, it } from 'vitest';
import { carriedPosts, coldOwnMark, mayCarry } from './carried.ts';

const carriedBy = (payload: object, postId = 'own') => {
  expect(mayCarry(JSON.stringify(payload))).toBe(true);
  return carriedPosts('x', { ...payload }, postId).map((one) => `${one.postId}${one.isEdit ? ' edited' : ''}`);
};

describe('what an event carries', () => {
  it('is what it reposts, with or without the post beside it', () => {
    const referenced_tweets = [{ type: 'retweeted', id: 'a' }];
    expect(carriedBy({ data: { id: 'own', referenced_tweets } })).toEqual(['a']);
    expect(carriedBy({ data: { id: 'own', referenced_posts: [{ type: 'retweeted', id: 7 }] } })).toEqual(['7']);
  });

  it('is every post that came along, quoted or answered, and the versions of it', () => {
    const referenced_tweets = [{ type: 'quoted', id: 'a' }];
    const tweets = [{ id: 'a', edit_history_tweet_ids: ['a0', 'a'] }, { id: 'own' }, 'none', { text: 'without an id' }];
    expect(carriedBy({ data: { referenced_tweets }, includes: { tweets } })).toEqual(['a', 'a0']);
    expect(carriedBy({ data: {}, includes: { posts: [{ id: 'b' }] } })).toEqual(['b']);
  });

  it('is the versions before it', () => {
    expect(carriedBy({ data: { edit_history_tweet_ids: ['a', 'b', 'own'] } })).toEqual(['a edited', 'b edited']);
    expect(carriedBy({ data: { edit_history_post_ids: ['a', 'own'] } })).toEqual(['a edited']);
  });

  it('is nothing that is only named, and nothing of a page', () => {
    const named = { data: { referenced_tweets: [{ type: 'quoted', id: 'a' }, { type: 'replied_to', id: 'b' }, 3] } };
    expect(mayCarry(JSON.stringify(named))).toBe(false);
    expect(carriedPosts('x', named, 'own')).toEqual([]);
    expect(carriedPosts('x', {}, 'own')).toEqual([]);
    expect(carriedPosts('firehose', { data: { edit_history_tweet_ids: ['a', 'own'] } }, 'own')).toEqual([]);
  });

  it('is no more than some hundred posts', () => {
    const tweets = Array.from({ length: 1_000 }, (_, id) => ({ id: `p${id}` }));
    expect(carriedBy({ data: {}, includes: { tweets } })).toHaveLength(256);
  });
});

describe('the own mark of a post whose payload is cold', () => {
  it.each<[string, readonly unknown[], string | undefined]>([
    ['says whether the first is its own', [['m', 'n'], ['a', 'b'], true], 'm'],
    ['says that the first is not', [['m'], [], false], undefined],
    ['an older one has more texts than posts', [['m', 'n'], ['a']], 'm'],
    ['an older one carries nothing', [['m'], []], 'm'],
    ['an older one may have no own text', [['m'], ['a']], undefined],
    ['an older one has the same post twice', [['m', 'm'], ['a']], undefined],
    ['an older one has no text', [[], []], undefined],
  ])('%s', (_, cold, mark) => {
    expect(coldOwnMark(JSON.stringify(cold))).toBe(mark);
  });
});
