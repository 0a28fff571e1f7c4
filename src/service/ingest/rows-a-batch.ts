/**
 * How many rows a transaction of events may have. A change of a rule waits for the transaction under way: while rules change,
 * transactions are short. Otherwise they are long, because each one waits for the disk and writes the pages that it shares
 * with the next one.
 */
import type { Clock } from '../../base/clock.ts';
import { MAX_ROWS } from './batch-queue.ts';

export const ROWS_WHILE_RULES_CHANGE = 250;
/** Transactions stay short for this many milliseconds after a rule has changed: its writer often changes another. */
export const SHORT_FOR_MS = 5_000;

/** `ruleChanges` answers how often a rule has changed. */
export function rowsABatch(clock: Clock, ruleChanges: () => number): () => number {
  let seen = ruleChanges();
  let shortUntil = -Infinity;
  return () => {
    const changes = ruleChanges();
    if (changes !== seen) shortUntil = clock.elapsed() + SHORT_FOR_MS;
    seen = changes;
    return clock.elapsed() < shortUntil ? ROWS_WHILE_RULES_CHANGE : MAX_ROWS;
  };
}
