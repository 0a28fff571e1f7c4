/** Admission to an operation: finds the caller, takes the request's cost from the limits, and checks the key's scope. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountLimit } from '../domain/account.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Payer } from '../service/access/cpu-use.ts';
import type { AccountUses } from '../service/accounts/account-uses.ts';
import type { ServiceError } from '../service/errors.ts';
import { type AccountLimits, limitOf, limitReached } from '../service/limits.ts';
import type { Operation } from '../service/perform/operation.ts';
import { allow } from '../service/perform/perform.ts';
import { type Auth, createAuth, type SessionCookie, sessionCookie } from './auth.ts';
import type { HttpAppOptions } from './options.ts';
import { createLimiter, type Limiter, type Policy, requestPolicy, type Taken } from './rate-limit.ts';

export interface Admission {
  readonly auth: Auth;
  readonly limits: RequestLimits;
  readonly uses: Pick<AccountUses, 'add'>;
  readonly cookie: SessionCookie;
}

export function createAdmission({ context, rateLimit, accountRateLimit, publicUrl }: HttpAppOptions): Admission {
  const cookie = sessionCookie(publicUrl);
  const limits = createRequestLimits({
    limits: { ...context.settings.limits, requestsPerKey: rateLimit, requestsPerAccount: accountRateLimit },
    now: () => context.clock.now(),
    sharers: () => context.nodes.presence.apis,
    support: context.settings.support,
  });
  context.cpuUse.listen(({ account, key }, milliseconds, by) => {
    limits.chargeCpu({ account }, milliseconds);
    if (by === 'log') return;
    if (by === 'turn' && key !== undefined) limits.charge({ account, key }, milliseconds);
    context.accountUses.add(account.id, { cpu_ms: milliseconds, turns: by === 'turn' ? 1 : 0 });
  });
  return {
    auth: createAuth(context, { cookie: cookie.name, limited: rateLimit !== undefined }),
    limits,
    uses: context.accountUses,
    cookie,
  };
}

/** The caller. Throws when the key is wrong, a limit is reached, or the scope does not allow the operation. */
export async function admit(
  { auth, limits, uses }: Admission,
  { cost, ...operation }: Pick<Operation, 'access' | 'grants'> & { readonly cost: number },
  request: FastifyRequest,
  reply: FastifyReply,
  calling = auth.caller(request),
): Promise<Caller> {
  const caller = await calling;
  uses.add(caller.account.id, { requests: 1 });
  limits.take(caller, cost, reply);
  allow(operation, caller);
  return caller;
}

/** How many requests a key and its account may make. Each request takes its cost from the key's bucket and the account's. */
interface RequestLimits {
  /** Sets the headers that say what is left; throws `resource_exhausted` when that is not enough. */
  take(caller: Caller, cost: number, reply: { headers(values: Record<string, string>): unknown }): void;
  /** Takes for CPU time that compute threads have spent on the caller, beyond the request that it came with. */
  charge(caller: Required<Payer>, milliseconds: number): void;
  /** Takes CPU time from what the account may use of it in a minute. */
  chargeCpu(payer: Pick<Payer, 'account'>, milliseconds: number): void;
}

/** CPU time that counts as one request. */
const REQUEST_CPU_MS = 25;

interface LimitOptions {
  /** The limits of the installation. An account may have its own. */
  readonly limits: AccountLimits;
  readonly now: () => Date;
  /** Processes that divide the limits among them. */
  readonly sharers: () => number;
  /** The contact for a caller who needs more; empty when there is none. */
  readonly support: string;
}

type Side = 'key' | 'account';

/** The limit and what is left of it. */
interface Used {
  readonly policy: Policy;
  readonly taken: Taken | undefined;
}

