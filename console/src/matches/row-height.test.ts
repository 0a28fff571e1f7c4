import { expect, it } from 'vitest';
import type { Match } from '../data/queries.ts';
import { rowHeight } from './row-height.ts';

const post = (text: string): Match => ({
  id: 'match_1',
  created_at: '2026-11-15T08:00:00.000Z',
  platform: 'x',
  platform_post_id: '1',
  rule_id: 'rule_1',
  rule_name: 'Storms',
  rule_version: 1,
  payload: { data: { id: '1', text } },
  highlights: [],
  event_id: 'event_1',
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
});

it('a row has room for its lines and for no empty one', () => {
  const [short, long] = [post('A storm is near.'), post('storm '.repeat(60))];
  expect(rowHeight(short, 1_000, true)).toBe(56);
  expect(rowHeight(long, 1_000, true)).toBe(76);
  expect(rowHeight(long, 360, false)).toBe(96);
  const page = { ...short, platform: 'firehose' as const, payload: { title: 'Storm', added: 'A storm is near.' } };
  expect(rowHeight(page, 1_000, true)).toBe(76);
});
