/** Accounts and their keys. */
import type { DatabaseSync } from 'node:sqlite';
import type { Account, Key } from '../../domain/account.ts';
import { type AccountRow, accountOf, type KeyRow, keyOf } from '../rows/accounts.ts';
import { encodeText } from '../rows/texts.ts';
import type { AccountChange } from '../store.ts';

const KEY_COLUMNS = `k.id, a.id AS account_id, k.name, k.scope, k.last_four, k.created_at, k.last_used_at, k.expires_at
  FROM keys k JOIN accounts a ON a.number = k.account`;

export function accountReads(db: DatabaseSync) {
  const byId = db.prepare('SELECT * FROM accounts WHERE id = ?');
  const byName = db.prepare('SELECT * FROM accounts WHERE name = ?');
  const all = db.prepare('SELECT * FROM accounts ORDER BY number');
  const key = db.prepare(`SELECT ${KEY_COLUMNS} WHERE k.digest = ?`);
  const keysOf = db.prepare(`SELECT ${KEY_COLUMNS} WHERE a.id = ? ORDER BY k.created_at, k.id`);
  return {
    account(idOrName: string): Account | undefined {
      const row = byId.get(idOrName) ?? byName.get(encodeText(idOrName));
      return row === undefined ? undefined : accountOf(row as unknown as AccountRow);
    },
    accounts: (): Account[] => (all.all() as unknown as AccountRow[]).map(accountOf),
    keyByDigest(digest: Uint8Array): Key | undefined {
      const row = key.get(digest);
      return row === undefined ? undefined : keyOf(row as unknown as KeyRow);
    },
    keys: (accountId: string): Key[] => (keysOf.all(accountId) as unknown as KeyRow[]).map(keyOf),
  };
}

export function accountWrites(db: DatabaseSync) {
  const insertAccount = db.prepare(
    'INSERT INTO accounts (id, name, plan, x_rules, x_budget, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare(
    `UPDATE accounts SET plan = coalesce(:plan, plan), x_rules = coalesce(:rules, x_rules),
       x_budget = CASE WHEN :sets_budget THEN :budget ELSE x_budget END,
       x_spent_in = CASE WHEN :sets_spent THEN :spent ELSE x_spent_in END
     WHERE id = :id`,
  );
  const insertKey = db.prepare(
    `INSERT INTO keys (id, account, digest, name, scope, last_four, created_at, last_used_at, expires_at)
     VALUES (?, (SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?, ?, ?, ?)`,
  );
  const revoke = db.prepare('DELETE FROM keys WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?)');
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?');
  return {
    addAccount({ id, name, plan, xRules, xBudget, createdAt }: Account): void {
      insertAccount.run(id, encodeText(name), plan, xRules, xBudget ?? null, createdAt.getTime());
    },
    changeAccount: (id: string, { plan, xRules, xBudget, xSpentIn }: AccountChange): boolean =>
      update.run({
        id,
        plan: plan ?? null,
        rules: xRules ?? null,
        sets_budget: Number(xBudget !== undefined),
        budget: xBudget ?? null,
        // Whether a new budget is used up is for whoever watches it to say.
        sets_spent: Number(xSpentIn !== undefined || xBudget !== undefined),
        spent: xSpentIn ?? null,
      }).changes === 1,
    addKey({ id, accountId, name, scope, lastFour, createdAt, lastUsedAt, expiresAt }: Key, digest: Uint8Array): void {
      const used = lastUsedAt?.getTime() ?? null;
      const expires = expiresAt?.getTime() ?? null;
      insertKey.run(id, accountId, digest, encodeText(name), scope, lastFour, createdAt.getTime(), used, expires);
    },
    revokeKey: (accountId: string, keyId: string): boolean => revoke.run(keyId, accountId).changes === 1,
    touchKey(keyId: string, at: Date): void {
      touch.run(at.getTime(), keyId);
    },
  };
}
