import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { Digest } from '../../domain/wake.ts';
import { briefEventData, briefEventDigest } from './event-data.ts';

const AT = new Date('2026-11-15T08:30:00.000Z');
const match = { id: 'm', ruleId: 'r', createdAt: AT, platform: 'x', payload: { data: { text: 'by a stranger' } } };

describe('an event for an agent', () => {
  it('names the match and says nothing that a stranger wrote', () => {
    expect(briefEventData(match as unknown as Match)).toStrictEqual({
      match_id: 'm',
      rule_id: 'r',
      at: AT.toISOString(),
      platform: 'x',
      brief: true,
    });
    const more = { ...match, source: 'demo', storyId: 's' } as unknown as Match;
    expect(briefEventData(more)).toMatchObject({ demo: true, story_id: 's' });
  });

  it('of held matches names a hundred of them, the stories in their order', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `m${from + at}`);
    const digest = {
      since: 'a',
      until: 'b',
      match_count: 150,
      story_count: 2,
      stories: [{ match_ids: ids(0, 60) }, { match_ids: ids(60, 90) }],
    } as unknown as Digest;
    expect(briefEventDigest(digest, match as unknown as Match)).toStrictEqual({
      ...briefEventData(match as unknown as Match),
      digest: { since: 'a', until: 'b', match_count: 150, story_count: 2, match_ids: ids(0, 100) },
    });
  });
});
