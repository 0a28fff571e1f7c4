/**
 * How often each term turns up, whether or not a rule uses it yet: one small counter for each hash. Counts are halved now and
 * then, so that the past fades.
 */
import { COUNTED, COUNTS, SKIPPED, scratch } from './memory';

const COUNTERS: u32 = 1 << 17;
/** Halving at this many events keeps every counter within 16 bits. */
const FADE_AT: u32 = 60000;
/** After so many events it is enough to count one in `ONE_IN`. */
const CLEAR_AT: u32 = 4096;
const ONE_IN: u32 = 16;

/** Whether this event is one to count. */
export function isCounted(): bool {
  if (load<u32>(COUNTED) >= CLEAR_AT) {
    const skipped = load<u32>(scratch, SKIPPED) + 1;
    store<u32>(scratch, skipped < ONE_IN ? skipped : 0, SKIPPED);
    if (skipped < ONE_IN) return false;
  }
  const counted = load<u32>(COUNTED) + 1;
  store<u32>(COUNTED, counted);
  if (counted >= FADE_AT) fade();
  return true;
}

// @inline
export function countWord(hash: u32): void {
  const at = COUNTS + ((hash & (COUNTERS - 1)) << 1);
  const count = load<u16>(at);
  if (count < 0xffff) store<u16>(at, count + 1);
}

export function countAt(hash: u32): u32 {
  return load<u16>(COUNTS + ((hash & (COUNTERS - 1)) << 1));
}

function fade(): void {
  for (let at = COUNTS; at < COUNTS + (COUNTERS << 1); at += 2) store<u16>(at, load<u16>(at) >> 1);
  store<u32>(COUNTED, load<u32>(COUNTED) >> 1);
}
