/** Permissions that people gave to agents: registered programs, grants, and the access tokens that stand for them. */
import type { Grant, GrantScope } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { type Db, deleteSlice } from '../db.ts';
import { lockAccount } from '../rows/locks.ts';
import { dateOrNone, decodeText, encodeText, parseColumn } from '../rows/texts.ts';
import { noteChange, noted } from './changes.ts';
import { endSubscriptionsOf } from './ended-subscriptions.ts';

/** Programs that registered here. Not scoped by account: they belong to none. */
export interface ClientStore {
  /** False when too many wait to be used and none of them is old enough to make room. */
  addClient(client: RegisteredClient, limit: UnusedLimit): Promise<boolean>;
  /** Returns undefined once the client has ended. */
  client(id: string, now: Date): Promise<RegisteredClient | undefined>;
  /** A person used it: it stays until then. */
  keepClient(id: string, until: Date): Promise<void>;
}

/** The store has digests of secrets, not the secrets. Look-ups by a digest are not scoped by account. */
export interface GrantStore {
  /** A grant works once its code has been redeemed. Until then it is not listed. */
  /** False when the account has `limit` grants already, those whose code may still be redeemed among them. */
  addGrant(grant: Grant, code: NewCode, change?: Change, limit?: number): Promise<boolean>;
  grantByCode(digest: string): Promise<StoredGrant | undefined>;
  /** When several callers have the same code, one gets true. */
  redeemCode(digest: string, pair: TokenPair, now: Date): Promise<boolean>;
  grantByFamily(digest: string): Promise<StoredGrant | undefined>;
  /** Replaces the refresh token with this digest. False when it is no longer the newest. */
  rotateRefresh(grantId: string, digest: string, pair: TokenPair, now: Date): Promise<boolean>;
  addAccessToken(token: AccessToken): Promise<void>;
  accessToken(digest: string, now: Date): Promise<{ grant: Grant; token: AccessToken } | undefined>;
  endAccessToken(digest: string): Promise<void>;
  /** The grants that work, oldest first. */
  grants(accountId: string, now: Date): Promise<Grant[]>;
  /** Ends the grant and all its tokens. False when there was none. */
  revokeGrant(accountId: string, grantId: string, change?: Change): Promise<boolean>;
  touchGrant(grantId: string, at: Date): Promise<void>;
}

export interface RegisteredClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** It is undefined when the client has no secret. */
  readonly secretDigest: string | undefined;
  readonly createdAt: Date;
  readonly endsAt: Date;
}

export interface UnusedLimit {
  /** Clients that no person has used yet. */
  readonly most: number;
  /** Beyond that, one that was added before this makes room. */
  readonly olderThan: Date;
}

export interface NewCode {
  readonly digest: string;
  /** The SHA-256 challenge of the program that may redeem it. */
  readonly challenge: string;
}

export interface StoredGrant extends Grant {
  readonly challenge: string;
  readonly codeUsedAt: Date | undefined;
  /** The digests of the newest refresh token and of the one before it. */
  readonly refreshDigest: string | undefined;
  readonly previousDigest: string | undefined;
  readonly rotatedAt: Date | undefined;
}

/** New tokens of a grant. */
export interface TokenPair {
  readonly token: AccessToken;
  /** The part that all refresh tokens of a grant share. */
  readonly familyDigest: string;
  readonly refreshDigest: string;
  /** The grant works until then. */
  readonly endsAt: Date;
}

export interface AccessToken {
  readonly digest: string;
  readonly grantId: string;
  readonly scopes: readonly GrantScope[];
  readonly endsAt: Date;
}

/** Access tokens of one grant. Beyond that, those that end first go. */
const TOKENS_OF_GRANT = 100;
/** Tokens, grants and clients that go in one slice of removal. */
const OLD_SLICE = 200;

interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirect_uris: string;
  readonly secret: string | null;
  readonly created_at: number;
  readonly ends_at: number;
}

interface GrantRow {
  readonly id: string;
  readonly account: string;
  readonly client: string;
  readonly client_name: string;
  readonly redirect_uri: string;
  readonly resource: string;
  readonly scopes: string;
  readonly rule_ids: string | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly ends_at: number;
  readonly expires_at: number;
  readonly challenge: string;
  readonly code_used_at: number | null;
  readonly refresh: string | null;
  readonly previous: string | null;
  readonly rotated_at: number | null;
}

