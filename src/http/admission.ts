/** Admission to an operation: finds the caller, takes the request's cost from the limits, and checks the key's scope. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../service/access/caller.ts';
import type { ServiceError } from '../service/errors.ts';
import { limitReached } from '../service/limits.ts';
import type { Operation } from '../service/perform/operation.ts';
import { allow } from '../service/perform/perform.ts';
import { type Auth, createAuth } from './auth.ts';
import type { HttpAppOptions } from './options.ts';
import { createLimiter, type Limiter, requestPolicy, type Taken } from './rate-limit.ts';
import { type SessionCookie, sessionCookie } from './session-cookie.ts';

export interface Admission {
  readonly auth: Auth;
  readonly limits: RequestLimits;
  readonly cookie: SessionCookie;
}

export function createAdmission({ context, rateLimit, accountRateLimit, publicUrl }: HttpAppOptions): Admission {
  const cookie = sessionCookie(publicUrl);
  const limits = createRequestLimits({
    perKey: rateLimit,
    perAccount: accountRateLimit,
    now: () => context.clock.now(),
    sharers: () => context.nodes.apis,
    support: context.settings.support,
  });
  context.cpuUse.listen((caller, milliseconds) => limits.charge(caller, milliseconds));
  return {
    auth: createAuth(context, { cookie: cookie.name, limited: rateLimit !== undefined }),
    limits,
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

/** How many requests a key and its account may make. Each request takes its cost from the key's bucket and the account's. */
interface RequestLimits {
  /** Sets the headers that say what is left; throws `resource_exhausted` when that is not enough. */
  take(caller: Caller, cost: number, reply: { headers(values: Record<string, string>): unknown }): void;
  /** Takes for CPU time that compute threads have spent on the caller, beyond the request that it came with. */
  charge(caller: Caller, milliseconds: number): void;
}

/** CPU time that counts as one request. */
const REQUEST_CPU_MS = 25;

interface LimitOptions {
  /** Requests a minute; undefined when there is no limit. */
  readonly perKey: number | undefined;
  readonly perAccount: number | undefined;
  readonly now: () => Date;
  /** Processes that divide the limits among them. */
  readonly sharers: () => number;
  /** Where a caller asks for more; empty when there is no such place. */
  readonly support: string;
}

type Side = 'key' | 'account';

export function createRequestLimits({ perKey, perAccount, now, sharers, support }: LimitOptions): RequestLimits {
  const limiterOf = (perMinute: number | undefined): Limiter | undefined =>
    perMinute === undefined ? undefined : createLimiter(requestPolicy(perMinute), now, sharers);
  const [keys, accounts] = [limiterOf(perKey), limiterOf(perAccount)];

  return {
    take({ key, account }, cost, reply) {
      if (keys === undefined && accounts === undefined) return;
      const byKey = keys?.take(key.id, cost);
      // A request that the key's bucket refuses costs the account nothing.
      const byAccount = byKey?.allowed === false ? undefined : accounts?.take(account.id, cost);
      if (byAccount?.allowed === false) keys?.giveBack(key.id, cost);
      reply.headers(limitHeaders([keys, byKey], [accounts, byAccount]));
      if (byKey?.allowed === false) throw tooMany('key', keys!, byKey, cost, support);
      if (byAccount?.allowed === false) throw tooMany('account', accounts!, byAccount, cost, support);
    },
    charge({ key, account }, milliseconds) {
      const cost = Math.max(0, milliseconds / REQUEST_CPU_MS - 1);
      keys?.charge(key.id, cost);
      accounts?.charge(account.id, cost);
    },
  };
}

type Used = readonly [Limiter | undefined, Taken | undefined];

/** The two fields of the IETF draft: the policies, and what is left of them. */
function limitHeaders([keys, byKey]: Used, [accounts, byAccount]: Used): Record<string, string> {
  const policies = [
    ...(keys === undefined ? [] : [...policyItems(keys, 'requests', 'burst')]),
    ...(accounts === undefined ? [] : [...policyItems(accounts, 'account', 'account-burst')]),
  ];
  const left = [
    ...(byKey === undefined ? [] : [leftItem('burst', byKey)]),
    ...(byAccount === undefined ? [] : [leftItem('account-burst', byAccount)]),
  ];
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

const policyItems = ({ policy: { perMinute, burst } }: Limiter, minute: string, atOnce: string): string[] => [
  `"${minute}";q=${perMinute};w=60`,
  `"${atOnce}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`,
];

const leftItem = (name: string, { remaining, reset }: Taken): string => `"${name}";r=${remaining};t=${reset}`;

function tooMany(side: Side, { policy }: Limiter, { retryAfter }: Taken, cost: number, support: string): ServiceError {
  const who = side === 'key' ? 'This key' : 'The keys of this account together';
  const counts = cost === 1 ? '' : ` This one counts as ${cost}.`;
  return limitReached(
    side === 'key' ? 'requests_per_key' : 'requests_per_account',
    `${who} may make ${policy.perMinute} requests a minute.${counts}`,
    { support, details: { limit: side, per_minute: policy.perMinute, cost }, retryAfter },
  );
}

/**
 * The requests of one connection. A client may send the next without waiting for an answer, and Node hands over at once all
 * that it has read: a thousand of them fit into one read, and their answers wait until the client takes the first. So a few
 * are worked on at once, and the others wait as they came.
 */
export const MAX_AT_ONCE = 16;
/** Twice as many as a connection is answered: a client that sends more reads none of them, and they take memory. */
export const MAX_WAITING = 2_000;

interface Line {
  open: number;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

export function fewAtOnce(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();

  function begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.open++;
    response.once('close', () => {
      line.open--;
      callNext(line);
    });
    listener(request, response);
  }

  function callNext(line: Line): void {
    while (line.open < MAX_AT_ONCE) {
      const next = line.waiting.shift();
      if (next === undefined) return;
      // Nobody reads the answer any more.
      if (next[0].socket.destroyed) line.waiting.length = 0;
      else begin(line, ...next);
    }
  }

  return (request, response) => {
    const line = lines.get(request.socket) ?? { open: 0, waiting: [] };
    lines.set(request.socket, line);
    if (line.open < MAX_AT_ONCE && line.waiting.length === 0) begin(line, request, response);
    else if (line.waiting.push([request, response]) > MAX_WAITING) request.socket.destroy();
  };
}
