/**
 * Who is calling: the one place where a header becomes a caller. Whatever is wrong with a key, the answer is the same,
 * byte for byte.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../service/access/caller.ts';
import { authenticate, unauthenticated } from '../service/access/keys.ts';
import { authenticateSession } from '../service/access/sessions.ts';
import { authenticateEntry, isEntryTicket } from '../service/access/tickets.ts';
import type { Context } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import { createLimiter } from './rate-limit.ts';

/** Wrong keys that one address may present: a person's mistakes, not a search. */
const WRONG_KEYS = { perMinute: 20, burst: 100 };

/** The header that a page must set for its cookie to count: no other site can make a browser send it. */
export const SESSION_HEADER = 'x-sluice-session';

export interface Auth {
  /** The caller whom the headers prove, if any. Nothing is held against a wrong key here. */
  known(headers: IncomingHttpHeaders): Promise<Caller | undefined>;
  caller(request: { headers: IncomingHttpHeaders; ip: string }): Promise<Caller>;
  /** Who opens a session: where others give a key, the ticket of a one-time link counts too. */
  visitor(request: { headers: IncomingHttpHeaders; ip: string }): Promise<Caller>;
}

export function createAuth(context: Context, options: { cookie: string; limited: boolean }): Auth {
  const wrongKeys = options.limited ? createLimiter(WRONG_KEYS, () => context.clock.now()) : undefined;

  function countWrongKey(address: string): void {
    const tries = wrongKeys?.take(address);
    if (tries?.allowed !== false) return;
    throw new ServiceError('resource_exhausted', 'Too many wrong keys came from this address.', {
      retryAfter: tries.retryAfter,
    });
  }

  async function counting(address: string, calling: Promise<Caller>): Promise<Caller> {
    try {
      return await calling;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthenticated') countWrongKey(address);
      throw error;
    }
  }

  async function proven(headers: IncomingHttpHeaders): Promise<Caller> {
    const key = bearerKey(headers.authorization);
    if (key !== undefined) return authenticate(context, key);
    const token = headers.authorization === undefined ? sessionToken(headers, options.cookie) : undefined;
    if (token === undefined) throw unauthenticated();
    return authenticateSession(context, token);
  }

  const caller: Auth['caller'] = ({ headers, ip }) => {
    const calling = proven(headers);
    return bearerKey(headers.authorization) === undefined ? calling : counting(ip, calling);
  };

  return {
    known: (headers) => proven(headers).catch(() => undefined),
    caller,
    async visitor(request) {
      const key = bearerKey(request.headers.authorization);
      if (key === undefined || !isEntryTicket(key)) return caller(request);
      return counting(request.ip, authenticateEntry(context, key));
    },
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