interface TokenRow extends GrantRow {
  readonly digest: string;
  readonly token_scopes: string;
  readonly token_ends_at: number;
}

const clientOf = (row: ClientRow): RegisteredClient => ({
  id: row.id,
  name: decodeText(row.name),
  redirectUris: parseColumn<string[]>(row.redirect_uris),
  secretDigest: row.secret ?? undefined,
  createdAt: new Date(row.created_at),
  endsAt: new Date(row.ends_at),
});

const grantOf = (row: GrantRow): Grant => ({
  id: row.id,
  accountId: row.account,
  clientId: decodeText(row.client),
  clientName: decodeText(row.client_name),
  redirectUri: decodeText(row.redirect_uri),
  resource: decodeText(row.resource),
  scopes: parseColumn<GrantScope[]>(row.scopes),
  ruleIds: row.rule_ids === null ? undefined : parseColumn<string[]>(row.rule_ids),
  createdAt: new Date(row.created_at),
  lastUsedAt: dateOrNone(row.last_used_at),
  endsAt: new Date(row.ends_at),
  expiresAt: new Date(row.expires_at),
});

const storedGrantOf = (row: GrantRow): StoredGrant => ({
  ...grantOf(row),
  challenge: row.challenge,
  codeUsedAt: dateOrNone(row.code_used_at),
  refreshDigest: row.refresh ?? undefined,
  previousDigest: row.previous ?? undefined,
  rotatedAt: dateOrNone(row.rotated_at),
});

const accessTokenOf = (row: TokenRow): AccessToken => ({
  digest: row.digest,
  grantId: row.id,
  scopes: parseColumn<GrantScope[]>(row.token_scopes),
  endsAt: new Date(row.token_ends_at),
});

type GrantReads = Pick<ClientStore, 'client'> &
  Pick<GrantStore, 'grantByCode' | 'grantByFamily' | 'accessToken' | 'grants'>;

export const grantReads = (db: Db): GrantReads => ({
  async client(id, now) {
    const row = await db.row<ClientRow>('SELECT * FROM oauth_clients WHERE id = $1 AND ends_at > $2', [
      id,
      now.getTime(),
    ]);
    return row && clientOf(row);
  },
  async grantByCode(digest) {
    const row = await db.row<GrantRow>('SELECT * FROM grants WHERE code = $1', [digest]);
    return row && storedGrantOf(row);
  },
  async grantByFamily(digest) {
    const row = await db.row<GrantRow>('SELECT * FROM grants WHERE family = $1', [digest]);
    return row && storedGrantOf(row);
  },
  async accessToken(digest, now) {
    const row = await db.row<TokenRow>(
      `SELECT g.*, t.digest, t.scopes AS token_scopes, t.ends_at AS token_ends_at
       FROM access_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = $1 AND t.ends_at > $2`,
      [digest, now.getTime()],
    );
    return row && { grant: grantOf(row), token: accessTokenOf(row) };
  },
  async grants(accountId, now) {
    const rows = await db.rows<GrantRow>(
      'SELECT * FROM grants WHERE account = $1 AND code_used_at IS NOT NULL AND ends_at > $2 ORDER BY id',
      [accountId, now.getTime()],
    );
    return rows.map(grantOf);
  },
});

