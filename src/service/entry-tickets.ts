/** Tickets for the console: a link with one in it opens a session without a key, once, within a few minutes. */
import type { Clock } from '../base/clock.ts';
import { DEFAULT_ACCOUNT } from '../domain/account.ts';
import type { Store } from '../store/store.ts';
import { callerWithTicket, createTickets, type Tickets } from './access/tickets.ts';
import type { Context } from './context.ts';
import type { Caller } from './operations/operation.ts';

const KIND = 'enter';
const GOOD_FOR = 15 * 60_000;

export const createEntryTickets = (store: Store, clock: Clock): Tickets =>
  createTickets(store, clock, { goodFor: GOOD_FOR, kind: KIND });

/** No key is made that begins like this; one that the operator chose would be taken for a ticket. */
export const isEntryTicket = (secret: string): boolean => secret.startsWith(`${KIND}_`);

export const authenticateEntry = (context: Context, ticket: string): Promise<Caller> =>
  callerWithTicket(context, context.entryTickets, ticket);

/** A ticket for the operator; undefined when there is no key that it could stand for. */
export async function operatorTicket({ store, clock, entryTickets }: Context): Promise<string | undefined> {
  const account = await store.account(DEFAULT_ACCOUNT);
  if (account === undefined) return undefined;
  const now = clock.now();
  const keys = await store.keys(account.id);
  const key = keys.find(({ scope, expiresAt }) => scope === 'full' && (expiresAt === undefined || expiresAt > now));
  return key && (await entryTickets.open({ account, key })).ticket;
}
