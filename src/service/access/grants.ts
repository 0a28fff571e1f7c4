/** Access tokens: a caller by the token of a grant. */
import { hash } from 'node:crypto';
import type { Grant } from '../../domain/account.ts';
import type { AccessToken } from '../../store/store.ts';
import { type Caller, refuseSuspended } from './caller.ts';
import { type AccessDeps, keyWorks, unauthenticated } from './keys.ts';

const TOKEN = /^sla_[\w-]{43}$/;
/** The last use is stored to the hour, so that not every request writes. */
const LAST_USE_PRECISION = 60 * 60 * 1_000;

/** No generated key starts like this. A key of the operator that does would be taken for a token at `/mcp`. */
export const isAccessToken = (secret: string): boolean => secret.startsWith('sla_');

/** The caller of a token for this resource. A token for another one is answered as an unknown one. */
export async function authenticateToken(context: AccessDeps, secret: string, resource: string): Promise<Caller> {
  if (!TOKEN.test(secret)) throw unauthenticated();
  const digest = hash('sha256', secret, 'base64url');
  const caller = await context.callers.get(`token ${digest} ${resource}`, () => find(context, digest, resource));
  const now = context.clock.now();
  if (caller === undefined || caller.key.expiresAt! <= now) throw unauthenticated();
  refuseSuspended(caller.account);
  const { lastUsedAt, id } = caller.key;
  if (lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= LAST_USE_PRECISION) {
    // Reading must work even if the disk is full.
    context.store
      .touchGrant(id, now)
      .catch((error: unknown) => context.log.warn({ err: error }, 'the last use of a grant could not be stored'));
  }
  return caller;
}

async function find({ store, clock }: AccessDeps, digest: string, resource: string): Promise<Caller | undefined> {
  const found = await store.accessToken(digest, clock.now());
  if (found === undefined || found.grant.resource !== resource) return undefined;
  const account = await store.account(found.grant.accountId);
  return account && { account, key: keyOfGrant(found.grant, found.token), grant: grantOfCaller(found) };
}

const grantOfCaller = ({ grant, token }: { grant: Grant; token: AccessToken }): NonNullable<Caller['grant']> => ({
  scopes: token.scopes,
  ruleIds: grant.ruleIds,
  tokenDigest: token.digest,
});

const keyOfGrant = (grant: Grant, { scopes, endsAt }: AccessToken): Caller['key'] => ({
  id: grant.id,
  accountId: grant.accountId,
  name: grant.clientName,
  scope: scopes.includes('full') ? 'full' : 'read',
  lastFour: '',
  createdAt: grant.createdAt,
  lastUsedAt: grant.lastUsedAt,
  expiresAt: endsAt,
});

/** Whether what the caller came with still works: it is neither revoked nor expired. */
export async function stillWorks(
  { store, clock }: Pick<AccessDeps, 'store' | 'clock'>,
  caller: Caller,
): Promise<boolean> {
  const now = clock.now();
  if (caller.grant !== undefined) return (await store.accessToken(caller.grant.tokenDigest, now)) !== undefined;
  return keyWorks(await store.keys(caller.account.id), caller.key.id, now);
}
