/** The parts of the service that Status and the demo switch work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type StatusRoom = Pick<
  Context,
  | 'store'
  | 'clock'
  | 'settings'
  | 'live'
  | 'deliveryLimits'
  | 'matchSignals'
  | 'pushedBytes'
  | 'quotas'
  | 'ingest'
  | 'matching'
  | 'platforms'
  | 'readiness'
  | 'nodes'
  | 'sources'
  | 'coverage'
  | 'traffic'
  | 'upstreams'
  | 'registrations'
  | 'budgets'
  | 'demo'
  | 'log'
  | 'feeds'
  | 'judge'
>;

export const operation = operationIn<StatusRoom>();
