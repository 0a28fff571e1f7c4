/**
 * Tickets: secrets that stand for a key once, for a short while, where the key itself cannot go. The store has their
 * digests, so that any node takes them, and none is good for longer than its key.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../operations/operation.ts';
import { callerOf, unauthenticated } from './keys.ts';

export interface Tickets {
  open(caller: Caller): Promise<{ readonly ticket: string; readonly endsAt: Date }>;
  /** Whose it was; it is worth nothing afterwards. */
  use(ticket: string): Promise<{ readonly accountId: string; readonly keyId: string } | undefined>;
}

type Passes = Pick<Store, 'addPass' | 'takePass'>;

export function createTickets(
  store: Passes,
  clock: Clock,
  { goodFor, kind }: { goodFor: number; kind: string },
): Tickets {
  /** A ticket of one kind is worth nothing where another is asked for. */
  const digestOf = (ticket: string): string => `${kind} ${hash('sha256', ticket)}`;
  return {
    async open({ account, key }) {
      const ticket = `${kind}_${randomBytes(32).toString('base64url')}`;
      const now = clock.now();
      const endsAt = new Date(now.getTime() + goodFor);
      await store.addPass({ digest: digestOf(ticket), accountId: account.id, keyId: key.id, endsAt, usedAt: now });
      return { ticket, endsAt };
    },
    use: (ticket) => store.takePass(digestOf(ticket), clock.now()),
  };
}

/** Who calls with this ticket; the answer to a bad one is that to a bad key. */
export async function callerWithTicket(context: Context, tickets: Tickets, ticket: string): Promise<Caller> {
  const found = await tickets.use(ticket);
  if (found === undefined) throw unauthenticated();
  const keys = await context.store.keys(found.accountId);
  return callerOf(
    context,
    keys.find((key) => key.id === found.keyId),
  );
}
