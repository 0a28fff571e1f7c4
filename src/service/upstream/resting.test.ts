import { describe, expect, it } from 'vitest';
import type { Account } from '../../domain/account.ts';
import { reasonText, restingAfter } from './resting.ts';

const account = (id: string): Account => ({ id, name: id, plan: 'paid', xRules: 25, createdAt: new Date(0) });
const [a, b, c] = [account('a'), account('b'), account('c')];

describe('accounts', () => {
  it('begin to rest when their budget is used up, and cease to when it is not', () => {
    const { resting, began, ended } = restingAfter(new Set(['a', 'b']), [
      { account: a, isSpent: true },
      { account: b, isSpent: false },
      { account: c, isSpent: true },
    ]);
    expect([[...resting], began, ended]).toEqual([['a', 'c'], [c], [b]]);
  });

  it('stay as they are when they are not looked at', () => {
    const { resting, began, ended } = restingAfter(new Set(['a']), [{ account: c, isSpent: false }]);
    expect([[...resting], began, ended]).toEqual([['a'], [], []]);
  });

  it('are told until when their rules match nothing', () => {
    expect(reasonText(12.5, 'x', new Date('2026-12-31T23:00:00Z'))).toBe(
      "The account's budget of 12.50 on x for 2026-12 is used up. Its rules there match nothing until 2027-01-01, or until the budget is raised.",
    );
  });
});
