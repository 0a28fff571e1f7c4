/** Going through the recent events is the heaviest thing a caller can ask for, so accounts take turns. */
import { QueueFullError } from '../../base/fair-queue.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';

export async function inTurn<T>({ heavyWork }: Context, accountId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await heavyWork.run(accountId, work);
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new ServiceError(
      'resource_exhausted',
      'Two requests of this account that go through the recent events are waiting already. Send this one again when one of them was answered.',
      { retryAfter: 5 },
    );
  }
}
