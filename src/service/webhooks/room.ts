/** The parts of the service that the operations on webhooks and deliveries work with. */
import type { Context } from '../context.ts';
import { computedIn, operationIn } from '../perform/operation.ts';

export type WebhooksRoom = Pick<
  Context,
  | 'store'
  | 'reader'
  | 'cursors'
  | 'clock'
  | 'send'
  | 'seal'
  | 'settings'
  | 'dispatcher'
  | 'live'
  | 'mail'
  | 'locks'
  | 'encode'
  | 'deliveryLimits'
  | 'matchSignals'
  | 'operatorSources'
>;

export const operation = operationIn<WebhooksRoom>();
export const computed = computedIn<WebhooksRoom>();
