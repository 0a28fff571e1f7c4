/** The parts of the service that the operations on keys, sessions, tickets and the list of changes work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type KeysRoom = Pick<
  Context,
  'store' | 'clock' | 'sessions' | 'streamTickets' | 'entryTickets' | 'live' | 'matchSignals' | 'cursors'
>;

export const operation = operationIn<KeysRoom>();
