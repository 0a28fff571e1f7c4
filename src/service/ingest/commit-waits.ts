/** How long the commit that has waited longest has waited: in the queue, for the lock, and for the disk. */
import type { Clock } from '../../base/clock.ts';

export interface CommitWaits {
  /** Something begins to wait; the answer is called when it is stored, or has failed. */
  begin(): () => void;
  /** Milliseconds; 0 when nothing waits. */
  readonly longest: number;
}

export function createCommitWaits(clock: Clock): CommitWaits {
  /** In the order in which they began. */
  const waiting = new Map<object, number>();
  return {
    begin() {
      const one = {};
      waiting.set(one, clock.elapsed());
      return () => void waiting.delete(one);
    },
    get longest() {
      const [oldest] = waiting.values();
      return oldest === undefined ? 0 : clock.elapsed() - oldest;
    },
  };
}
