import { describe, expect, it } from 'vitest';
import { EVERY_ACCOUNT, eventText, NO_REFUSALS, postText, refusalsOf, textsOf, versionsOf } from './tombstones.ts';

describe('the texts whose tombstones refuse an event', () => {
  it('are those of its id, of earlier versions, of what it carries, and of what the id may be a version of', () => {
    expect(textsOf('x', { postId: 'a' })).toEqual(['x "a"', 'x post "a"']);
    const edited = ['x "a"', 'x "b"', 'x post "a"', 'x post "b"'];
    expect(textsOf('x', { postId: 'a', earlier: ['b'] })).toEqual(edited);
    const repost = { data: { id: 'a', referenced_tweets: [{ type: 'retweeted', id: 'b' }] } };
    expect(textsOf('x', { postId: 'a', payload: repost })).toEqual(edited);
    expect(textsOf('x', { postId: 'a', payload: JSON.stringify(repost) })).toEqual(edited);
    const posts = (postId: string) => textsOf('x', { postId }).slice(1);
    expect(posts('a/1')).toEqual(['x post "a/1"', 'x post "a"']);
    expect(posts('a/1/2')).toEqual(['x post "a/1/2"', 'x post "a/1"', 'x post "a"']);
    expect(posts('a/1/2/3')).toEqual(['x post "a/1/2/3"', 'x post "a/1/2"', 'x post "a/1"']);
    expect(posts('/a')).toEqual(['x post "/a"']);
    expect(posts('/a/b')).toEqual(['x post "/a/b"', 'x post "/a"']);
  });

  it('have the versions of a post between two of them', () => {
    const { from, below } = versionsOf('a');
    const isVersion = (id: string) => JSON.stringify(id) >= from && JSON.stringify(id) < below;
    expect(['a/', 'a/1', 'a/zz', 'a', 'a0', 'b/1', 'a.1'].filter(isVersion)).toEqual(['a/', 'a/1', 'a/zz']);
  });
});

describe('refusals', () => {
  const all = { text: eventText('x', 'gone'), account: EVERY_ACCOUNT, account_id: null };
  const one = { text: postText('x', 'a'), account: 7, account_id: 'acct_7' };
  const known = ['gone', 'a', 'a/1', 'b'].map((postId) => [postId, new Set(textsOf('x', { postId }))] as const);
  const edited = ['other', new Set(textsOf('x', { postId: 'other', earlier: ['gone'] }))] as const;
  const { isRefused, isKeptOut } = refusalsOf(new Map([...known, edited]), [all, one]);

  it('of all accounts refuse the post to each, and of one account to that alone', () => {
    expect([isRefused({ postId: 'gone' }, 7), isRefused({ postId: 'gone' }, 8)]).toEqual([true, true]);
    expect([isRefused({ postId: 'a/1' }, 7), isRefused({ postId: 'a/1' }, 8)]).toEqual([true, false]);
    expect(isRefused({ postId: 'other' }, 8)).toBe(true);
    expect([isRefused({ postId: 'b' }, 7), isRefused({ postId: 'unasked' }, EVERY_ACCOUNT)]).toEqual([false, false]);
  });

  it('keep an event out when no account that could see it may', () => {
    expect([isKeptOut({ postId: 'gone' }), isKeptOut({ postId: 'gone', accountId: 'acct_8' })]).toEqual([true, true]);
    expect(isKeptOut({ postId: 'a', accountId: 'acct_7' })).toBe(true);
    expect([isKeptOut({ postId: 'a', accountId: 'acct_8' }), isKeptOut({ postId: 'a' })]).toEqual([false, false]);
  });

  it('are none without tombstones', () => {
    expect(refusalsOf(new Map(), [])).toBe(NO_REFUSALS);
    expect([NO_REFUSALS.isRefused({ postId: 'a' }, 7), NO_REFUSALS.isKeptOut({ postId: 'a' })]).toEqual([false, false]);
  });
});
