/**
 * Tickets for streams: a browser cannot send a key with an event stream, so it asks for a ticket first. A ticket is
 * good for one connection, for a minute.
 */
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import { callerWithTicket, createTickets, type Tickets } from './access/tickets.ts';
import type { Context } from './context.ts';
import { type Caller, operation } from './operations/operation.ts';
import { time } from './shapes.ts';

const GOOD_FOR = 60_000;

export const createStreamTickets = (store: Store, clock: Clock): Tickets =>
  createTickets(store, clock, { goodFor: GOOD_FOR, kind: 'stream' });

export const authenticateTicket = (context: Context, ticket: string): Promise<Caller> =>
  callerWithTicket(context, context.streamTickets, ticket);

export const createStreamTicket = operation({
  name: 'createStreamTicket',
  summary: 'Get a ticket for the stream',
  description:
    'For browsers, which cannot send a key with an event stream: `GET /matches/stream?ticket=…` within a minute, once. For another connection ask for another ticket, and give the last event id as `cursor`.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ streamTickets }, caller) {
    const { ticket, endsAt } = await streamTickets.open(caller);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});
