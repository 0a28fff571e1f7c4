/** Going through the recent events is the heaviest thing a caller can ask for, so accounts take turns. */
import { QueueFullError } from '../../base/fair-queue.ts';
import type { Context } from '../context.ts';
import { limitReached } from '../limits.ts';

export async function inTurn<T>(
  { heavyWork }: Pick<Context, 'heavyWork'>,
  accountId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await heavyWork.run(accountId, work);
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw limitReached(
      'previews_waiting',
      'Two requests of this account that go through the recent events are waiting already, which is the limit.',
      { retryAfter: 5 },
    );
  }
}
