import { describe, expect, it } from 'vitest';
import { readAccountSource } from './account-source.ts';

const urls = ['https://a.example/feed'];

describe('a source of an account', () => {
  it('keeps apart what only its host may see', () => {
    const github = readAccountSource({ kind: 'github', options: { repos: ['a/b'], token: 'hush' } });
    expect(github).toMatchObject({ kind: 'github', secret: { options: { token: 'hush' } } });
    expect('options' in github && JSON.stringify(github.options)).not.toContain('hush');
    const feed = readAccountSource({ kind: 'feeds', options: { urls, secret: 'hush' } });
    expect(feed).toMatchObject({ secret: { headers: { authorization: 'Bearer hush' } }, host: 'a.example' });
    expect('options' in feed && JSON.stringify(feed.options)).not.toContain('hush');
    expect(readAccountSource({ kind: 'feeds', options: { urls } })).toMatchObject({ secret: undefined });
  });

  it('is visited four times less often where it brings nothing new, once a day at least, or as it says', () => {
    const times = (options: object) => {
      const read = readAccountSource({ kind: 'feeds', options: { urls, ...options } });
      return 'problems' in read ? read.problems : [read.everyMs / 1_000, read.slowestMs / 1_000];
    };
    expect(times({ every: 600 })).toEqual([600, 2_400]);
    expect(times({ every: 50_000 })).toEqual([50_000, 86_400]);
    expect(times({ every: 600, slowest: 600 })).toEqual([600, 600]);
    expect(times({ every: 600, slowest: 599 })).toEqual([
      { path: ['options', 'slowest'], message: 'must be at least every, which is 600' },
    ]);
    expect(times({ slowest: 8 * 86_400 })).toEqual([
      { path: ['options', 'slowest'], message: 'must be at most a week' },
    ]);
    expect(times({ slowest: 'never' })).toEqual([
      { path: ['options', 'slowest'], message: 'must be a number of seconds' },
    ]);
  });
});
