/** Create Stream Ticket: lets a browser open the stream, because it cannot send a key with it. */
import { z } from 'zod';
import { time } from '../shapes.ts';
import { operation } from './room.ts';

export const createStreamTicket = operation({
  name: 'createStreamTicket',
  summary: 'Get a ticket for the stream',
  description:
    'For browsers, which cannot send a key with an event stream: call `GET /matches/stream?ticket=…` within a minute. A ticket works once. To reconnect, get a new ticket and send the last event id as `cursor`.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ streamTickets }, caller) {
    const { ticket, endsAt } = await streamTickets.open(caller);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});
