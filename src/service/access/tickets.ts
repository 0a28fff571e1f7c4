/**
 * Tickets: secrets that stand for a key once, for a short time, where a key cannot be sent. The store has their digests, so
 * every node accepts them. A ticket is never valid for longer than its key.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { DEFAULT_ACCOUNT } from '../../domain/account.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from './caller.ts';
import { type AccessDeps, callerOf, unauthenticated } from './keys.ts';
import { SESSION_PREFIX, sessionWorks } from './sessions.ts';

interface TicketOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** The digest of the session that the ticket was made in. What the ticket opens ends with it. */
  readonly session: string | undefined;
}

interface OpenedTicket {
  readonly ticket: string;
  readonly endsAt: Date;
}

export interface Tickets {
  /** Without `goodFor`, the ticket lasts as long as others of its kind. */
  open(caller: Caller, goodFor?: number): Promise<OpenedTicket>;
  /** Returns the owner of the ticket and uses the ticket up. */
  use(ticket: string): Promise<TicketOwner | undefined>;
}

type Passes = Pick<Store, 'addPass' | 'pass' | 'takePass'>;

function createTickets(store: Passes, clock: Clock, { usual, kind }: { usual: number; kind: string }): Tickets {
  /** A ticket of one kind is not accepted as another. */
  const digestOf = (ticket: string): string => `${kind} ${hash('sha256', ticket)}`;
  return {
    async open({ account, key, session }, goodFor = usual) {
      const ticket = `${kind}_${randomBytes(32).toString('base64url')}${suffixOf(session)}`;
      const now = clock.now();
      const endsAt = new Date(now.getTime() + goodFor);
      await store.addPass({ digest: digestOf(ticket), accountId: account.id, keyId: key.id, endsAt, usedAt: now });
      return { ticket, endsAt };
    },
    async use(ticket) {
      const [digest, now] = [digestOf(ticket), clock.now()];
      // Reading first keeps guesses away from the one thread that writes.
      const taken = (await store.pass(digest, now)) && (await store.takePass(digest, now));
      // The digest covers all of the ticket, so nobody can name another session.
      return taken && { accountId: taken.accountId, keyId: taken.keyId, session: sessionIn(ticket) };
    },
  };
}

/** A ticket that was made in a session ends with the session's digest. */
const suffixOf = (session: string | undefined): string =>
  session === undefined ? '' : `.${session.slice(SESSION_PREFIX.length)}`;

function sessionIn(ticket: string): string | undefined {
  const digest = ticket.split('.', 2)[1];
  return digest === undefined ? undefined : SESSION_PREFIX + digest;
}

/** The caller of this ticket. A bad ticket gets the same answer as a bad key. */
async function callerWithTicket(context: AccessDeps, tickets: Tickets, ticket: string): Promise<Caller> {
  const found = await tickets.use(ticket);
  if (found === undefined) throw unauthenticated();
  const { session } = found;
  if (session !== undefined && !(await sessionWorks(context.store, session, context.clock.now())))
    throw unauthenticated();
  const keys = await context.store.keys(found.accountId);
  const caller = await callerOf(
    context,
    keys.find((key) => key.id === found.keyId),
  );
  return session === undefined ? caller : { ...caller, session };
}

const STREAM = { kind: 'stream', usual: 60_000 };

/** A browser cannot send a key with an event stream, so it gets a ticket first: for one connection, within a minute. */
export const createStreamTickets = (store: Store, clock: Clock): Tickets => createTickets(store, clock, STREAM);

export const authenticateTicket = (
  context: AccessDeps & { readonly streamTickets: Tickets },
  ticket: string,
): Promise<Caller> => callerWithTicket(context, context.streamTickets, ticket);

const ENTRY = { kind: 'enter', usual: 15 * 60_000 };

/** A link with such a ticket opens a console session without a key, once. One that the server prints lasts 15 minutes. */
export const createEntryTickets = (store: Store, clock: Clock): Tickets => createTickets(store, clock, ENTRY);

/** For a link that the program that asks for it opens, or prints for a person who waits for it. */
export const SOON_MS = 60_000;

type EntryDeps = AccessDeps & { readonly entryTickets: Tickets };

/** No generated key starts like this. A key of the operator that does would be taken for a ticket. */
export const isEntryTicket = (secret: string): boolean => secret.startsWith(`${ENTRY.kind}_`);

export const authenticateEntry = (context: EntryDeps, ticket: string): Promise<Caller> =>
  callerWithTicket(context, context.entryTickets, ticket);

/** A ticket for the operator; undefined if there is no key for it to stand for. */
export async function operatorTicket(
  { store, clock, entryTickets }: Pick<EntryDeps, 'store' | 'clock' | 'entryTickets'>,
  goodFor?: number,
): Promise<OpenedTicket | undefined> {
  const account = await store.account(DEFAULT_ACCOUNT);
  if (account === undefined) return undefined;
  const now = clock.now();
  const keys = await store.keys(account.id);
  const key = keys.find(({ scope, expiresAt }) => scope === 'full' && (expiresAt === undefined || expiresAt > now));
  return key && entryTickets.open({ account, key }, goodFor);
}
