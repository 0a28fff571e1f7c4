/** Accounts and their keys. */
import type { Account, Key } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { type AccountRow, accountOf, type KeyRow, keyOf } from '../rows/accounts.ts';
import { encodeText, timeOrNull } from '../rows/texts.ts';
import type { AccountChange } from '../store.ts';
import { noteChange } from './changes.ts';
import { transaction } from './connection.ts';
import { endSubscriptionsOf } from './ended-subscriptions.ts';
import type { Sql } from './sql.ts';

const KEYS = `SELECT k.id, a.id AS account_id, k.name, k.scope, k.last_four, k.created_at, k.last_used_at, k.expires_at
  FROM keys k JOIN accounts a ON a.number = k.account`;

/** The number that other tables know an account by. */
export const accountNumber = (sql: Sql, id: string): number | undefined =>
  sql.row<{ number: number }>('SELECT number FROM accounts WHERE id = ?', [id])?.number;

export const accountReads = (sql: Sql) => ({
  account(idOrName: string): Account | undefined {
    const row =
      sql.row<AccountRow>('SELECT * FROM accounts WHERE id = ?', [idOrName]) ??
      sql.row<AccountRow>('SELECT * FROM accounts WHERE name = ?', [encodeText(idOrName)]);
    return row && accountOf(row);
  },
  accounts: (): Account[] => sql.rows<AccountRow>('SELECT * FROM accounts ORDER BY number').map(accountOf),
  keyByDigest(digest: Uint8Array): Key | undefined {
    const row = sql.row<KeyRow>(`${KEYS} WHERE k.digest = ?`, [digest]);
    return row && keyOf(row);
  },
  keys: (accountId: string): Key[] =>
    sql.rows<KeyRow>(`${KEYS} WHERE a.id = ? ORDER BY k.created_at, k.id`, [accountId]).map(keyOf),
});

const UPDATE = `UPDATE accounts SET plan = coalesce(:plan, plan), x_rules = coalesce(:rules, x_rules),
    x_budget = CASE WHEN :sets_budget THEN :budget ELSE x_budget END,
    x_spent_in = CASE WHEN :sets_spent THEN :spent ELSE x_spent_in END
  WHERE id = :id`;

export const accountWrites = (sql: Sql) => ({
  addAccount: ({ id, name, plan, xRules, xBudget, createdAt }: Account, note?: Change): void =>
    transaction(sql, () => {
      sql.run('INSERT INTO accounts (id, name, plan, x_rules, x_budget, created_at) VALUES (?, ?, ?, ?, ?, ?)', [
        id,
        encodeText(name),
        plan,
        xRules,
        xBudget ?? null,
        createdAt.getTime(),
      ]);
      noteChange(sql, id, note);
    }),
  changeAccount: (id: string, { plan, xRules, xBudget, xSpentIn }: AccountChange, note?: Change): boolean =>
    transaction(sql, () => {
      const changed = sql.run(UPDATE, {
        id,
        plan: plan ?? null,
        rules: xRules ?? null,
        sets_budget: Number(xBudget !== undefined),
        budget: xBudget ?? null,
        // A new budget starts unspent; the part that watches it says when it is used up.
        sets_spent: Number(xSpentIn !== undefined || xBudget !== undefined),
        spent: xSpentIn ?? null,
      });
      if (changed === 1) noteChange(sql, id, note);
      return changed === 1;
    }),
});

const countKeys = (sql: Sql, accountId: string): number =>
  sql.row<{ keys: number }>(
    'SELECT count(*) AS keys FROM keys WHERE account = (SELECT number FROM accounts WHERE id = ?)',
    [accountId],
  )!.keys;

export const keyWrites = (sql: Sql) => ({
  addKey: (key: Key, digest: Uint8Array, note?: Change, limit = Infinity): boolean =>
    transaction(sql, () => {
      if (countKeys(sql, key.accountId) >= limit) return false;
      const { id, accountId, name, scope, lastFour, createdAt, lastUsedAt, expiresAt } = key;
      const times = [createdAt.getTime(), timeOrNull(lastUsedAt), timeOrNull(expiresAt)];
      sql.run(
        `INSERT INTO keys (id, account, digest, name, scope, last_four, created_at, last_used_at, expires_at)
         VALUES (?, (SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?, ?, ?, ?)`,
        [id, accountId, digest, encodeText(name), scope, lastFour, ...times],
      );
      noteChange(sql, accountId, note);
      return true;
    }),
  revokeKey: (accountId: string, keyId: string, note?: Change): boolean =>
    transaction(sql, () => {
      const revoked = sql.run(
        'DELETE FROM keys WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?)',
        [keyId, accountId],
      );
      if (revoked === 1) endSubscriptionsOf(sql, keyId);
      if (revoked === 1) noteChange(sql, accountId, note);
      return revoked === 1;
    }),
  touchKey(keyId: string, at: Date): void {
    sql.run('UPDATE keys SET last_used_at = ? WHERE id = ?', [at.getTime(), keyId]);
  },
});
