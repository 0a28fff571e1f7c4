/** Ids in the upstreams' own shapes: 19 digits that grow, and UUIDs. */
import type { Clock } from '../src/base/clock.ts';

/** X's ids begin with the milliseconds since its first one. */
const FIRST = 1_288_834_974_657;

export function createIds(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const id = BigInt(Math.max(0, clock.now().getTime() - FIRST)) << 22n;
    last = id > last ? id : last + 1n;
    return String(last);
  };
}
