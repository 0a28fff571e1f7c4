/** What people allowed agents: the programs that registered here, grants, and the access tokens that stand for them. */
import type { Change } from '../../domain/change.ts';
import type { Grant, GrantScope } from '../../domain/grant.ts';

/** Programs that registered here. Not scoped by account: they belong to none. */
export interface ClientStore {
  /** False when too many wait to be used and none of them is old enough to make room. */
  addClient(client: RegisteredClient, limit: UnusedLimit): Promise<boolean>;
  /** Undefined once it has ended. */
  client(id: string, now: Date): Promise<RegisteredClient | undefined>;
  /** A person used it: it stays until then. */
  keepClient(id: string, until: Date): Promise<void>;
}

/** The store has digests of secrets, not the secrets. Look-ups by a digest are not scoped by account. */
export interface GrantStore {
  /** A grant works once its code has been redeemed. Until then it is not listed. */
  addGrant(grant: Grant, code: NewCode, change?: Change): Promise<void>;
  grantByCode(digest: string): Promise<StoredGrant | undefined>;
  /** Of several callers with the same code one gets true. */
  redeemCode(digest: string, pair: TokenPair, now: Date): Promise<boolean>;
  grantByFamily(digest: string): Promise<StoredGrant | undefined>;
  /** Replaces the refresh token with this digest. False when it is no longer the newest. */
  rotateRefresh(grantId: string, digest: string, pair: TokenPair, now: Date): Promise<boolean>;
  addAccessToken(token: AccessToken): Promise<void>;
  accessToken(digest: string, now: Date): Promise<{ grant: Grant; token: AccessToken } | undefined>;
  endAccessToken(digest: string): Promise<void>;
  /** Those that work, oldest first. */
  grants(accountId: string, now: Date): Promise<Grant[]>;
  /** Ends the grant and all its tokens. False when there was none. */
  revokeGrant(accountId: string, grantId: string, change?: Change): Promise<boolean>;
  touchGrant(grantId: string, at: Date): Promise<void>;
}

export interface RegisteredClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Undefined when it has no secret. */
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
