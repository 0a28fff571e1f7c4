/** Rows of registered clients, grants and access tokens. */
import type { Grant, GrantScope } from '../../domain/grant.ts';
import type { AccessToken, RegisteredClient, StoredGrant } from '../store.ts';
import { dateOrNone, decodeText, encodeText, parseColumn } from './texts.ts';

/** Access tokens of one grant. Beyond that, those that end first go. */
export const TOKENS_OF_GRANT = 100;

export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirect_uris: string;
  readonly secret: string | null;
  readonly created_at: number;
  readonly ends_at: number;
}

export interface GrantRow {
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

export interface TokenRow extends GrantRow {
  readonly digest: string;
  readonly token_scopes: string;
  readonly token_ends_at: number;
}

export const clientOf = (row: ClientRow): RegisteredClient => ({
  id: row.id,
  name: decodeText(row.name),
  redirectUris: parseColumn<string[]>(row.redirect_uris),
  secretDigest: row.secret ?? undefined,
  createdAt: new Date(row.created_at),
  endsAt: new Date(row.ends_at),
});

export const grantOf = (row: GrantRow): Grant => ({
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

export const storedGrantOf = (row: GrantRow): StoredGrant => ({
  ...grantOf(row),
  challenge: row.challenge,
  codeUsedAt: dateOrNone(row.code_used_at),
  refreshDigest: row.refresh ?? undefined,
  previousDigest: row.previous ?? undefined,
  rotatedAt: dateOrNone(row.rotated_at),
});

export const accessTokenOf = (row: TokenRow): AccessToken => ({
  digest: row.digest,
  grantId: row.id,
  scopes: parseColumn<GrantScope[]>(row.token_scopes),
  endsAt: new Date(row.token_ends_at),
});

/** The values of a new grant, in the order of `GRANT_COLUMNS`. */
export const grantValues = (grant: Grant, code: { digest: string; challenge: string }): (string | number | null)[] => [
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
];

export const GRANT_COLUMNS =
  'id, account, client, client_name, redirect_uri, resource, scopes, rule_ids, created_at, ends_at, expires_at, code, challenge';

export const clientValues = (client: RegisteredClient): (string | number | null)[] => [
  client.id,
  encodeText(client.name),
  JSON.stringify(client.redirectUris),
  client.secretDigest ?? null,
  client.createdAt.getTime(),
  client.endsAt.getTime(),
];

export const TOKEN_COLUMNS = 'g.*, t.digest, t.scopes AS token_scopes, t.ends_at AS token_ends_at';
