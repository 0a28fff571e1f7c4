/**
 * The one place where a header becomes a caller. A request without a key, or with half of one, is told so. Whatever is
 * wrong with a whole key, a ticket or a session, the answer is the same, byte for byte.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../service/access/caller.ts';
import { authenticateToken, isAccessToken } from '../service/access/grants.ts';
import { authenticate, authenticateWithoutStore, unauthenticated } from '../service/access/keys.ts';
import { authenticateSession } from '../service/access/sessions.ts';
import { authenticateEntry, authenticateTicket, isEntryTicket } from '../service/access/tickets.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { limitReached } from '../service/limits.ts';
import { createLimiter, networkOf } from './rate-limit.ts';

/** Wrong keys, tickets, sessions and secrets of OAuth that one address may present: a person's mistakes, not a search. */
const WRONG_SECRETS = { perMinute: 20, burst: 100 };

/** The header that a page must set for its cookie to count: no other site can make a browser send it. */
export const SESSION_HEADER = 'x-sluice-session';

/** The parts of a request that name its caller. */
interface Presented {
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
}

export interface Auth {
  caller(request: Presented): Promise<Caller>;
  /** The caller of what needs no store: one that the store knew holds while it is away. */
  callerWithoutStore(request: Presented): Promise<Caller>;
  /** The caller of the tool server: by a key, or by a token for this resource. */
  agent(request: Presented, resource: string | undefined): Promise<Caller>;
  /** The caller who opens a session, by a key or the ticket of a one-time link. A session cannot open another: it would never end. */
  visitor(request: Presented): Promise<Caller>;
  /** The caller who opens a stream in a browser, where a ticket takes the place of a key. */
  ticketHolder(request: Presented, ticket: string): Promise<Caller>;
  /** Counts a secret that was wrong elsewhere. The refusal, when the address presented too many. */
  wrongSecret(address: string): ServiceError | undefined;
  /** Work for a request that is signed instead: it throws `unauthenticated` if the signature is wrong. */
  signed(request: Presented, work: Promise<void>): Promise<void>;
}

export function createAuth(context: Context, options: { cookie: string; limited: boolean }): Auth {
  const wrongSecret = countWrongSecrets(context, options.limited);
  const counted = async <T>(address: string, calling: Promise<T>): Promise<T> => {
    try {
      return await calling;
    } catch (error) {
      const isWrong = error instanceof ServiceError && error.code === 'unauthenticated';
      throw (isWrong ? wrongSecret(address) : undefined) ?? error;
    }
  };
  return {
    caller({ headers, ip }) {
      const key = bearerKey(headers.authorization);
      if (key !== undefined) return counted(ip, authenticate(context, key));
      const token = headers.authorization === undefined ? sessionToken(headers, options.cookie) : undefined;
      return token === undefined ? refused(headers) : counted(ip, authenticateSession(context, token));
    },
    callerWithoutStore({ headers, ip }) {
      const key = bearerKey(headers.authorization);
      return key === undefined ? refused(headers) : counted(ip, authenticateWithoutStore(context, key));
    },
    agent({ headers, ip }, resource) {
      const secret = bearerKey(headers.authorization);
      if (secret === undefined) return refused(headers);
      const isToken = resource !== undefined && isAccessToken(secret);
      return counted(ip, isToken ? authenticateToken(context, secret, resource) : authenticate(context, secret));
    },
    visitor({ headers, ip }) {
      const key = bearerKey(headers.authorization);
      if (key === undefined) return refused(headers);
      return counted(ip, isEntryTicket(key) ? authenticateEntry(context, key) : authenticate(context, key));
    },
    ticketHolder: ({ ip }, ticket) => counted(ip, authenticateTicket(context, ticket)),
    wrongSecret,
    signed: ({ ip }, work) => counted(ip, work),
  };
}

const refused = ({ authorization }: IncomingHttpHeaders): Promise<never> =>
  Promise.reject(unauthenticated(authorization === undefined ? 'absent' : 'not_bearer'));

/** Refuses an address that presents wrong secrets too often. A right one is never refused. */
function countWrongSecrets({ clock }: Context, limited: boolean): Auth['wrongSecret'] {
  const tries = limited ? createLimiter(WRONG_SECRETS, () => clock.now()) : undefined;
  return (address) => {
    const taken = tries?.take(networkOf(address));
    if (taken === undefined || taken.allowed) return undefined;
    return limitReached(
      'wrong_secrets',
      `This address presented more than ${WRONG_SECRETS.perMinute} wrong keys, tickets, sessions, codes, tokens or signatures a minute.`,
      { details: { limit: 'address' }, retryAfter: taken.retryAfter },
    );
  };
}

function bearerKey(header: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trimEnd();
}

/** A cookie comes with every request a browser makes; only our own pages add the header. */
export function sessionToken(headers: IncomingHttpHeaders, name: string): string | undefined {
  if (headers[SESSION_HEADER] === undefined) return undefined;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return undefined;
  for (const part of (headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}

/** The cookie of a session in the console. Over https it is bound to this very host. */
export interface SessionCookie {
  readonly name: string;
  /** The Set-Cookie value that hands the browser the session in an answer of Create Session. */
  of(answer: string): string;
  /** The one that takes it away again. */
  readonly none: string;
}

export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const secure = publicUrl?.startsWith('https:') === true;
  const name = secure ? '__Host-sluice_session' : 'sluice_session';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    name,
    none: `${name}=; ${attributes}; Max-Age=0`,
    of(answer) {
      const { session, expires_at } = JSON.parse(answer) as { session: string; expires_at: string };
      return `${name}=${session}; ${attributes}; Expires=${new Date(expires_at).toUTCString()}`;
    },
  };
}
