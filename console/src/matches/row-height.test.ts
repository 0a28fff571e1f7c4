import { expect, it } from 'vitest';
import type { Match } from '../data/queries.ts';
import { linesOf, rowHeight } from './row-height.ts';

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

const shape = (width: number, isWide: boolean) => ({
  width,
  isWide,
  isTouched: false,
  density: 'comfortable' as const,
  hasRules: true,
  widthOf: (text: string) => 6 * text.length,
  smallWidthOf: (text: string) => 5.5 * text.length,
});

it('a row has room for its lines and for no empty one', () => {
  const [short, long] = [post('A storm is near.'), post('storm '.repeat(60))];
  expect(rowHeight(short, shape(1_000, true))).toBe(83);
  expect(rowHeight(long, shape(1_000, true))).toBe(103);
  expect(rowHeight(long, shape(360, false))).toBe(123);
  const page = { ...short, platform: 'firehose' as const, payload: { title: 'Storm', added: 'A storm is near.' } };
  expect(rowHeight(page, shape(1_000, true))).toBe(103);
  expect(rowHeight(short, { ...shape(1_000, true), hasRules: false })).toBe(61);
  expect(rowHeight({ ...short, relevance: 0.8 }, { ...shape(1_000, true), hasRules: false })).toBe(83);
  expect(rowHeight(long, { ...shape(1_000, true), density: 'dense' })).toBe(53);
  expect(rowHeight(long, { ...shape(1_000, true), density: 'quiet' })).toBe(33);
  // In a narrow row the reason of the relevance has lines of its own, above the rules.
  const judged = { ...short, relevance: 0.8, relevance_basis: 'by 12 ratings' };
  expect(rowHeight(judged, shape(360, false))).toBe(99);
  expect(rowHeight({ ...judged, relevance_reason: 'like 12 rated not relevant'.repeat(4) }, shape(360, false))).toBe(
    115,
  );
  expect(rowHeight(judged, { ...shape(360, false), hasRules: false })).toBe(79);
  // Under a finger the actions have a line, in which the rules are too.
  const touched = { ...shape(360, false), isTouched: true };
  expect(rowHeight(short, touched)).toBe(95);
  expect(rowHeight(short, { ...touched, hasRules: false })).toBe(95);
  expect(rowHeight(short, { ...touched, density: 'dense' })).toBe(87);
});

it('lines are broken between words, and a word is broken where it is longer than a line', () => {
  const widthOf = (text: string) => text.length;
  expect(linesOf('', 10, 3, widthOf)).toBe(0);
  expect(linesOf('four four', 9, 3, widthOf)).toBe(1);
  expect(linesOf('four fours', 9, 3, widthOf)).toBe(2);
  expect(linesOf('x'.repeat(19), 10, 3, widthOf)).toBe(2);
  expect(linesOf('word '.repeat(50), 10, 3, widthOf)).toBe(3);
});
