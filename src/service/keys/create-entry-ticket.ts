/** Create Entry Ticket: a link that signs a browser in, without the key in it. */
import { z } from 'zod';
import { SOON_MS } from '../access/tickets.ts';
import { ServiceError } from '../errors.ts';
import { time } from '../shapes.ts';
import { operation } from './room.ts';

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