export const clientWrites = (db: Db): Omit<ClientStore, 'client'> => ({
  addClient: (client, { most, olderThan }) =>
    db.transaction(async (tx) => {
      const unused = await tx.rows('SELECT 1 FROM oauth_clients WHERE used = 0 ORDER BY created_at LIMIT $1', [most]);
      if (unused.length === most && !(await removeOldestUnused(tx, olderThan))) return false;
      await tx.run(
        'INSERT INTO oauth_clients (id, name, redirect_uris, secret, created_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [
          client.id,
          encodeText(client.name),
          JSON.stringify(client.redirectUris),
          client.secretDigest ?? null,
          client.createdAt.getTime(),
          client.endsAt.getTime(),
        ],
      );
      return true;
    }),
  async keepClient(id, until) {
    await db.run('UPDATE oauth_clients SET used = 1, ends_at = greatest(ends_at, $2) WHERE id = $1', [
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

export const grantWrites = (db: Db): Omit<GrantStore, keyof GrantReads> => ({
  addGrant: (grant, code, change, limit = Infinity) =>
    db.transaction(async (tx) => !(await isFull(tx, grant, limit)) && addGrant(tx, grant, code, change)),
  redeemCode: (digest, { token, familyDigest, refreshDigest, endsAt }, now) =>
    db.transaction(async (tx) => {
      const isFirst = await tx.run(
        `UPDATE grants SET code_used_at = $2, last_used_at = $2, rotated_at = $2, family = $3, refresh = $4, ends_at = $5
         WHERE code = $1 AND code_used_at IS NULL AND ends_at > $2`,
        [digest, now.getTime(), familyDigest, refreshDigest, endsAt.getTime()],
      );
      if (isFirst === 1) await addToken(tx, token);
      return isFirst === 1;
    }),
  rotateRefresh: (grantId, digest, { token, refreshDigest, endsAt }, now) =>
    db.transaction(async (tx) => {
      const isNewest = await tx.run(
        `UPDATE grants SET previous = refresh, refresh = $3, rotated_at = $4, last_used_at = $4, ends_at = $5
         WHERE id = $1 AND refresh = $2 AND ends_at > $4`,
        [grantId, digest, refreshDigest, now.getTime(), endsAt.getTime()],
      );
      if (isNewest === 1) await addToken(tx, token);
      return isNewest === 1;
    }),
  addAccessToken: (token) => db.transaction((tx) => addToken(tx, token)),
  async endAccessToken(digest) {
    await db.run('DELETE FROM access_tokens WHERE digest = $1', [digest]);
  },
  revokeGrant: (accountId, grantId, change) =>
    db.transaction(async (tx) => {
      const revoked = await tx.run('DELETE FROM grants WHERE id = $1 AND account = $2', [grantId, accountId]);
      if (revoked === 1) await tx.run('DELETE FROM access_tokens WHERE grant_id = $1', [grantId]);
      if (revoked === 1) await endSubscriptionsOf(tx, grantId);
      return noted(tx, accountId, change, revoked === 1);
    }),
  async touchGrant(grantId, at) {
    await db.run('UPDATE grants SET last_used_at = $2 WHERE id = $1', [grantId, at.getTime()]);
  },
});

/** A code that nobody has redeemed yet counts: it may become an agent as well as any other. */
async function isFull(db: Db, { accountId, createdAt }: Grant, limit: number): Promise<boolean> {
  if (limit === Infinity) return false;
  await lockAccount(db, accountId);
  const held = await db.row<{ grants: number }>(
    'SELECT count(*) AS grants FROM grants WHERE account = $1 AND ends_at > $2',
    [accountId, createdAt.getTime()],
  );
  return held!.grants >= limit;
}

async function addGrant(db: Db, grant: Grant, code: NewCode, change: Change | undefined): Promise<true> {
  await db.run(
    `INSERT INTO grants (id, account, client, client_name, redirect_uri, resource, scopes, rule_ids, created_at, ends_at,
       expires_at, code, challenge)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      grant.id,
      grant.accountId,
      encodeText(grant.clientId),
      encodeText(grant.clientName),
      encodeText(grant.redirectUri),
      encodeText(grant.resource),
      JSON.stringify(grant.scopes),
      grant.ruleIds === undefined ? null : JSON.stringify(grant.ruleIds),
      grant.createdAt.getTime(),
      grant.endsAt.getTime(),
      grant.expiresAt.getTime(),
      code.digest,
      code.challenge,
    ],
  );
  await noteChange(db, grant.accountId, change);
  return true;
}

async function addToken(db: Db, { digest, grantId, scopes, endsAt }: AccessToken): Promise<void> {
  await db.run('INSERT INTO access_tokens (digest, grant_id, scopes, ends_at) VALUES ($1, $2, $3, $4)', [
    digest,
    grantId,
    JSON.stringify(scopes),
    endsAt.getTime(),
  ]);
  await db.run(
    `DELETE FROM access_tokens WHERE digest IN
       (SELECT digest FROM access_tokens WHERE grant_id = $1 ORDER BY ends_at DESC LIMIT ALL OFFSET ${TOKENS_OF_GRANT})`,
    [grantId],
  );
}

/** A slice of those that are over; false when there was none. */
export async function removeEndedGrants(db: Db, now: number): Promise<boolean> {
  const slice = (table: string, key: string) =>
    deleteSlice(db, table, { key, of: 'ends_at <= $1 ORDER BY ends_at', limit: OLD_SLICE }, [now]);
  const removed = [
    await slice('access_tokens', 'digest'),
    await slice('grants', 'id'),
    await slice('oauth_clients', 'id'),
  ];
  return removed.some((count) => count > 0);
}
