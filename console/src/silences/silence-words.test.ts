import { expect, it } from 'vitest';
import type { Silence } from '../data/queries.ts';
import { coveredWords } from './silence-words.ts';

const silence: Silence = {
  silence_id: 's',
  rule_ids: null,
  source_ids: null,
  story_id: null,
  author: null,
  text: null,
  until: '2026-11-16T07:00:00.000Z',
  reason: 'A test.',
  created_at: '2026-11-15T07:00:00.000Z',
  by: { kind: 'key' },
};

it('says everything that a silence asks for, and that it covers all where it asks for nothing', () => {
  const names = new Map([['rule_1', 'Storms']]);
  expect(coveredWords(silence, names)).toBe('Everything');
  expect(coveredWords({ ...silence, rule_ids: ['rule_1', 'rule_2'], author: '@ada' }, names)).toBe(
    'Rule “Storms”, “rule_2”, Everything by @ada',
  );
  expect(coveredWords({ ...silence, story_id: 'st_1', text: 'test' }, names)).toBe('One story, Text with “test”');
});
