import { expect, it } from 'vitest';
import { ALERT_KINDS } from '../../../src/domain/rule.ts';
import { ALERT_WORDS, alertWords } from './alert-words.ts';

const alert = {
  id: 'alert_1',
  rule_id: 'rule_1',
  platform: 'x' as const,
  kind: 'surge' as const,
  from: '2026-11-15T08:20:00.000Z',
  to: null,
  rate: 240,
  usual_rate: 11.5,
};

it('every kind of alert has its sentence, while it lasts and after', () => {
  expect(Object.keys(ALERT_WORDS).toSorted()).toEqual([...ALERT_KINDS].toSorted());
  expect(alertWords(alert)).toBe('It surges: 240 an hour, where 11.5 an hour are usual.');
  expect(alertWords({ ...alert, to: '2026-11-15T09:00:00.000Z' })).toMatch(/^It surged/);
});
