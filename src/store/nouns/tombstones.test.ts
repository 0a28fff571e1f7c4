import { describe, expect, it } from 'vitest';
import { EVERY_ACCOUNT, eventText, NO_REFUSALS, postText, refusalsOf, textsOf, versionsOf } from './tombstones.ts';

describe('the texts whose tombstones refuse an event', () => {
  it('are those of its id and of earlier versions, and of what the id may be a version of', () => {
    expect(textsOf('x', { postId: 'a' })).toEqual(['x "a"', 'x post "a"']);
    expect(textsOf('x', { postId: 'a', earlier: ['b'] })).toEqual(['x "a"', 'x "b"', 'x post "a"']);
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
  const { isRefused, isKeptOut } = refusalsOf('x', [all, one]);

  it('of all accounts refuse the post to each, and of one account to that alone', () => {
    expect([isRefused({ postId: 'gone' }, 7), isRefused({ postId: 'gone' }, 8)]).toEqual([true, true]);
    expect([isRefused({ postId: 'a/1' }, 7), isRefused({ postId: 'a/1' }, 8)]).toEqual([true, false]);
    expect(isRefused({ postId: 'other', earlier: ['gone'] }, 8)).toBe(true);
    expect([isRefused({ postId: 'other' }, 7), isRefused({ postId: 'b' }, EVERY_ACCOUNT)]).toEqual([false, false]);
  });

  it('keep an event out when no account that could see it may', () => {
    expect([isKeptOut({ postId: 'gone' }), isKeptOut({ postId: 'gone', accountId: 'acct_8' })]).toEqual([true, true]);
    expect(isKeptOut({ postId: 'a', accountId: 'acct_7' })).toBe(true);
    expect([isKeptOut({ postId: 'a', accountId: 'acct_8' }), isKeptOut({ postId: 'a' })]).toEqual([false, false]);
  });

  it('are none without tombstones', () => {
    expect(refusalsOf('x', [])).toBe(NO_REFUSALS);
    expect([NO_REFUSALS.isRefused({ postId: 'a' }, 7), NO_REFUSALS.isKeptOut({ postId: 'a' })]).toEqual([false, false]);
  });
});
