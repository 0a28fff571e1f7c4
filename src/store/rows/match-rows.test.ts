import { expect, it } from 'vitest';
import { keepMatches, type MatchRow } from './match-rows.ts';

const row = (change: Partial<MatchRow> = {}): MatchRow => ({
  position: 4_096,
  account: 1,
  event: 1,
  platform: 'x',
  version: 1,
  tail: '000',
  highlights: '',
  matched_by: '["storm",{}]',
  edit_of: null,
  rule_id: 'rule_1',
  rule_name: '"Storms"',
  deleted: 0,
  post_id: '"1"',
  payload: '{"data":{}}',
  source: 'x',
  source_name: null,
  story: 4_096,
  story_first: 1,
  rating: null,
  judgement: null,
  relevance_version: 0,
  ...change,
});

it('a row that reads as it did is the same match', () => {
  const matchOf = keepMatches();
  const match = matchOf(row());
  expect(match).toMatchObject({ platformPostId: '1', ruleName: 'Storms', storyFirst: true });
  expect(matchOf(row())).toBe(match);
});

it.each([
  { rule_name: '"Floods"' },
  { payload: '{"data":{"text":"other"}}' },
  { rating: 'relevant' },
  { judgement: '{"relevant":true,"reason":"It tells of a storm.","model":"m","at":1}' },
  { relevance_version: 1 },
  { story_first: 0 },
  { source_name: '"My feed"' },
  { matched_by: '["rain",{}]' },
] as const)('a row with %o is another match', (change) => {
  const matchOf = keepMatches();
  const match = matchOf(row());
  expect(matchOf(row(change))).not.toBe(match);
  expect(matchOf(row(change))).toEqual(keepMatches()(row(change)));
});

it('the matches that were read last are kept, up to a number of bytes', () => {
  const matchOf = keepMatches(2 * 1_100);
  const first = matchOf(row());
  matchOf(row({ position: 1 }));
  expect(matchOf(row())).toBe(first);
  matchOf(row({ position: 2 }));
  matchOf(row({ position: 3 }));
  expect(matchOf(row())).not.toBe(first);
});
