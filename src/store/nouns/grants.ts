/** Permissions that people gave to agents: registered programs, grants, and the access tokens that stand for them. */
import type { Grant, GrantScope } from '../../domain/account.ts';
import type { Change } from '../../domain/change.ts';
import { countRows, type Db, deleteSlice, insertRow } from '../db.ts';
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
    const row = await db.row<ClientRow>('SELECT * FROM oauth_clients WHERE id = $1 AND ends_at > $2', [id, now]);
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
      [digest, now],
    );
    return row && { grant: grantOf(row), token: accessTokenOf(row) };
  },
  async grants(accountId, now) {
    const rows = await db.rows<GrantRow>(
      'SELECT * FROM grants WHERE account = $1 AND code_used_at IS NOT NULL AND ends_at > $2 ORDER BY id',
      [accountId, now],
    );
    return rows.map(grantOf);
  },
});

export const clientWrites = (db: Db): Omit<ClientStore, 'client'> => ({
  addClient: (client, { most, olderThan }) =>
    db.transaction(async (tx) => {
      const unused = await tx.rows('SELECT 1 FROM oauth_clients WHERE used = 0 ORDER BY created_at LIMIT $1', [most]);
      if (unused.length === most && !(await removeOldestUnused(tx, olderThan))) return false;
      await insertRow(tx, 'oauth_clients', {
        id: client.id,
        name: encodeText(client.name),
        redirect_uris: JSON.stringify(client.redirectUris),
        secret: client.secretDigest ?? null,
        created_at: client.createdAt,
        ends_at: client.endsAt,
      });
      return true;
    }),
  async keepClient(id, until) {
    await db.run('UPDATE oauth_clients SET used = 1, ends_at = greatest(ends_at, $2) WHERE id = $1', [id, until]);
  },
});

const removeOldestUnused = async (db: Db, olderThan: Date): Promise<boolean> =>
  (await db.run(
    `DELETE FROM oauth_clients WHERE id IN
       (SELECT id FROM oauth_clients WHERE used = 0 AND created_at < $1 ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)`,
    [olderThan],
  )) === 1;

export const grantWrites = (db: Db): Omit<GrantStore, keyof GrantReads> => ({
  addGrant: (grant, code, change, limit = Infinity) =>
    db.transaction(async (tx) => !(await isFull(tx, grant, limit)) && addGrant(tx, grant, code, change)),
  redeemCode: (digest, { token, familyDigest, refreshDigest, endsAt }, now) =>
    db.transaction(async (tx) => {
      const isFirst = await tx.run(
        `UPDATE grants SET code_used_at = $2, last_used_at = $2, rotated_at = $2, family = $3, refresh = $4, ends_at = $5
         WHERE code = $1 AND code_used_at IS NULL AND ends_at > $2`,
        [digest, now, familyDigest, refreshDigest, endsAt],
      );
      if (isFirst === 1) await addToken(tx, token);
      return isFirst === 1;
    }),
  rotateRefresh: (grantId, digest, { token, refreshDigest, endsAt }, now) =>
    db.transaction(async (tx) => {
      const isNewest = await tx.run(
        `UPDATE grants SET previous = refresh, refresh = $3, rotated_at = $4, last_used_at = $4, ends_at = $5
         WHERE id = $1 AND refresh = $2 AND ends_at > $4`,
        [grantId, digest, refreshDigest, now, endsAt],
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
    await db.run('UPDATE grants SET last_used_at = $2 WHERE id = $1', [grantId, at]);
  },
});

/** A code that nobody has redeemed yet counts: it may become an agent as well as any other. */
async function isFull(db: Db, { accountId, createdAt }: Grant, limit: number): Promise<boolean> {
  if (limit === Infinity) return false;
  await lockAccount(db, accountId);
  return (await countRows(db, 'grants', 'account = $1 AND ends_at > $2', [accountId, createdAt])) >= limit;
}

async function addGrant(db: Db, grant: Grant, code: NewCode, change: Change | undefined): Promise<true> {
  await insertRow(db, 'grants', {
    id: grant.id,
    account: grant.accountId,
    client: encodeText(grant.clientId),
    client_name: encodeText(grant.clientName),
    redirect_uri: encodeText(grant.redirectUri),
    resource: encodeText(grant.resource),
    scopes: JSON.stringify(grant.scopes),
    rule_ids: grant.ruleIds === undefined ? null : JSON.stringify(grant.ruleIds),
    created_at: grant.createdAt,
    ends_at: grant.endsAt,
    expires_at: grant.expiresAt,
    code: code.digest,
    challenge: code.challenge,
  });
  await noteChange(db, grant.accountId, change);
  return true;
}

async function addToken(db: Db, { digest, grantId, scopes, endsAt }: AccessToken): Promise<void> {
  const row = { digest, grant_id: grantId, scopes: JSON.stringify(scopes), ends_at: endsAt };
  await insertRow(db, 'access_tokens', row);
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
