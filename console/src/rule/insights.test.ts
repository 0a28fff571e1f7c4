import { describe, expect, it } from 'vitest';
import type { Match } from '../data/queries.ts';
import { changeWords } from '../settings/change-words.tsx';
import { heatOf, topWords } from './insights.ts';
import { textsOf, versionTimes } from './versions.ts';

const post = (id: string, username: string, text: string): Match => ({
  id,
  created_at: '2026-11-15T08:00:00.000Z',
  platform: 'x',
  platform_post_id: id,
  rule_id: 'rule_1',
  rule_name: 'Storms',
  rule_version: 1,
  payload: {
    data: { id, text, author_id: '7', lang: 'en' },
    includes: { users: [{ id: '7', username, name: username }] },
  },
  highlights: [],
  event_id: id,
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
});

describe('the insights of a rule', () => {
  it('count each event once, and leave out words that say nothing', () => {
    const words = topWords([
      post('1', 'mara', 'storm storm with rain'),
      post('2', 'mara', 'The storm'),
      post('3', 'jo', 'calm'),
    ]);
    expect(words[0]).toEqual({ name: 'storm', count: 2 });
    expect(words.map(({ name }) => name)).not.toContain('with');
  });

  it('put every match into its hour of the week', () => {
    const at = new Date(2026, 10, 15, 9).toISOString();
    const heat = heatOf([
      { at, count: 3 },
      { at: new Date(2026, 10, 16, 0).toISOString(), count: 2 },
    ]);
    expect(heat[6]![9]).toBe(3);
    expect(heat[0]![0]).toBe(2);
    expect(heat.flat().reduce((sum, count) => sum + count, 0)).toBe(5);
  });
});

describe('the history of a rule', () => {
  const change = (before: Record<string, unknown>, after: Record<string, unknown>, what = 'rule.changed') => ({
    at: '2026-11-15T08:00:00.000Z',
    by: { kind: 'session' as const },
    what,
    id: 'rule_1',
    before,
    after,
  });

  it('has a version where a text was changed, and says what was', () => {
    const edited = change({ x: { value: 'a' } }, { x: { value: 'b' } });
    expect(textsOf(edited.before)).toEqual({ x: 'a' });
    expect(versionTimes([edited, change({ name: 'a' }, { name: 'b' })])).toEqual([Date.parse(edited.at)]);
    expect(changeWords(edited)).toBe('Rule changed: text for X posts');
    expect(changeWords(change({ paused: false }, { paused: true }))).toBe('Rule paused');
    expect(changeWords(change({ paused: true }, { paused: false }))).toBe('Rule resumed');
    expect(changeWords(change({}, {}, 'grant.created'))).toBe('Agent connected');
  });
});
