/** Ids like X's: 19 digits that grow. */
import type { Clock } from '../src/base/clock.ts';

/** The upper bits of X's ids are the milliseconds since this time. */
const FIRST = 1_288_834_974_657;

export function createIds(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const id = BigInt(Math.max(0, clock.now().getTime() - FIRST)) << 22n;
    last = id > last ? id : last + 1n;
    return String(last);
  };
}
