/**
 * Tickets for streams: a browser cannot send a key with an event stream, so it asks for a ticket first. A ticket is
 * good for one connection, for a minute, and no longer than its key.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Context } from './context.ts';
import { callerOf, unauthenticated } from './keys.ts';
import { type Caller, operation } from './operation.ts';
import { time } from './shapes.ts';

const GOOD_FOR = 60_000;
/** The oldest go first when there are more. */
const MAX_TICKETS = 10_000;

interface Ticket {
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: number;
}

export interface StreamTickets {
  open(caller: Caller): { readonly ticket: string; readonly endsAt: Date };
  /** Whose it was; it is worth nothing afterwards. */
  use(ticket: string): Pick<Ticket, 'accountId' | 'keyId'> | undefined;
}

export function createStreamTickets(clock: Clock): StreamTickets {
  const tickets = new Map<string, Ticket>();
  const nameOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');
  return {
    open({ account, key }) {
      const ticket = randomBytes(32).toString('base64url');
      const endsAt = clock.now().getTime() + GOOD_FOR;
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
export async function authenticateTicket(context: Context, ticket: string): Promise<Caller> {
  const found = context.tickets.use(ticket);
  if (found === undefined) throw unauthenticated();
  const keys = await context.store.keys(found.accountId);
  return callerOf(
    context,
    keys.find((key) => key.id === found.keyId),
  );
}

export const createStreamTicket = operation({
  name: 'createStreamTicket',
  summary: 'Get a ticket for the stream',
  description:
    'For browsers, which cannot send a key with an event stream: `GET /matches/stream?ticket=…` within a minute, once. For another connection ask for another ticket, and give the last event id as `cursor`.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ tickets }, caller) {
    const { ticket, endsAt } = tickets.open(caller);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});
