/**
 * What follows the time in the id of a match: its rank, and a key. The end of the rule's id does, which is random and stored once for all
 * matches of the rule, so new matches have an empty tail. Older ones have a tail of their own.
 */
import { digits } from '../rows/sql-matches.ts';

/** Of the match `m` of the rule `r`. */
export const TAIL = `CASE m.tail WHEN '' THEN ${digits('m.position % 4096', 3)} || substr('${'0'.repeat(16)}' || r.id, -16) ELSE m.tail END`;
