/** Rows of accounts and keys. */
import type { Account, Key, Plan, Scope } from '../../domain/account.ts';
import { dateOrNone, decodeText } from './texts.ts';

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly x_rules: number;
  readonly x_budget: number | null;
  readonly x_spent_in: number | null;
  readonly created_at: number;
}

export interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly last_four: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
}

export const accountOf = (row: AccountRow): Account => ({
  id: row.id,
  name: decodeText(row.name),
  plan: row.plan,
  xRules: row.x_rules,
  // An earlier `accounts set --x-budget none` stored an empty text.
  xBudget: typeof row.x_budget === 'number' ? row.x_budget : undefined,
  xSpentIn: row.x_spent_in ?? undefined,
  createdAt: new Date(row.created_at),
});

export const keyOf = (row: KeyRow): Key => ({
  id: row.id,
  accountId: row.account_id,
  name: decodeText(row.name),
  scope: row.scope,
  lastFour: row.last_four,
  createdAt: new Date(row.created_at),
  lastUsedAt: dateOrNone(row.last_used_at),
  expiresAt: dateOrNone(row.expires_at),
});
