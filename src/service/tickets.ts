/**
 * Tickets: secrets that stand for a key once, for a short while, where the key itself cannot go. They live in memory,
 * and none is good for longer than its key.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Context } from './context.ts';
import { callerOf, unauthenticated } from './keys.ts';
import type { Caller } from './operation.ts';

/** The oldest go first when there are more. */
const MAX_TICKETS = 10_000;

interface Ticket {
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: number;
}

export interface Tickets {
  open(caller: Caller): { readonly ticket: string; readonly endsAt: Date };
  /** Whose it was; it is worth nothing afterwards. */
  use(ticket: string): Pick<Ticket, 'accountId' | 'keyId'> | undefined;
}

export function createTickets(clock: Clock, { goodFor, prefix = '' }: { goodFor: number; prefix?: string }): Tickets {
  const tickets = new Map<string, Ticket>();
  const nameOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');
  return {
    open({ account, key }) {
      const ticket = prefix + randomBytes(32).toString('base64url');
      const endsAt = clock.now().getTime() + goodFor;
      if (tickets.size >= MAX_TICKETS) tickets.delete(tickets.keys().next().value!);
      tickets.set(nameOf(ticket), { accountId: account.id, keyId: key.id, endsAt });
      return { ticket, endsAt: new Date(endsAt) };
    },
    use(ticket) {
      const name = nameOf(ticket);
      const found = tickets.get(name);
      tickets.delete(name);
      return found !== undefined && clock.now().getTime() < found.endsAt ? found : undefined;
    },
  };
}

/** Who calls with this ticket; the answer to a bad one is that to a bad key. */
export async function callerWithTicket(context: Context, tickets: Tickets, ticket: string): Promise<Caller> {
  const found = tickets.use(ticket);
  if (found === undefined) throw unauthenticated();
  const keys = await context.store.keys(found.accountId);
  return callerOf(
    context,
    keys.find((key) => key.id === found.keyId),
  );
}
