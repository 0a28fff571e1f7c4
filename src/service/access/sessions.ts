/**
 * Console sessions: the user gives a key once, and a token in a cookie stands for it afterwards. The store has the token's
 * digest, so every node accepts it. A session ends after twelve hours, after one idle hour, or when its key stops working.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Pass } from '../../store/nouns/passes.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from './caller.ts';
import { byCaller, changeNote } from './change-notes.ts';
import { type AccessDeps, callerOf, unauthenticated } from './keys.ts';

/** The store knows all kinds of passes by their digests; this tells those of sessions. */
export const SESSION_PREFIX = 'session ';
const LONGEST = 12 * 60 * 60 * 1_000;
const LONGEST_IDLE = 60 * 60 * 1_000;
/** The precision of the stored last use, so that not every request writes. */
const LAST_USE_PRECISION = 5 * 60 * 1_000;

export interface Sessions {
  open(caller: Caller): Promise<{ readonly token: string; readonly endsAt: Date }>;
  find(token: string): Promise<Pick<Pass, 'accountId' | 'keyId' | 'digest'> | undefined>;
  /** The person signs out. Answers the digest of the session. */
  end(token: string): Promise<string>;
}

/** How the audit log names a session. Nobody can sign in with it. */
const idOf = (digest: string): string => `session_${digest.slice(SESSION_PREFIX.length).slice(0, 20)}`;

const isIdle = ({ usedAt }: Pass, now: Date): boolean => now.getTime() - usedAt.getTime() >= LONGEST_IDLE;

/** Whether the session with this digest has not ended. */
export async function sessionWorks(store: Pick<Store, 'pass'>, digest: string, now: Date): Promise<boolean> {
  const found = await store.pass(digest, now);
  return found !== undefined && !isIdle(found, now);
}

export function createSessions(
  store: Pick<Store, 'addPass' | 'pass' | 'usePass' | 'takePass'>,
  clock: Clock,
): Sessions {
  const digestOf = (token: string): string => SESSION_PREFIX + hash('sha256', token);
  return {
    async open(caller) {
      const { account, key } = caller;
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      const endsAt = new Date(now.getTime() + LONGEST);
      const digest = digestOf(token);
      const after = { key_id: key.id, expires_at: endsAt.toISOString() };
      const note = changeNote(now, byCaller(caller), 'session.created', idOf(digest), { after });
      await store.addPass({ digest, accountId: account.id, keyId: key.id, endsAt, usedAt: now }, note);
      return { token, endsAt };
    },
    async find(token) {
      const now = clock.now();
      const found = await store.pass(digestOf(token), now);
      if (found === undefined || isIdle(found, now)) return undefined;
      const idle = now.getTime() - found.usedAt.getTime();
      // Reading must work even if the disk is full.
      if (idle >= LAST_USE_PRECISION) await store.usePass(digestOf(token), now).catch(() => {});
      return found;
    },
    async end(token) {
      const [digest, now] = [digestOf(token), clock.now()];
      const pass = await store.pass(digest, now);
      if (pass === undefined) return digest;
      const before = { key_id: pass.keyId, expires_at: pass.endsAt.toISOString() };
      const by = { kind: 'session', keyId: pass.keyId } as const;
      await store.takePass(digest, now, changeNote(now, by, 'session.deleted', idOf(digest), { before }));
      return digest;
    },
  };
}

/** The caller of this session. A bad session gets the same answer as a bad key. */
export async function authenticateSession(
  context: AccessDeps & { readonly sessions: Sessions },
  token: string,
): Promise<Caller> {
  const session = await context.sessions.find(token);
  if (session === undefined) throw unauthenticated();
  const keys = await context.store.keys(session.accountId);
  const caller = await callerOf(
    context,
    keys.find((key) => key.id === session.keyId),
  );
  return { ...caller, session: session.digest };
}
