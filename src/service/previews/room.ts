/** The parts of the service that the operations that try a rule without creating it work with. */
import type { Context } from '../context.ts';
import { computedIn, operationIn } from '../perform/operation.ts';

export type PreviewsRoom = Pick<
  Context,
  'platforms' | 'languages' | 'clock' | 'store' | 'settings' | 'history' | 'rehearsals' | 'matching' | 'compute'
>;

export const operation = operationIn<PreviewsRoom>();
export const computed = computedIn<PreviewsRoom>();
