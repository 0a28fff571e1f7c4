/** Create Session: signs the console in. */
import { z } from 'zod';
import { SOON_MS } from '../access/tickets.ts';
import { ServiceError } from '../errors.ts';
import { time } from '../shapes.ts';
import { operation } from './room.ts';

export const createSession = operation({
  name: 'createSession',
  summary: 'Open a console session',
  description:
    'Returns a token that stands for the calling key. The console keeps it in a cookie. The session ends after twelve hours, after one idle hour, or when the key stops working.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ session: z.string(), expires_at: time }),
  example: {
    input: {},
    output: { session: 'q0WmZ3…', expires_at: '2026-11-15T20:30:00.123Z' },
  },
  async run({ sessions }, caller) {
    const { token, endsAt } = await sessions.open(caller);
    return { session: token, expires_at: endsAt.toISOString() };
  },
});

/** Create Stream Ticket: lets a browser open the stream, because it cannot send a key with it. */
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

/** Create Entry Ticket: a link that signs a browser in, without the key in it. */
export const createEntryTicket = operation({
  name: 'createEntryTicket',
  summary: 'Get a one-time link to the console',
  description:
    'Open `/#/enter?ticket=…` of this server in a browser within a minute: it is signed in as the calling key, with the same rights. A ticket works once. `sluice open` does both. A session of the console cannot get one: it would never end.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ ticket: z.string(), expires_at: time }),
  example: { input: {}, output: { ticket: 'enter_b7Qm2…', expires_at: '2026-11-15T08:31:00.123Z' } },
  async run({ entryTickets }, caller) {
    if (caller.session !== undefined)
      throw new ServiceError(
        'permission_denied',
        'A session cannot make a link that opens another one. Use an API key.',
      );
    const { ticket, endsAt } = await entryTickets.open(caller, SOON_MS);
    return { ticket, expires_at: endsAt.toISOString() };
  },
});
