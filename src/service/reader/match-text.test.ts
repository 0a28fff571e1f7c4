import { expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import { matchText } from './reader.ts';

const match: Omit<Match, 'payload'> = {
  id: 'match_1',
  createdAt: new Date(0),
  position: 1,
  platform: 'x',
  platformPostId: '1',
  ruleId: 'rule_1',
  ruleName: 'Storms',
  ruleVersion: 1,
  highlights: [{ field: 'data.text', start: 0, end: 5 }],
};

it('copies a payload as it is stored, and does not parse it', () => {
  const stored: Match = {
    ...match,
    json: '{"data": {"text":"storm"}}',
    get payload(): never {
      throw new Error('It need not be parsed.');
    },
  };
  expect(matchText(stored)).toContain(',"payload":{"data": {"text":"storm"}},"highlights":[');
});

it('writes a payload with line breaks on one line', () => {
  const stored = { ...match, json: '{"data":\n{}}', payload: { data: {} } };
  expect(matchText(stored)).toContain('"payload":{"data":{}},');
});
