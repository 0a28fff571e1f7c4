/** The parts of the service that the operations on sources work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type SourcesRoom = Pick<
  Context,
  'store' | 'clock' | 'seal' | 'settings' | 'locks' | 'platforms' | 'visits' | 'sources' | 'operatorSources' | 'cpuUse'
>;

export const operation = operationIn<SourcesRoom>();
