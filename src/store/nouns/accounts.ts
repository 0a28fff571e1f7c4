/**
 * Accounts, and their keys. For the operator: not scoped by account. A `note` goes into the audit log with what it is about, in
 * one transaction.
 */
import type { Account, Key, Plan, Scope } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import type { Db } from '../db.ts';
import { lockAccount } from '../rows/locks.ts';
import { dateOrNone, decodeName, decodeText, encodeText, timeOrNull } from '../rows/texts.ts';
import { noteChange, noted } from './changes.ts';
import { endSubscriptionsOf } from './ended-subscriptions.ts';

export interface AccountStore {
  addAccount(account: Account, note?: Change): Promise<void>;
  /** By id or by name. */
  account(idOrName: string): Promise<Account | undefined>;
  /** The oldest first, up to a limit. */
  accounts(limit?: number): Promise<Account[]>;
  changeAccount(id: string, change: AccountChange, note?: Change): Promise<boolean>;
}

export interface KeyStore {
  /** False, and nothing stored, when the account has as many keys as the limit says. */
  addKey(key: Key, digest: Uint8Array, note?: Change, limit?: number): Promise<boolean>;
  /** The key with this SHA-256 digest, expired or not; undefined when unknown or revoked. */
  keyByDigest(digest: Uint8Array): Promise<Key | undefined>;
  keys(accountId: string): Promise<Key[]>;
  /** Revoked keys are gone; false when there was none. */
  revokeKey(accountId: string, keyId: string, note?: Change): Promise<boolean>;
  touchKey(keyId: string, at: Date): Promise<void>;
}

/** A null takes the value away. A new budget is looked at afresh. */
export interface AccountChange {
  readonly plan?: Plan;
  readonly xRules?: number;
  readonly xBudget?: number | null;
  readonly xSpentIn?: number | null;
}

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly x_rules: number;
  readonly x_budget: number | null;
  readonly x_spent_in: number | null;
  readonly created_at: number;
}

interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly last_four: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
}

const accountOf = (row: AccountRow): Account => ({
  id: row.id,
  name: decodeText(row.name),
  plan: row.plan,
  xRules: row.x_rules,
  // An earlier `accounts set --x-budget none` stored an empty text.
  xBudget: typeof row.x_budget === 'number' ? row.x_budget : undefined,
  xSpentIn: row.x_spent_in ?? undefined,
  createdAt: new Date(row.created_at),
});

const keyOf = (row: KeyRow): Key => ({
  id: row.id,
  accountId: row.account_id,
  name: decodeName(row.name),
  scope: row.scope,
  lastFour: row.last_four,
  createdAt: new Date(row.created_at),
  lastUsedAt: dateOrNone(row.last_used_at),
  expiresAt: dateOrNone(row.expires_at),
});

const KEYS = `SELECT k.id, a.id AS account_id, k.name, k.scope, k.last_four, k.created_at, k.last_used_at, k.expires_at
  FROM keys k JOIN accounts a ON a.number = k.account`;

type AccountReads = Pick<AccountStore & KeyStore, 'account' | 'accounts' | 'keyByDigest' | 'keys'>;

export const accountReads = (db: Db): AccountReads => ({
  async account(idOrName) {
    const row =
      (await db.row<AccountRow>('SELECT * FROM accounts WHERE id = $1', [idOrName])) ??
      (await db.row<AccountRow>('SELECT * FROM accounts WHERE name = $1', [encodeText(idOrName)]));
    return row && accountOf(row);
  },
  accounts: async (limit = Number.MAX_SAFE_INTEGER) =>
    (await db.rows<AccountRow>('SELECT * FROM accounts ORDER BY number LIMIT $1', [limit])).map(accountOf),
  async keyByDigest(digest) {
    const row = await db.row<KeyRow>(`${KEYS} WHERE k.digest = $1`, [digest]);
    return row && keyOf(row);
  },
  keys: async (accountId) =>
    (await db.rows<KeyRow>(`${KEYS} WHERE a.id = $1 ORDER BY k.created_at, k.id`, [accountId])).map(keyOf),
});

export const accountWrites = (db: Db): Pick<AccountStore, 'addAccount' | 'changeAccount'> => ({
  addAccount: ({ id, name, plan, xRules, xBudget, createdAt }, note) =>
    db.transaction(async (tx) => {
      await tx.run(
        'INSERT INTO accounts (id, name, plan, x_rules, x_budget, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, encodeText(name), plan, xRules, xBudget ?? null, createdAt.getTime()],
      );
      await noteChange(tx, id, note);
    }),
  changeAccount: (id, { plan, xRules, xBudget, xSpentIn }, note) =>
    db.transaction(async (tx) => {
      const changed = await tx.run(
        `UPDATE accounts SET plan = coalesce($2, plan), x_rules = coalesce($3, x_rules),
           x_budget = CASE WHEN $4 THEN $5 ELSE x_budget END, x_spent_in = CASE WHEN $6 THEN $7 ELSE x_spent_in END
         WHERE id = $1`,
        [
          id,
          plan ?? null,
          xRules ?? null,
          xBudget !== undefined,
          xBudget ?? null,
          // A new budget starts unspent; the part that watches it says when it is used up.
          xSpentIn !== undefined || xBudget !== undefined,
          xSpentIn ?? null,
        ],
      );
      return noted(tx, id, note, changed === 1);
    }),
});

export const keyWrites = (db: Db): Pick<KeyStore, 'addKey' | 'revokeKey' | 'touchKey'> => ({
  addKey: (key, digest, note, limit = Infinity) =>
    db.transaction(async (tx) => {
      const account = await lockAccount(tx, key.accountId);
      const held = await tx.row<{ keys: number }>('SELECT count(*) AS keys FROM keys WHERE account = $1', [
        account ?? null,
      ]);
      return held!.keys < limit && (await addKey(tx, key, digest, note));
    }),
  revokeKey: (accountId, keyId, note) =>
    db.transaction(async (tx) => {
      const revoked = await tx.run(
        'DELETE FROM keys WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)',
        [keyId, accountId],
      );
      if (revoked === 1) await endSubscriptionsOf(tx, keyId);
      return noted(tx, accountId, note, revoked === 1);
    }),
  async touchKey(keyId, at) {
    await db.run('UPDATE keys SET last_used_at = $2 WHERE id = $1', [keyId, at.getTime()]);
  },
});

async function addKey(db: Db, key: Key, digest: Uint8Array, note: Change | undefined): Promise<boolean> {
  const { id, accountId, name, scope, lastFour, createdAt, lastUsedAt, expiresAt } = key;
  const times = [createdAt.getTime(), timeOrNull(lastUsedAt), timeOrNull(expiresAt)];
  await db.run(
    `INSERT INTO keys (id, account, digest, name, scope, last_four, created_at, last_used_at, expires_at)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), $3, $4, $5, $6, $7, $8, $9)`,
    [id, accountId, digest, encodeText(name), scope, lastFour, ...times],
  );
  return noted(db, accountId, note, true);
}
