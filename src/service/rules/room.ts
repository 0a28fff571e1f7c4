/** The parts of the service that the operations on rules work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type RulesRoom = Pick<
  Context,
  | 'clock'
  | 'store'
  | 'matching'
  | 'nodes'
  | 'log'
  | 'locks'
  | 'registrations'
  | 'watcher'
  | 'live'
  | 'notify'
  | 'platforms'
  | 'budgets'
  | 'settings'
  | 'languages'
  | 'compute'
  | 'deadTexts'
  | 'operatorSources'
>;

export const operation = operationIn<RulesRoom>();
