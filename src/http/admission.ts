/** Admission to an operation: finds the caller, takes the request's cost from the limits, and checks the key's scope. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../service/access/caller.ts';
import type { Operation } from '../service/perform/operation.ts';
import { allow } from '../service/perform/perform.ts';
import { type Auth, createAuth } from './auth.ts';
import type { HttpAppOptions } from './options.ts';
import { createRequestLimits, type RequestLimits } from './request-limits.ts';
import { type SessionCookie, sessionCookie } from './session-cookie.ts';

export interface Admission {
  readonly auth: Auth;
  readonly limits: RequestLimits;
  readonly cookie: SessionCookie;
}

export function createAdmission({ context, rateLimit, accountRateLimit, publicUrl }: HttpAppOptions): Admission {
  const cookie = sessionCookie(publicUrl);
  return {
    auth: createAuth(context, { cookie: cookie.name, limited: rateLimit !== undefined }),
    limits: createRequestLimits({
      perKey: rateLimit,
      perAccount: accountRateLimit,
      now: () => context.clock.now(),
      sharers: () => context.nodes.apis,
      support: context.settings.support,
    }),
    cookie,
  };
}

/** The caller. Throws when the key is wrong, a limit is reached, or the scope does not allow the operation. */
export async function admit(
  { auth, limits }: Admission,
  { cost, ...operation }: Pick<Operation, 'access' | 'grants'> & { readonly cost: number },
  request: FastifyRequest,
  reply: FastifyReply,
  calling = auth.caller(request),
): Promise<Caller> {
  const caller = await calling;
  limits.take(caller, cost, reply);
  allow(operation, caller);
  return caller;
}
