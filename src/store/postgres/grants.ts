/** Registered clients, grants and access tokens. */
import {
  accessTokenOf,
  type ClientRow,
  clientOf,
  clientValues,
  GRANT_COLUMNS,
  type GrantRow,
  grantOf,
  grantValues,
  storedGrantOf,
  TOKEN_COLUMNS,
  TOKENS_OF_GRANT,
  type TokenRow,
} from '../rows/grants.ts';
import type { AccessToken, ClientStore, GrantStore } from '../store.ts';
import { writeChange, written } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { endOwned } from './ended-subscriptions.ts';

export const clientStore = (database: Database): ClientStore => ({
  addClient: (client, { most, olderThan }) =>
    database.transaction(async (db) => {
      const unused = await db.rows('SELECT 1 FROM oauth_clients WHERE used = 0 ORDER BY created_at LIMIT $1', [most]);
      if (unused.length === most && !(await removeOldestUnused(db, olderThan))) return false;
      await db.run(
        'INSERT INTO oauth_clients (id, name, redirect_uris, secret, created_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)',
        clientValues(client),
      );
      return true;
    }),
  async client(id, now) {
    const [row] = await database.rows<ClientRow>('SELECT * FROM oauth_clients WHERE id = $1 AND ends_at > $2', [
      id,
      now.getTime(),
    ]);
    return row && clientOf(row);
  },
  async keepClient(id, until) {
    await database.run('UPDATE oauth_clients SET used = 1, ends_at = greatest(ends_at, $2) WHERE id = $1', [
      id,
      until.getTime(),
    ]);
  },
});

const removeOldestUnused = async (db: Db, olderThan: Date): Promise<boolean> =>
  (await db.run(
    `DELETE FROM oauth_clients WHERE id IN
       (SELECT id FROM oauth_clients WHERE used = 0 AND created_at < $1 ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)`,
    [olderThan.getTime()],
  )) === 1;

export const grantStore = (database: Database): GrantStore => ({
  addGrant: (grant, code, change) =>
    database.transaction(async (db) => {
      await db.run(
        `INSERT INTO grants (${GRANT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        grantValues(grant, code),
      );
      await writeChange(db, grant.accountId, change);
    }),
  async grantByCode(digest) {
    const [row] = await database.rows<GrantRow>('SELECT * FROM grants WHERE code = $1', [digest]);
    return row && storedGrantOf(row);
  },
  async grantByFamily(digest) {
    const [row] = await database.rows<GrantRow>('SELECT * FROM grants WHERE family = $1', [digest]);
    return row && storedGrantOf(row);
  },
  redeemCode: (digest, { token, familyDigest, refreshDigest, endsAt }, now) =>
    database.transaction(async (db) => {
      const isFirst = await db.run(
        `UPDATE grants SET code_used_at = $2, last_used_at = $2, rotated_at = $2, family = $3, refresh = $4, ends_at = $5
         WHERE code = $1 AND code_used_at IS NULL AND ends_at > $2`,
        [digest, now.getTime(), familyDigest, refreshDigest, endsAt.getTime()],
      );
      if (isFirst === 1) await addToken(db, token);
      return isFirst === 1;
    }),
  rotateRefresh: (grantId, digest, { token, refreshDigest, endsAt }, now) =>
    database.transaction(async (db) => {
      const isNewest = await db.run(
        `UPDATE grants SET previous = refresh, refresh = $3, rotated_at = $4, last_used_at = $4, ends_at = $5
         WHERE id = $1 AND refresh = $2 AND ends_at > $4`,
        [grantId, digest, refreshDigest, now.getTime(), endsAt.getTime()],
      );
      if (isNewest === 1) await addToken(db, token);
      return isNewest === 1;
    }),
  addAccessToken: (token) => database.transaction((db) => addToken(db, token)),
  async accessToken(digest, now) {
    const [row] = await database.rows<TokenRow>(
      `SELECT ${TOKEN_COLUMNS} FROM access_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = $1 AND t.ends_at > $2`,
      [digest, now.getTime()],
    );
    return row && { grant: grantOf(row), token: accessTokenOf(row) };
  },
  async endAccessToken(digest) {
    await database.run('DELETE FROM access_tokens WHERE digest = $1', [digest]);
  },
  async grants(accountId, now) {
    const rows = await database.rows<GrantRow>(
      'SELECT * FROM grants WHERE account = $1 AND code_used_at IS NOT NULL AND ends_at > $2 ORDER BY id',
      [accountId, now.getTime()],
    );
    return rows.map(grantOf);
  },
  revokeGrant: (accountId, grantId, change) =>
    database.transaction(async (db) => {
      const revoked = await db.run('DELETE FROM grants WHERE id = $1 AND account = $2', [grantId, accountId]);
      if (revoked === 1) await db.run('DELETE FROM access_tokens WHERE grant_id = $1', [grantId]);
      if (revoked === 1) await endOwned(db, grantId);
      return written(db, accountId, change, revoked === 1);
    }),
  async touchGrant(grantId, at) {
    await database.run('UPDATE grants SET last_used_at = $2 WHERE id = $1', [grantId, at.getTime()]);
  },
});

async function addToken(db: Db, { digest, grantId, scopes, endsAt }: AccessToken): Promise<void> {
  await db.run('INSERT INTO access_tokens (digest, grant_id, scopes, ends_at) VALUES ($1, $2, $3, $4)', [
    digest,
    grantId,
    JSON.stringify(scopes),
    endsAt.getTime(),
  ]);
  await db.run(
    `DELETE FROM access_tokens WHERE digest IN
       (SELECT digest FROM access_tokens WHERE grant_id = $1 ORDER BY ends_at DESC OFFSET ${TOKENS_OF_GRANT})`,
    [grantId],
  );
}

/** A slice of those that are over; false when there was none. */
export async function removeEndedGrants(db: Db, now: number): Promise<boolean> {
  const slice = (table: string) =>
    db.run(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ends_at <= $1 ORDER BY ends_at LIMIT 1000))`,
      [now],
    );
  const removed = [await slice('access_tokens'), await slice('grants'), await slice('oauth_clients')];
  return removed.some((count) => count > 0);
}
