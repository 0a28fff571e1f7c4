import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createRecentPosts } from './stream.ts';

describe('recent posts', () => {
  it('knows a post again, unless it comes for another rule', () => {
    const posts = createRecentPosts(fakeClock(), 600_000);
    expect(posts.isRepeat('1', ['a'])).toBe(false);
    expect(posts.isRepeat('1', ['a'])).toBe(true);
    expect(posts.isRepeat('1', ['a', 'b'])).toBe(false);
    expect(posts.isRepeat('1', ['b'])).toBe(true);
    expect(posts.isRepeat('2', ['a'])).toBe(false);
  });

  it('remembers 200,000 posts and no more', () => {
    const posts = createRecentPosts(fakeClock(), 600_000);
    for (let post = 0; post < 200_001; post++) posts.isRepeat(String(post), []);
    expect(posts.isRepeat('200000', [])).toBe(true);
    expect([posts.isRepeat('1', []), posts.isRepeat('0', [])]).toEqual([true, false]);
  });

  it('remembers a post from its first arrival on, also when it comes for another rule', async () => {
    const clock = fakeClock();
    const posts = createRecentPosts(clock, 600_000);
    posts.isRepeat('1', ['a']);
    await clock.pass(400_000);
    posts.isRepeat('1', ['b']);
    await clock.pass(200_000);
    expect(posts.isRepeat('1', ['b'])).toBe(false);
  });

  it('forgets what is old', async () => {
    const clock = fakeClock();
    const posts = createRecentPosts(clock, 600_000);
    posts.isRepeat('1', ['a']);
    await clock.pass(599_999);
    expect(posts.isRepeat('1', ['a'])).toBe(true);
    await clock.pass(1);
    expect(posts.isRepeat('1', ['a'])).toBe(false);
  });
});
