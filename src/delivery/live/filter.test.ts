import { expect, it } from 'vitest';
import { filterKey, isWanted } from './match-log.ts';

it('wants the matches of a source, and what is of no source', () => {
  const filter = { source: 'news' };
  const frame = { platform: 'x' as const, ruleId: 'rule_1' };
  expect(isWanted(filter, { ...frame, source: 'news' })).toBe(true);
  expect(isWanted(filter, { ...frame, source: 'push' })).toBe(false);
  expect(isWanted(filter, { ...frame, source: '' })).toBe(false);
  expect(isWanted(filter, { platform: 'x', ruleId: undefined })).toBe(true);
  expect(filterKey(filter)).not.toBe(filterKey({}));
});
