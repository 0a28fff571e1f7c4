/** The parts of the service that the operations on matches, stories and events work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type MatchesRoom = Pick<
  Context,
  | 'clock'
  | 'coverage'
  | 'store'
  | 'signer'
  | 'matching'
  | 'reader'
  | 'relevance'
  | 'cursors'
  | 'settings'
  | 'matchPages'
  | 'live'
  | 'nodes'
  | 'matchSignals'
  | 'wakeChains'
  | 'feeds'
  | 'deliveryLimits'
>;

export const operation = operationIn<MatchesRoom>();
