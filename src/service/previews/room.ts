/** The parts of the service that the operations that try a rule without creating it work with. */
import type { Context } from '../context.ts';
import { operationIn } from '../perform/operation.ts';

export type PreviewsRoom = Pick<
  Context,
  'platforms' | 'languages' | 'clock' | 'store' | 'settings' | 'history' | 'rehearsals' | 'matching' | 'heavyWork'
>;

export const operation = operationIn<PreviewsRoom>();
