/**
 * What follows the time in the id of a match: its rank, and a key. The key of the event does, which is stored once for all its
 * matches, so new matches have an empty tail. Matches of events that were stored before them, and older ones, have a tail of their own.
 */
import type { Platform } from '../../domain/platform.ts';
import { eventKey, tailAt } from '../order.ts';
import { digits } from '../rows/sql-matches.ts';
import type { Position } from '../store.ts';

/** Of the match `m` of the event `e`. */
export const TAIL = `CASE m.tail WHEN '' THEN ${digits('m.position % 4096', 3)} || e.key ELSE m.tail END`;

/** The tail to be stored. An event that was there before may have no key. */
export const storedTail = (isOfNewEvent: boolean, position: Position, platform: Platform, postId: string): string =>
  isOfNewEvent ? '' : tailAt(position, eventKey(platform, postId));
