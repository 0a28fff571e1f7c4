/**
 * API keys: `sk_`, 32 random characters and a checksum of six. The checksum detects a mistyped key without a look-up, and
 * lets scanners recognise a leaked one. Only digests are stored.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import { createVersionedCache, type VersionedCache } from '../../base/versioned-cache.ts';
import { type Account, DEFAULT_ACCOUNT, type Key, type Scope } from '../../domain/account.ts';
import { StoreError } from '../../store/error.ts';
import type { Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import { limitReached } from '../limits.ts';
import type { NotReady } from '../readiness.ts';
import type { Log } from '../telemetry.ts';
import { type Caller, refuseSuspended } from './caller.ts';
import { accountFields, type ChangedBy, changeNote, keyFields, SYSTEM } from './change-notes.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** The last use is stored to the hour, so that not every request writes. */
const LAST_USE_PRECISION = 60 * 60 * 1_000;
/** How many callers are cached. */
const MAX_CALLERS = 10_000;
/** No key is longer. A longer one is refused without hashing it. */
const MAX_KEY = 512;

/** The dependencies for finding a caller. */
export interface AccessDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Recently found callers, by the digest of the key. */
  readonly callers: VersionedCache<Caller | undefined>;
}

export function newSecret(): string {
  let random = '';
  while (random.length < RANDOM_CHARACTERS) {
    // Bytes above the last multiple of 62 are discarded, so that all characters are equally likely.
    for (const byte of randomBytes(RANDOM_CHARACTERS)) if (byte < 248) random += BASE62[byte % 62];
  }
  random = random.slice(0, RANDOM_CHARACTERS);
  return PREFIX + random + checksumOf(random);
}

function checksumOf(random: string): string {
  let text = '';
  for (let rest = crc32(random); text.length < CHECKSUM_CHARACTERS; rest = Math.floor(rest / 62)) {
    text = BASE62[rest % 62] + text;
  }
  return text;
}

/** False for a secret that looks like one of our keys but has a wrong checksum. A key that the operator chose has none. */
function mayBeKey(secret: string): boolean {
  if (secret.length === 0 || secret.length > MAX_KEY) return false;
  if (!secret.startsWith(PREFIX) || secret.length !== PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS)
    return true;
  const random = secret.slice(PREFIX.length, -CHECKSUM_CHARACTERS);
  return secret.endsWith(checksumOf(random));
}

/** Keys are looked up by their digest, so timing reveals nothing about a secret. */
const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export interface NewKey {
  readonly accountId: string;
  readonly name: string;
  readonly scope: Scope;
  readonly expiresAt: Date | undefined;
  /** A secret that the operator chose. Without it, one is generated. */
  readonly secret?: string;
  /** How many keys the account may have. */
  readonly limit?: number;
}

/** Creates a key. From here on only the caller knows its secret. Expired keys count too, until they are revoked. */
export async function addKey(
  store: Store,
  now: Date,
  { accountId, name, scope, expiresAt, secret = newSecret(), limit }: NewKey,
  by: ChangedBy = SYSTEM,
) {
  const key: Key = {
    id: newId('key', now),
    accountId,
    name,
    scope,
    lastFour: secret.slice(-4),
    createdAt: now,
    lastUsedAt: undefined,
    expiresAt,
  };
  const note = changeNote(now, by, 'key.created', key.id, { after: keyFields(key) });
  if (!(await store.addKey(key, digestOf(secret), note, limit)))
    throw limitReached('keys', `The account has ${limit} keys, which is the limit.`, { details: { limit } });
  return { key, secret };
}

/** The caller with this secret. An unknown, a revoked and an expired key get the same answer. */
export async function authenticate(context: AccessDeps, secret: string): Promise<Caller> {
  if (!mayBeKey(secret)) throw unauthenticated('mistyped');
  const digest = digestOf(secret);
  const caller = await context.callers.get(digest.toString('base64'), () => findCaller(context.store, digest));
  return working(context, caller);
}

/** A push for the log waits no longer than this for a store that says nothing. */
const STORE_SILENT_MS = 1_000;

/**
 * Finds the caller of a request that needs no store: while the store is away, the caller is who it said it was last.
 * Keys are revoked and accounts suspended in the store, so what it said last is what holds, unless this node alone is
 * cut off from it; other nodes hear of that.
 */
export async function authenticateWithoutStore(
  context: AccessDeps & { readonly nodes: { readonly trouble: NotReady | undefined } },
  secret: string,
): Promise<Caller> {
  const known = context.callers.known(digestOf(secret).toString('base64'));
  if (known === undefined) return authenticate(context, secret);
  if (context.nodes.trouble === 'store_away') return working(context, known);
  const asking = authenticate(context, secret).catch((error: unknown) => {
    if (error instanceof StoreError && error.reason === 'away') return undefined;
    throw error;
  });
  const answered = new AbortController();
  const silent = context.clock.sleep(STORE_SILENT_MS, answered.signal).then(() => undefined);
  const caller = await Promise.race([asking, silent]).finally(() => answered.abort());
  // Nobody hears an answer that comes later.
  asking.catch(() => {});
  return caller ?? working(context, known);
}

