/** The parts of the service that the operations on subscriptions and grants of agents work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type AgentsRoom = Pick<
  Context,
  | 'locks'
  | 'store'
  | 'clock'
  | 'dispatcher'
  | 'noticeEvents'
  | 'challenges'
  | 'cursors'
  | 'seal'
  | 'deliveryLimits'
  | 'send'
  | 'settings'
  | 'oauth'
>;

export const operation = operationIn<AgentsRoom>();
