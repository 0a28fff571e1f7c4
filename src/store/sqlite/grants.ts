/** Registered clients, grants and access tokens. */
import type { Change } from '../../domain/change.ts';
import type { Grant } from '../../domain/grant.ts';
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
import type { AccessToken, NewCode, RegisteredClient, StoredGrant, TokenPair, UnusedLimit } from '../store.ts';
import { noteChange, noted } from './changes.ts';
import { transaction } from './connection.ts';
import { endSubscriptionsOf } from './ended-subscriptions.ts';
import type { Sql } from './sql.ts';

export const grantReads = (sql: Sql) => ({
  client(id: string, now: Date): RegisteredClient | undefined {
    const row = sql.row<ClientRow>('SELECT * FROM oauth_clients WHERE id = ? AND ends_at > ?', [id, now.getTime()]);
    return row && clientOf(row);
  },
  grantByCode(digest: string): StoredGrant | undefined {
    const row = sql.row<GrantRow>('SELECT * FROM grants WHERE code = ?', [digest]);
    return row && storedGrantOf(row);
  },
  grantByFamily(digest: string): StoredGrant | undefined {
    const row = sql.row<GrantRow>('SELECT * FROM grants WHERE family = ?', [digest]);
    return row && storedGrantOf(row);
  },
  accessToken(digest: string, now: Date): { grant: Grant; token: AccessToken } | undefined {
    const row = sql.row<TokenRow>(
      `SELECT ${TOKEN_COLUMNS} FROM access_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = ? AND t.ends_at > ?`,
      [digest, now.getTime()],
    );
    return row && { grant: grantOf(row), token: accessTokenOf(row) };
  },
  grants: (accountId: string, now: Date): Grant[] =>
    sql
      .rows<GrantRow>(
        'SELECT * FROM grants WHERE account = ? AND code_used_at IS NOT NULL AND ends_at > ? ORDER BY id',
        [accountId, now.getTime()],
      )
      .map(grantOf),
});

export const clientWrites = (sql: Sql) => ({
  addClient: (client: RegisteredClient, { most, olderThan }: UnusedLimit): boolean =>
    transaction(sql, () => {
      const unused = sql.rows('SELECT 1 FROM oauth_clients WHERE used = 0 ORDER BY created_at LIMIT ?', [most]);
      if (unused.length === most && !removeOldestUnused(sql, olderThan)) return false;
      sql.run(
        'INSERT INTO oauth_clients (id, name, redirect_uris, secret, created_at, ends_at) VALUES (?, ?, ?, ?, ?, ?)',
        clientValues(client),
      );
      return true;
    }),
  keepClient(id: string, until: Date): void {
    sql.run('UPDATE oauth_clients SET used = 1, ends_at = max(ends_at, ?) WHERE id = ?', [until.getTime(), id]);
  },
});

const removeOldestUnused = (sql: Sql, olderThan: Date): boolean =>
  sql.run(
    `DELETE FROM oauth_clients WHERE id IN
       (SELECT id FROM oauth_clients WHERE used = 0 AND created_at < ? ORDER BY created_at LIMIT 1)`,
    [olderThan.getTime()],
  ) === 1;

export const grantWrites = (sql: Sql) => ({
  addGrant: (grant: Grant, code: NewCode, change?: Change): void =>
    transaction(sql, () => {
      sql.run(
        `INSERT INTO grants (${GRANT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        grantValues(grant, code),
      );
      noteChange(sql, grant.accountId, change);
    }),
  redeemCode: (digest: string, { token, familyDigest, refreshDigest, endsAt }: TokenPair, now: Date): boolean =>
    transaction(sql, () => {
      const isFirst = sql.run(
        `UPDATE grants SET code_used_at = :now, last_used_at = :now, rotated_at = :now, family = :family,
           refresh = :refresh, ends_at = :ends
         WHERE code = :code AND code_used_at IS NULL AND ends_at > :now`,
        {
          code: digest,
          now: now.getTime(),
          family: familyDigest,
          refresh: refreshDigest,
          ends: endsAt.getTime(),
        },
      );
      if (isFirst === 1) addToken(sql, token);
      return isFirst === 1;
    }),
  rotateRefresh: (grantId: string, digest: string, { token, refreshDigest, endsAt }: TokenPair, now: Date): boolean =>
    transaction(sql, () => {
      const isNewest = sql.run(
        `UPDATE grants SET previous = refresh, refresh = :next, rotated_at = :now, last_used_at = :now, ends_at = :ends
         WHERE id = :id AND refresh = :digest AND ends_at > :now`,
        { id: grantId, digest, next: refreshDigest, now: now.getTime(), ends: endsAt.getTime() },
      );
      if (isNewest === 1) addToken(sql, token);
      return isNewest === 1;
    }),
  addAccessToken: (token: AccessToken): void => transaction(sql, () => addToken(sql, token)),
  endAccessToken(digest: string): void {
    sql.run('DELETE FROM access_tokens WHERE digest = ?', [digest]);
  },
  revokeGrant: (accountId: string, grantId: string, change?: Change): boolean =>
    transaction(sql, () => {
      const revoked = sql.run('DELETE FROM grants WHERE id = ? AND account = ?', [grantId, accountId]) === 1;
      if (revoked) sql.run('DELETE FROM access_tokens WHERE grant_id = ?', [grantId]);
      if (revoked) endSubscriptionsOf(sql, grantId);
      return noted(sql, accountId, change, revoked);
    }),
  touchGrant(grantId: string, at: Date): void {
    sql.run('UPDATE grants SET last_used_at = ? WHERE id = ?', [at.getTime(), grantId]);
  },
});

function addToken(sql: Sql, { digest, grantId, scopes, endsAt }: AccessToken): void {
  sql.run('INSERT INTO access_tokens (digest, grant_id, scopes, ends_at) VALUES (?, ?, ?, ?)', [
    digest,
    grantId,
    JSON.stringify(scopes),
    endsAt.getTime(),
  ]);
  sql.run(
    `DELETE FROM access_tokens WHERE digest IN
       (SELECT digest FROM access_tokens WHERE grant_id = ? ORDER BY ends_at DESC LIMIT -1 OFFSET ${TOKENS_OF_GRANT})`,
    [grantId],
  );
}

/** A few of those that are over; false when there was none. */
export function removeOldGrants(sql: Sql, now: number): boolean {
  const removed = [
    'DELETE FROM access_tokens WHERE digest IN (SELECT digest FROM access_tokens WHERE ends_at <= ? LIMIT 200)',
    'DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE ends_at <= ? LIMIT 200)',
    'DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE ends_at <= ? LIMIT 200)',
  ].map((statement) => sql.run(statement, [now]));
  return removed.some((count) => count > 0);
}