export function createRequestLimits({ limits, now, sharers, support }: LimitOptions): RequestLimits {
  const limiter = (): Limiter => createLimiter(requestPolicy(1), now, sharers);
  const [keys, accounts, cpu] = [limiter(), limiter(), limiter()];
  const policies = (account: Payer['account']) => policiesOf(limits, account);

  return {
    take(caller, cost, reply) {
      const { key, account } = caller;
      const { ofKey, ofAccount, ofCpu } = policies(caller.account);
      const spent = ofCpu && cpu.take(account.id, 0, ofCpu);
      if (ofCpu !== undefined && spent?.allowed === false) throw tooMuchCpu(ofCpu, spent, support);
      if (ofKey === undefined && ofAccount === undefined) return;
      const byKey = ofKey && { policy: ofKey, taken: keys.take(key.id, cost, ofKey) };
      // A request that the key's bucket refuses costs the account nothing.
      const isRefused = byKey?.taken.allowed === false;
      const taken = ofAccount && !isRefused ? accounts.take(account.id, cost, ofAccount) : undefined;
      const byAccount = ofAccount && { policy: ofAccount, taken };
      if (taken?.allowed === false) keys.giveBack(key.id, cost);
      reply.headers(limitHeaders(byKey, byAccount));
      if (isRefused) throw tooMany('key', byKey.policy, byKey.taken, cost, support);
      if (taken?.allowed === false) throw tooMany('account', ofAccount!, taken, cost, support);
    },
    charge(caller, milliseconds) {
      const cost = Math.max(0, milliseconds / REQUEST_CPU_MS - 1);
      const { ofKey, ofAccount } = policies(caller.account);
      if (ofKey !== undefined) keys.charge(caller.key.id, cost, ofKey);
      if (ofAccount !== undefined) accounts.charge(caller.account.id, cost, ofAccount);
    },
    chargeCpu({ account }, milliseconds) {
      const { ofCpu } = policies(account);
      if (ofCpu !== undefined) cpu.charge(account.id, milliseconds, ofCpu);
    },
  };
}

/** An undefined policy is no limit. */
function policiesOf(limits: AccountLimits, account: Payer['account']) {
  const policyOf = (code: AccountLimit, policy: (perMinute: number) => Policy): Policy | undefined => {
    const perMinute = limitOf(limits, account, code);
    return perMinute === undefined ? undefined : policy(perMinute);
  };
  return {
    ofKey: policyOf('requests_per_key', requestPolicy),
    ofAccount: policyOf('requests_per_account', requestPolicy),
    ofCpu: policyOf('cpu_ms_per_minute', (perMinute) => ({ perMinute, burst: perMinute })),
  };
}

/** The two fields of the IETF draft: the policies, and what is left of them. */
function limitHeaders(byKey: Used | undefined, byAccount: Used | undefined): Record<string, string> {
  const policies = [
    ...(byKey === undefined ? [] : policyItems(byKey.policy, 'requests', 'burst')),
    ...(byAccount === undefined ? [] : policyItems(byAccount.policy, 'account', 'account-burst')),
  ];
  const left = [
    ...(byKey?.taken === undefined ? [] : [leftItem('burst', byKey.taken)]),
    ...(byAccount?.taken === undefined ? [] : [leftItem('account-burst', byAccount.taken)]),
  ];
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

const policyItems = ({ perMinute, burst }: Policy, minute: string, atOnce: string): string[] => [
  `"${minute}";q=${perMinute};w=60`,
  `"${atOnce}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`,
];

const leftItem = (name: string, { remaining, reset }: Taken): string => `"${name}";r=${remaining};t=${reset}`;

function tooMany(
  side: Side,
  { perMinute }: Policy,
  { retryAfter }: Taken,
  cost: number,
  support: string,
): ServiceError {
  const who = side === 'key' ? 'This key' : 'The keys of this account together';
  const counts = cost === 1 ? '' : ` This one counts as ${cost}.`;
  return limitReached(
    side === 'key' ? 'requests_per_key' : 'requests_per_account',
    `${who} may make ${perMinute} requests a minute.${counts}`,
    { support, details: { limit: side, per_minute: perMinute, cost }, retryAfter },
  );
}

const tooMuchCpu = ({ perMinute }: Policy, { retryAfter, reset }: Taken, support: string): ServiceError =>
  limitReached(
    'cpu_ms_per_minute',
    `Requests of this account may take ${perMinute} ms of CPU a minute, and have taken more.`,
    { support, details: { limit: perMinute, used: Math.round((reset * perMinute) / 60) }, retryAfter },
  );

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
