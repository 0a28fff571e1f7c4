/** The parts of the service that the operations that learn from ratings and examples work with. */
import type { Context } from '../context.ts';
import { computedIn } from '../perform/operation.ts';

export type SuggestionsRoom = Pick<
  Context,
  'store' | 'clock' | 'languages' | 'platforms' | 'settings' | 'reader' | 'relevance'
>;

export const computed = computedIn<SuggestionsRoom>();
