/** The rows of rules and of their watches. */
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../rows/rule-rows.ts';
import { watchOf } from './alerts.ts';
import { deletedRulesOf } from './trash.ts';

const START = Date.UTC(2026, 10, 15);
const at = (milliseconds: number): Date => new Date(START + milliseconds);

describe('a watch', () => {
  const row = {
    rule: 1,
    platform: 'x' as const,
    rule_id: 'r',
    rule_name: '"n"',
    account_id: 'a',
    created_at: START,
    added_at: null,
    paused: 0,
    status: 'active' as const,
    alerts: 1,
    version: 2,
    past_version: 1,
    now: null,
    past: null,
    ten: null,
    sixty: null,
  };

  it('is of a rule that runs when the platform has it and it is not paused', () => {
    const runs = (change: object) => watchOf({ ...row, ...change }).isRunning;
    expect([runs({}), runs({ paused: 1 }), runs({ status: 'failed' })]).toEqual([true, false, false]);
    expect(watchOf(row)).toMatchObject({ now: undefined, past: undefined, ten: 0, sixty: 0 });
    const full = watchOf({ ...row, now: 'n', past: 'p', ten: 3, sixty: 4 });
    expect(full).toMatchObject({ now: 'n', past: 'p', ten: 3, sixty: 4 });
  });
});

describe('a rule', () => {
  const row = {
    number: 1,
    id: 'rule_1',
    account_id: 'a',
    version: 1,
    paused: 0,
    created_at: START,
    name: '"n"',
    intent: '""',
    alerts: 0,
    platform: 'x' as const,
    status: 'active' as const,
    platform_rule_id: null,
    flags: '{}',
    value: '"v"',
    error: null,
    added_at: null,
    matches: null,
    last_at: null,
    agreed: null,
    upstream_only: null,
    engine_only: null,
  };

  it('has the rows of its platforms together, and nothing that they do not have', () => {
    const rows = [row, { ...row, platform: 'firehose' as const }, { ...row, number: 2, id: 'rule_2', paused: 1 }];
    const { rules, last } = rulesOf(rows);
    expect(rules.map(({ id, paused, platforms }) => [id, paused, Object.keys(platforms)])).toEqual([
      ['rule_1', false, ['x', 'firehose']],
      ['rule_2', true, ['x']],
    ]);
    expect([last, rulesOf([])]).toEqual([2, { rules: [], last: undefined }]);
    expect(rules[0]!.platforms.x).toStrictEqual({
      value: 'v',
      flags: {},
      status: 'active',
      error: undefined,
      platformRuleId: undefined,
      matchCount: 0,
      lastMatchAt: undefined,
      agreement: undefined,
    });
  });

  it('has what its platform said and counted', () => {
    const full = {
      ...row,
      platform_rule_id: '7',
      error: '"e"',
      added_at: START,
      matches: 3,
      last_at: START + 1,
      agreed: 5,
    };
    expect(rulesOf([full]).rules[0]!.platforms.x).toMatchObject({
      platformRuleId: '7',
      error: 'e',
      addedAt: at(0),
      matchCount: 3,
      lastMatchAt: at(1),
      agreement: { agreed: 5, upstreamOnly: 0, engineOnly: 0 },
    });
    const counted = rulesOf([{ ...full, upstream_only: 1, engine_only: 2 }]).rules[0]!.platforms.x!;
    expect(counted.agreement).toEqual({ agreed: 5, upstreamOnly: 1, engineOnly: 2 });
  });

  it('that was deleted says when', () => {
    const deleted = { ...row, deleted_at: START, restorable_until: START + 9 };
    expect(deletedRulesOf([deleted, { ...deleted, platform: 'firehose' }])).toMatchObject([
      { id: 'rule_1', deletedAt: at(0), restorableUntil: at(9) },
    ]);
  });
});
