import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createRecentPosts } from './recent-posts.ts';

describe('recent posts', () => {
  it('knows a post again, unless it comes for another rule', () => {
    const posts = createRecentPosts(fakeClock(), 600_000);
    expect(posts.isRepeat('1', ['a'])).toBe(false);
    expect(posts.isRepeat('1', ['a'])).toBe(true);
    expect(posts.isRepeat('1', ['a', 'b'])).toBe(false);
    expect(posts.isRepeat('1', ['b'])).toBe(true);
    expect(posts.isRepeat('2', ['a'])).toBe(false);
  });

  it('forgets what is old', async () => {
    const clock = fakeClock();
    const posts = createRecentPosts(clock, 600_000);
    posts.isRepeat('1', ['a']);
    await clock.pass(600_001);
    expect(posts.isRepeat('1', ['a'])).toBe(false);
  });
});