async function findCaller(store: Store, digest: Buffer): Promise<Caller | undefined> {
  const key = await store.keyByDigest(digest);
  return key === undefined ? undefined : withAccount(store, key);
}

async function withAccount(store: Store, key: Key): Promise<Caller | undefined> {
  const account = await store.account(key.accountId);
  return account === undefined ? undefined : { account, key };
}

/** The cache of found callers. Failed guesses are not cached. */
export const createCallers = (store: Store): VersionedCache<Caller | undefined> =>
  createVersionedCache(async () => String(await store.accessVersion()), {
    limit: MAX_CALLERS,
    weightOf: (caller) => (caller === undefined ? Number.POSITIVE_INFINITY : 1),
  });

/** Whether a key of an account still works: it is neither revoked nor expired. */
export const keyWorks = (keys: readonly Key[], keyId: string, now: Date): boolean =>
  keys.some(({ id, expiresAt }) => id === keyId && (expiresAt === undefined || expiresAt > now));

/** The caller of a found key, if the key still works. */
export async function callerOf(context: AccessDeps, key: Key | undefined): Promise<Caller> {
  return working(context, key === undefined ? undefined : await withAccount(context.store, key));
}

/** Expiry depends on the current time, so it is checked on each call. */
function working({ store, clock, log }: AccessDeps, caller: Caller | undefined): Caller {
  const now = clock.now();
  if (caller === undefined) throw unauthenticated();
  const { key } = caller;
  if (key.expiresAt !== undefined && key.expiresAt <= now) throw unauthenticated();
  refuseSuspended(caller.account);
  if (key.lastUsedAt === undefined || now.getTime() - key.lastUsedAt.getTime() >= LAST_USE_PRECISION) {
    // Reading must work even if the disk is full.
    store
      .touchKey(key.id, now)
      .catch((error: unknown) => log.warn({ err: error }, 'the last use of a key could not be stored'));
  }
  return caller;
}

const AS_HEADER = 'as the header "Authorization: Bearer <API_KEY>"';

/**
 * The form of a request alone shows these faults; nothing was looked up for them, so they tell nothing about any key.
 */
const BAD_FORMS = {
  absent: `There is no API key in this request. Send one ${AS_HEADER}.`,
  not_bearer: `The header "Authorization" has another form. Send the API key ${AS_HEADER}.`,
  mistyped: 'This is not a whole API key: a character is wrong, missing or too much. Copy the key again.',
};

export const unauthenticated = (form?: keyof typeof BAD_FORMS): ServiceError =>
  new ServiceError(
    'unauthenticated',
    form === undefined ? `A valid API key is needed, ${AS_HEADER}.` : BAD_FORMS[form],
  );

/** Whether the caller is the operator: a full key of the account that the first start created. */
export const isOperator = ({ account, key, grant }: Caller): boolean =>
  account.name === DEFAULT_ACCOUNT && key.scope === 'full' && grant === undefined;

/**
 * The first start creates the operator's account with one full key, and returns the secret, which is shown once. At any
 * start, a chosen secret becomes a key of that account unless it already is one.
 */
export async function ensureFirstKey(store: Store, now: Date, chosen: string | undefined): Promise<string | undefined> {
  try {
    return await firstKey(store, now, chosen);
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'exists') throw error;
    // Another node started at the same time and was faster. Its account and key exist by now.
    return ensureFirstKey(store, now, chosen);
  }
}

async function firstKey(store: Store, now: Date, chosen: string | undefined): Promise<string | undefined> {
  const account = await operatorAccount(store, now);
  const add = (secret?: string) =>
    addKey(store, now, {
      accountId: account.id,
      name: secret === undefined ? 'first key' : 'SLUICE_API_KEY',
      scope: 'full',
      expiresAt: undefined,
      ...(secret === undefined ? {} : { secret }),
    });
  if (chosen !== undefined) {
    if ((await store.keyByDigest(digestOf(chosen))) === undefined) await add(chosen);
    return undefined;
  }
  return (await store.keys(account.id)).length === 0 ? (await add()).secret : undefined;
}

/** The operator's own account, which the first caller makes. */
export async function operatorAccount(store: Store, now: Date): Promise<Account> {
  const found = await store.account(DEFAULT_ACCOUNT);
  if (found !== undefined) return found;
  const account = {
    id: newId('acct', now),
    name: DEFAULT_ACCOUNT,
    plan: 'paid',
    xRules: X_RULES,
    createdAt: now,
  } as const;
  await store.addAccount(
    account,
    changeNote(now, SYSTEM, 'account.created', account.id, { after: accountFields(account) }),
  );
  return account;
}

/** How many rules on X an account may have by default. */
export const X_RULES = 25;
