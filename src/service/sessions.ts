/**
 * Sessions of the console: a key is given once, and a token in a cookie stands for it afterwards. They live in memory
 * and end with the process, after twelve hours, after one idle hour, or when their key stops working.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Context } from './context.ts';
import { callerOf, unauthenticated } from './keys.ts';
import { type Caller, operation } from './operation.ts';
import { time } from './shapes.ts';

const LONGEST = 12 * 60 * 60 * 1_000;
const LONGEST_IDLE = 60 * 60 * 1_000;
/** The oldest go first when there are more. */
const MAX_SESSIONS = 10_000;

interface Session {
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: number;
  usedAt: number;
}

export interface Sessions {
  open(caller: Caller): { readonly token: string; readonly endsAt: Date };
  find(token: string): Pick<Session, 'accountId' | 'keyId'> | undefined;
  /** Somebody signs out. */
  end(token: string): void;
}

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Session>();
  const nameOf = (token: string): string => createHash('sha256').update(token).digest('hex');
  return {
    open({ account, key }) {
      const token = randomBytes(32).toString('base64url');
      const now = clock.now().getTime();
      if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value!);
      sessions.set(nameOf(token), { accountId: account.id, keyId: key.id, endsAt: now + LONGEST, usedAt: now });
      return { token, endsAt: new Date(now + LONGEST) };
    },
    find(token) {
      const now = clock.now().getTime();
      const session = sessions.get(nameOf(token));
      if (session === undefined) return undefined;
      if (now < session.endsAt && now - session.usedAt < LONGEST_IDLE) {
        session.usedAt = now;
        return session;
      }
      sessions.delete(nameOf(token));
      return undefined;
    },
    end: (token) => void sessions.delete(nameOf(token)),
  };
}

/** Who calls with this session; the answer to a bad one is that to a bad key. */
export async function authenticateSession(context: Context, token: string): Promise<Caller> {
  const session = context.sessions.find(token);
  if (session === undefined) throw unauthenticated();
  const keys = await context.store.keys(session.accountId);
  return callerOf(
    context,
    keys.find((key) => key.id === session.keyId),
  );
}

export const createSession = operation({
  name: 'createSession',
  summary: 'Open a session of the console',
  description:
    'Gives a token that stands for the key it was made with. The console keeps it in a cookie. It ends after twelve hours, after one idle hour, or with its key.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ session: z.string(), expires_at: time }),
  example: {
    input: {},
    output: { session: 'q0WmZ3…', expires_at: '2026-11-15T20:30:00.123Z' },
  },
  async run({ sessions }, caller) {
    const { token, endsAt } = sessions.open(caller);
    return { session: token, expires_at: endsAt.toISOString() };
  },
});
