import { describe, expect, it } from 'vitest';
import type { Digest, DigestStory } from '../domain/wake.ts';
import { showDigest } from './show-digest.ts';

const story = (more: Partial<DigestStory> = {}): DigestStory => ({
  story_id: 'st_1',
  title: 'Storm over Brindle',
  url: 'https://news.example/1',
  size: 3,
  first_at: '2026-11-15T08:00:00.000Z',
  last_at: '2026-11-15T08:30:00.000Z',
  platforms: ['x'],
  by: ['@ada'],
  rules: [],
  links: [],
  match_ids: [],
  ...more,
});

const digest = (...stories: DigestStory[]): Digest => ({
  since: '2026-11-15T08:00:00.000Z',
  until: '2026-11-15T09:00:00.000Z',
  match_count: 7,
  story_count: 5,
  stories,
});

const storyOf = (more: Partial<DigestStory>): Readonly<Record<string, unknown>> => {
  const { flags, untrusted_content } = showDigest(digest(story(more)), 1_000);
  return { flags, ...untrusted_content.stories[0] };
};

describe('a digest', () => {
  it('counts what was held, and tells the newest stories', () => {
    expect(showDigest(digest(story()), 1_000)).toEqual({
      matches: 7,
      stories: 5,
      since: '2026-11-15T08:00:00.000Z',
      until: '2026-11-15T09:00:00.000Z',
      untrusted_content: {
        stories: [
          { story_id: 'st_1', title: 'Storm over Brindle', matches: 3, by: ['@ada'], url: 'https://news.example/1' },
        ],
      },
    });
  });

  it('has as many stories as there is room for, to the character, and its counts at any rate', () => {
    const all = [story(), story({ title: 'Rain' }), story()];
    const lengthOf = (count: number) => JSON.stringify(showDigest(digest(...all.slice(0, count)), 10_000)).length;
    const countIn = (room: number) => showDigest(digest(...all), room).untrusted_content.stories.length;
    expect([countIn(lengthOf(2)), countIn(lengthOf(2) - 1), countIn(lengthOf(3)), countIn(0)]).toEqual([2, 1, 3, 0]);
  });

  it('says nothing of what is not known', () => {
    expect(storyOf({ story_id: null, url: null, by: [] })).toEqual({
      flags: undefined,
      title: 'Storm over Brindle',
      matches: 3,
    });
    expect(storyOf({ url: 'javascript:alert(1)' })).not.toHaveProperty('url');
    expect(storyOf({ url: 'https://news.example/[a](b)' })['url']).toBe('https://news.example/%5Ba%5D(b)');
  });

  it('has short texts on one line with nothing hidden in them, and of three people at most', () => {
    expect(storyOf({ title: 'Storm\n\u202eover  Brindle', by: ['@a', '@b', '@c', '@d'] })).toMatchObject({
      flags: ['direction'],
      title: 'Storm <U+202E>over Brindle',
      by: ['@a', '@b', '@c'],
    });
    const long = storyOf({ title: 'x'.repeat(161), by: ['y'.repeat(41)] });
    expect([long['flags'], String(long['title']).length, String(long['by']).length]).toEqual([['cut'], 160, 40]);
  });
});
