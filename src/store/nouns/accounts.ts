/**
 * Accounts, and their keys. For the operator: not scoped by account. A `note` goes into the audit log with what it is about, in
 * one transaction.
 */
import type { Account, AccountLimitChange, Key, Plan, Scope, Suspension } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { countRows, type Db, insertRow } from '../db.ts';
import { lockAccount, lockRules } from '../rows/locks.ts';
import { dateOrNone, decodeName, decodeText, encodeText, parseColumn, timeOrNull } from '../rows/texts.ts';
import { noteChange, noted } from './changes.ts';
import { putGaps } from './coverage.ts';
import { endSubscriptionsOf } from './ended-subscriptions.ts';
import { noteForNodes, ring } from './nodes.ts';

export interface AccountStore {
  addAccount(account: Account, note?: Change): Promise<void>;
  /** By id or by name. */
  account(idOrName: string): Promise<Account | undefined>;
  /** The oldest first, up to a limit. */
  accounts(limit?: number): Promise<Account[]>;
  changeAccount(id: string, change: AccountChange, note?: Change): Promise<boolean>;
  /** Sets some limits of the account and lifts others; those that are left out stay. */
  changeLimits(id: string, change: AccountLimitChange, note?: Change): Promise<boolean>;
  /** From now on it rests, which is a gap of its platforms. False when it rests already, or there is none. */
  suspendAccount(id: string, suspension: Suspension, note?: Change): Promise<boolean>;
  /** False when it does not rest. The gap ends when its rules are matched again. */
  resumeAccount(id: string, note?: Change): Promise<boolean>;
  /** The accounts that are suspended or have limits of their own. */
  restrictedAccounts(): Promise<Account[]>;
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
  /** Two equal answers mean that no account, key, grant or token was changed or deleted in between, by any process. */
  accessVersion(): Promise<number>;
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
  readonly limits: string | null;
  readonly suspended_at: number | null;
  readonly suspended_for: string | null;
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
  ...(row.limits !== null && { limits: parseColumn<NonNullable<Account['limits']>>(row.limits) }),
  ...(row.suspended_at !== null && {
    suspended: { at: new Date(row.suspended_at), reason: decodeName(row.suspended_for ?? '""') },
  }),
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

type AccountReads = Pick<
  AccountStore & KeyStore,
  'account' | 'accounts' | 'restrictedAccounts' | 'keyByDigest' | 'keys' | 'accessVersion'
>;

export const accountReads = (db: Db): AccountReads => ({
  async account(idOrName) {
    const row =
      (await db.row<AccountRow>('SELECT * FROM accounts WHERE id = $1', [idOrName])) ??
      (await db.row<AccountRow>('SELECT * FROM accounts WHERE name = $1', [encodeText(idOrName)]));
    return row && accountOf(row);
  },
  accounts: async (limit = Number.MAX_SAFE_INTEGER) =>
    (await db.rows<AccountRow>('SELECT * FROM accounts ORDER BY number LIMIT $1', [limit])).map(accountOf),
  restrictedAccounts: async () =>
    (
      await db.rows<AccountRow>(
        `SELECT * FROM accounts /*sqlite INDEXED BY accounts_restricted */
         WHERE suspended_at IS NOT NULL OR limits IS NOT NULL ORDER BY number`,
      )
    ).map(accountOf),
  async keyByDigest(digest) {
    const row = await db.row<KeyRow>(`${KEYS} WHERE k.digest = $1`, [digest]);
    return row && keyOf(row);
  },
  async accessVersion() {
    const row = await db.row<{ value: number }>(`SELECT value FROM state WHERE name = 'access'`);
    return row!.value;
  },
  keys: async (accountId) =>
    (await db.rows<KeyRow>(`${KEYS} WHERE a.id = $1 ORDER BY k.created_at, k.id`, [accountId])).map(keyOf),
});

type AccountWrites = Pick<AccountStore, 'addAccount' | 'changeAccount'>;

export const accountWrites = (db: Db): AccountWrites => ({
  addAccount: ({ id, name, plan, xRules, xBudget, createdAt }, note) =>
    db.transaction(async (tx) => {
      const limits = { x_rules: xRules, x_budget: xBudget ?? null };
      await insertRow(tx, 'accounts', { id, name: encodeText(name), plan, ...limits, created_at: createdAt });
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

type RestrictionWrites = Omit<AccountStore, keyof AccountReads | keyof AccountWrites>;

export const restrictionWrites = (db: Db): RestrictionWrites => ({
  changeLimits: (id, change, note) =>
    db.transaction(async (tx) => {
      if ((await lockAccount(tx, id)) === undefined) return false;
      const row = await tx.row<{ limits: string | null }>('SELECT limits FROM accounts WHERE id = $1', [id]);
      const limits = changedLimits(row?.limits ?? '{}', change);
      await tx.run('UPDATE accounts SET limits = $2 WHERE id = $1', [id, limits]);
      await noted(tx, id, note, true);
      return tellNodes(tx, id);
    }),
  suspendAccount: (id, { at, reason }, note) =>
    db.transaction(async (tx) => {
      // Once this has returned, no commit stores matches of its rules.
      await lockRules(tx);
      const changed = await tx.run(
        'UPDATE accounts SET suspended_at = $2, suspended_for = $3 WHERE id = $1 AND suspended_at IS NULL',
        [id, at, encodeText(reason)],
      );
      if (changed === 0) return false;
      await beginRest(tx, id, at);
      await noted(tx, id, note, true);
      return tellNodes(tx, id);
    }),
  resumeAccount: (id, note) =>
    db.transaction(async (tx) => {
      const changed = await tx.run(
        'UPDATE accounts SET suspended_at = NULL, suspended_for = NULL WHERE id = $1 AND suspended_at IS NOT NULL',
        [id],
      );
      if (changed === 0) return false;
      await noted(tx, id, note, true);
      await tellNodes(tx, id);
      // Its webhooks may be owed something.
      await ring(tx, [id]);
      return true;
    }),
});

const beginRest = (db: Db, accountId: string, from: Date): Promise<void> =>
  putGaps(
    db,
    PLATFORMS.map((platform) => ({
      platform,
      accountId,
      from,
      to: undefined,
      cause: 'account_suspended',
      recovered: false,
    })),
  );

/** How a change of an account is named in the log that nodes follow. */
export const ACCOUNT_MARK = 'account ';

async function tellNodes(db: Db, accountId: string): Promise<true> {
  await noteForNodes(db, [{ name: `${ACCOUNT_MARK}${accountId}`, accountId }]);
  return true;
}

/** Null where the account has none of its own. */
function changedLimits(stored: string, change: AccountLimitChange): string | null {
  const all = { ...parseColumn<NonNullable<Account['limits']>>(stored), ...change };
  const kept = Object.entries(all).filter(([, limit]) => limit !== undefined && limit !== 'usual');
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
}

export const keyWrites = (db: Db): Pick<KeyStore, 'addKey' | 'revokeKey' | 'touchKey'> => ({
  addKey: (key, digest, note, limit = Infinity) =>
    db.transaction(async (tx) => {
      const account = await lockAccount(tx, key.accountId);
      const held = await countRows(tx, 'keys', 'account = $1', [account ?? null]);
      return held < limit && (await addKey(tx, key, digest, note));
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
    await db.run('UPDATE keys SET last_used_at = $2 WHERE id = $1', [keyId, at]);
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
