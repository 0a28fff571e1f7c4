/** The parts of the service that Push Events works with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type EventsRoom = Pick<
  Context,
  'clock' | 'ingest' | 'platforms' | 'pushedBytes' | 'feeds' | 'quotas' | 'accountUses' | 'cpuUse'
>;

export const operation = operationIn<EventsRoom>();
