/** The parts of the service that the operations on matches, stories and events work with. */
import type { Context, ReadContext } from '../context.ts';
import { computedIn, operationIn } from '../perform/operation.ts';

export type MatchesRoom = Pick<
  Context,
  | keyof ReadContext
  | 'compute'
  | 'cpuUse'
  | 'coverage'
  | 'signer'
  | 'headNotices'
  | 'matchPages'
  | 'live'
  | 'nodes'
  | 'matchSignals'
  | 'wakeChains'
  | 'toldPlaces'
  | 'feeds'
  | 'deliveryLimits'
>;

export const operation = operationIn<MatchesRoom>();
export const computed = computedIn<MatchesRoom>();
