/** Which accounts rest because their budget is used up, and which begin or cease to. Pure. */
import { monthOf, monthText, nextMonth } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';

export interface Spending {
  readonly account: Account;
  /** The budget of the month is used up. */
  readonly isSpent: boolean;
}

export interface RestingChange {
  readonly resting: ReadonlySet<string>;
  readonly began: readonly Account[];
  readonly ended: readonly Account[];
}

/** Accounts that are not listed stay as they are. */
export function restingAfter(resting: ReadonlySet<string>, spendings: readonly Spending[]): RestingChange {
  const spent = spendings.filter(({ isSpent }) => isSpent).map(({ account }) => account);
  const within = spendings.filter(({ isSpent }) => !isSpent).map(({ account }) => account);
  const ended = within.filter(({ id }) => resting.has(id));
  const now = new Set([...resting, ...spent.map(({ id }) => id)]);
  for (const { id } of ended) now.delete(id);
  return { resting: now, began: spent.filter(({ id }) => !resting.has(id)), ended };
}

export function reasonText(budget: number | undefined, platform: Platform, now: Date): string {
  const again = nextMonth(now).toISOString().slice(0, 10);
  return `The account's budget of ${budget?.toFixed(2)} on ${platform} for ${monthText(monthOf(now))} is used up. Its rules there match nothing until ${again}, or until the budget is raised.`;
}
