import { expect, it } from 'vitest';
import type { Alert } from '../domain/rule.ts';
import { alertToJson, describeAlert } from './alert-text.ts';

const surge: Alert = {
  id: 'alert_1',
  accountId: 'acct_1',
  ruleId: 'rule_1',
  ruleName: 'Volcano',
  platform: 'x',
  kind: 'surge',
  from: new Date('2026-11-15T08:30:00.123Z'),
  to: undefined,
  rate: 9.126,
  usualRate: 1.504,
};
const to = new Date('2026-11-15T10:45:59.999Z');

it('an alert is JSON with its rates in hundredths, and without its account', () => {
  const json = {
    id: 'alert_1',
    rule_id: 'rule_1',
    platform: 'x',
    kind: 'surge',
    from: '2026-11-15T08:30:00.123Z',
    to: null,
    rate: 9.13,
    usual_rate: 1.5,
  };
  expect(alertToJson(surge)).toEqual(json);
  expect(alertToJson({ ...surge, to })).toEqual({ ...json, to: '2026-11-15T10:45:59.999Z' });
});

it.each<[Partial<Alert>, string]>([
  [{}, 'The rule "Volcano" on x surges since 2026-11-15 08:30 UTC: 9.13 matches an hour; 1.5 an hour are usual.'],
  [
    { to },
    'The rule "Volcano" on x is calm again since 2026-11-15 10:45 UTC. Its highest rate was 9.13 matches an hour; 1.5 an hour are usual.',
  ],
  [
    { kind: 'silence', rate: 0 },
    'The rule "Volcano" on x has had no match since 2026-11-15 08:30 UTC, and Sluice was listening; 1.5 an hour are usual.',
  ],
  [
    { kind: 'silence', rate: 0, to },
    'The silence of the rule "Volcano" on x ended at 2026-11-15 10:45 UTC. It began at 2026-11-15 08:30 UTC.',
  ],
  [
    { kind: 'silence', rate: 0.7 },
    'The rule "Volcano" on x has far fewer matches than usual since 2026-11-15 08:30 UTC, and Sluice was listening: 0.7 an hour; 1.5 an hour are usual.',
  ],
  [
    { kind: 'silence', rate: 0.7, to },
    'The rule "Volcano" on x has about as many matches as usual again since 2026-11-15 10:45 UTC. Far fewer came from 2026-11-15 08:30 UTC on.',
  ],
])('an alert is a sentence: %j', (change, sentence) => {
  expect(describeAlert({ ...surge, ...change })).toBe(sentence);
});
