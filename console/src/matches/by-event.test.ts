import { describe, expect, it } from 'vitest';
import type { Match } from '../data/queries.ts';
import { byEvent, rowOf } from './by-event.ts';

const match = (id: string, event: string, rule: string): Match => ({
  id,
  created_at: '2026-11-15T08:00:00.000Z',
  platform: 'x',
  platform_post_id: event,
  rule_id: rule,
  rule_name: rule,
  rule_version: 1,
  payload: {},
  highlights: [],
  event_id: event,
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
});

describe('matches by event', () => {
  it('are one row, with the rules that matched it', () => {
    const rows = byEvent([
      match('4', 'b', 'lava'),
      match('3', 'a', 'storm'),
      match('2', 'b', 'storm'),
      match('1', 'b', 'lava'),
    ]);
    expect(rows.map(({ lead, matches }) => [lead.id, matches.map(({ rule_id }) => rule_id)])).toEqual([
      ['4', ['lava', 'storm']],
      ['3', ['storm']],
    ]);
    expect(rowOf(rows, '2')).toBe(0);
    expect(rowOf(rows, undefined)).toBe(-1);
  });
});
