import { describe, expect, it } from 'vitest';
import {
  countsInput,
  FOR_STORIES,
  feedFilter,
  isFiltered,
  isSingle,
  keptSince,
  NO_FILTER,
  spansWithin,
  spanWords,
} from './filter.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

describe('the filter of matches', () => {
  it('asks for everything when nothing is said', () => {
    expect(feedFilter({}, NOW)).toEqual({});
    expect(countsInput({}, NOW)).toEqual({ interval: 'hour', from: '2026-11-14T12:00:00.000Z' });
  });

  it('takes spans that end now, and times', () => {
    expect(feedFilter({ since: '1h' }, NOW)).toEqual({ since: '2026-11-15T11:00:00.000Z' });
    expect(countsInput({ since: '1h' }, NOW)).toEqual({ interval: 'minute', from: '2026-11-15T11:00:00.000Z' });
    const day = { since: '2026-11-01T00:00:00.000Z', until: '2026-11-12T00:00:00.000Z' };
    expect(feedFilter(day, NOW)).toEqual(day);
    expect(countsInput(day, NOW)).toEqual({ interval: 'day', from: day.since, to: day.until });
  });

  it('leaves out what an address may hold and nobody understands', () => {
    expect(feedFilter({ platform: 'bluesky', since: 'tuesday', until: 'never' }, NOW)).toEqual({});
    expect(feedFilter({ text: 'x'.repeat(300) }, NOW).text).toHaveLength(200);
  });

  it('takes what the facets choose and what is searched, for the list and for the chart', () => {
    const chosen = { author: 'mara', domain: 'example.com', language: 'en', source: 'bluesky', text: 'zebra' };
    expect(feedFilter(chosen, NOW)).toEqual(chosen);
    expect(countsInput({ ...chosen, story: 'st_1' }, NOW)).toMatchObject({ ...chosen, story_id: 'st_1' });
  });

  it('shows stories only where nothing is filtered that stories are not filtered by', () => {
    expect(isSingle({ rule: 'rule_1', platform: 'x', since: '24h' })).toBe(false);
    for (const name of ['text', 'story', 'author', 'domain', 'language', 'source'] as const) {
      expect(isSingle({ [name]: 'a' }), name).toBe(true);
      expect(FOR_STORIES).toHaveProperty(name);
      expect(NO_FILTER).toHaveProperty(name);
    }
    expect(isFiltered({ view: 'single' })).toBe(false);
    expect(isFiltered({ author: 'mara' })).toBe(true);
  });

  it('offers spans as far back as matches are kept, and no further', () => {
    const names = (days: number | undefined) => spansWithin(days).map(([name]) => name);
    expect(names(7)).toEqual(['15m', '1h', '24h', '7d']);
    expect(names(90)).toContain('90d');
    expect(names(undefined)).not.toContain('90d');
    expect(keptSince(7, NOW)).toBe(NOW - 7 * 86_400_000);
    expect(keptSince(undefined, NOW)).toBeUndefined();
  });

  it('names both ends of a time that was drawn', () => {
    const words = spanWords({ since: '2026-11-15T12:14:00.000Z', until: '2026-11-15T12:20:00.000Z' })!;
    expect(words).toMatch(/14.*–.*20/);
    expect(words.length).toBeLessThan(32);
    expect(spanWords({ since: '24h' })).toBeUndefined();
    expect(spanWords({})).toBeUndefined();
  });
});
