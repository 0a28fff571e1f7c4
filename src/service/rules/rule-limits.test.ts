import { describe, expect, it } from 'vitest';
import type { Account } from '../../domain/account.ts';
import type { Context } from '../context.ts';
import { checkRuleRoom, ruleLimitError, ruleLimitsOf } from './rule-limits.ts';

const account = { id: 'a', xRules: 2, xBudget: 5 } as Account;
const contextOf = (used: object = {}, firehoseRules?: number, reason?: string) =>
  ({
    settings: { support: 'help@sluice.example', limits: { firehoseRules } },
    store: { countRules: async () => used },
    budgets: { reasonToRest: (_: Account, name: string) => (name === 'x' ? reason : undefined) },
  }) as unknown as Context;

describe('the rules that an account may have', () => {
  it('are its own number on x, and the operator’s on firehose where there is one', () => {
    expect(ruleLimitsOf(contextOf(), account)).toStrictEqual({ x: 2 });
    expect(ruleLimitsOf(contextOf({}, 7), account)).toStrictEqual({ x: 2, firehose: 7 });
    expect(ruleLimitsOf(contextOf({}, 0), account)).toStrictEqual({ x: 2, firehose: 0 });
    expect(ruleLimitsOf({ settings: {} } as Context, account)).toStrictEqual({ x: 2 });
  });

  it('are refused when all are in use, and not before', async () => {
    await checkRuleRoom(contextOf({ x: 1 }), account, ['x']);
    await checkRuleRoom(contextOf({}), account, ['x', 'firehose']);
    await checkRuleRoom(contextOf({ x: 2, firehose: 1_000_000 }), account, ['firehose']);
    await expect(checkRuleRoom(contextOf({ x: 2 }), account, ['x'])).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringMatching(/^All 2 rules of the account on x are in use\. .*help@sluice\.example/),
      details: { limit_code: 'x_rules', platform: 'x', limit: 2, used: 2 },
    });
    await expect(checkRuleRoom(contextOf({ firehose: 7 }, 7), account, ['firehose'])).rejects.toMatchObject({
      details: { limit_code: 'firehose_rules', platform: 'firehose', limit: 7, used: 7 },
    });
  });

  it('are refused on x alone while the budget is spent', async () => {
    const spent = contextOf({}, undefined, 'The budget is spent.');
    await checkRuleRoom(spent, account, ['firehose']);
    await expect(checkRuleRoom(spent, account, ['firehose', 'x'])).rejects.toMatchObject({
      message: expect.stringContaining('The budget is spent.'),
      details: { limit_code: 'x_budget', platform: 'x', budget: 5 },
    });
  });

  it('are counted in the words of the one that was over', () => {
    const error = ruleLimitError(contextOf(), { x: 2, firehose: 3 }, { overLimit: 'firehose', used: 9 });
    expect(error.details).toEqual({ limit_code: 'firehose_rules', platform: 'firehose', limit: 3, used: 9 });
  });
});
