/** Accounts and their keys. */
import type { Key } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { type AccountRow, accountOf, type KeyRow, keyOf } from '../rows/accounts.ts';
import { encodeText, timeOrNull } from '../rows/texts.ts';
import type { AccountStore, KeyStore } from '../store.ts';
import { writeChange, written } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { endOwned } from './ended-subscriptions.ts';

const KEYS = `SELECT k.id, a.id AS account_id, k.name, k.scope, k.last_four, k.created_at, k.last_used_at, k.expires_at
  FROM keys k JOIN accounts a ON a.number = k.account`;

export const accountStore = (database: Database): AccountStore => ({
  addAccount: ({ id, name, plan, xRules, xBudget, createdAt }, note) =>
    database.transaction(async (db) => {
      await db.run(
        'INSERT INTO accounts (id, name, plan, x_rules, x_budget, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, encodeText(name), plan, xRules, xBudget ?? null, createdAt.getTime()],
      );
      await writeChange(db, id, note);
    }),
  async account(idOrName) {
    const [row] = await database.rows<AccountRow>(
      `SELECT * FROM accounts WHERE id = $1
       UNION ALL SELECT * FROM accounts WHERE name = $2 AND id <> $1 LIMIT 1`,
      [idOrName, encodeText(idOrName)],
    );
    return row === undefined ? undefined : accountOf(row);
  },
  accounts: async () => (await database.rows<AccountRow>('SELECT * FROM accounts ORDER BY number')).map(accountOf),
  changeAccount: (id, { plan, xRules, xBudget, xSpentIn }, note) =>
    database.transaction(async (db) => {
      const changed = await db.run(
        `UPDATE accounts SET plan = coalesce($2, plan), x_rules = coalesce($3, x_rules),
           x_budget = CASE WHEN $4 THEN $5 ELSE x_budget END, x_spent_in = CASE WHEN $6 THEN $7 ELSE x_spent_in END
         WHERE id = $1`,
        [
          id,
          plan ?? null,
          xRules ?? null,
          xBudget !== undefined,
          xBudget ?? null,
          xSpentIn !== undefined || xBudget !== undefined,
          xSpentIn ?? null,
        ],
      );
      return written(db, id, note, changed === 1);
    }),
});

export const keyStore = (database: Database): KeyStore => ({
  addKey: (key, digest, note, limit = Infinity) =>
    database.transaction(async (db) => {
      if ((await countKeys(db, key.accountId)) >= limit) return false;
      await addKeyIn(db, key, digest, note);
      return true;
    }),
  async keyByDigest(digest) {
    const [row] = await database.rows<KeyRow>(`${KEYS} WHERE k.digest = $1`, [Buffer.from(digest)]);
    return row === undefined ? undefined : keyOf(row);
  },
  keys: async (accountId) =>
    (await database.rows<KeyRow>(`${KEYS} WHERE a.id = $1 ORDER BY k.created_at, k.id`, [accountId])).map(keyOf),
  revokeKey: (accountId, keyId, note) =>
    database.transaction(async (db) => {
      const revoked = await db.run(
        'DELETE FROM keys WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)',
        [keyId, accountId],
      );
      if (revoked === 1) await endOwned(db, keyId);
      return written(db, accountId, note, revoked === 1);
    }),
  async touchKey(keyId, at) {
    await database.run('UPDATE keys SET last_used_at = $2 WHERE id = $1', [keyId, at.getTime()]);
  },
});

/** The account's row is the lock under which its keys are counted. */
async function countKeys(db: Db, accountId: string): Promise<number> {
  const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1 FOR UPDATE', [
    accountId,
  ]);
  const [row] = await db.rows<{ keys: number }>('SELECT count(*) AS keys FROM keys WHERE account = $1', [
    account?.number ?? 0,
  ]);
  return row!.keys;
}

async function addKeyIn(db: Db, key: Key, digest: Uint8Array, note: Change | undefined): Promise<void> {
  const { id, accountId, name, scope, lastFour, createdAt, lastUsedAt, expiresAt } = key;
  await db.run(
    `INSERT INTO keys (id, account, digest, name, scope, last_four, created_at, last_used_at, expires_at)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      accountId,
      Buffer.from(digest),
      encodeText(name),
      scope,
      lastFour,
      createdAt.getTime(),
      timeOrNull(lastUsedAt),
      timeOrNull(expiresAt),
    ],
  );
  await writeChange(db, accountId, note);
}
