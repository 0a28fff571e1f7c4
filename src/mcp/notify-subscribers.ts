/** Tells which rules have new matches, for clients that subscribed to them. */

import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { waitForMatches } from '../service/matches/wait-for-matches.ts';
import { matchesUri } from './resources.ts';

const AT_ONCE = 200;
const WAIT_MS = 50_000;

/** The cursor of the newest match: following begins after it. */
export async function beginFollowing(context: Context, caller: Caller, signal: AbortSignal): Promise<string> {
  return (await waitForMatches(context, caller, { limit: 1, milliseconds: 0 }, signal)).cursor;
}

/** Runs until the signal aborts, or the key is revoked. The account's own rules are all that it can speak of. */
export async function followMatches(
  context: Context,
  caller: Caller,
  from: string,
  signal: AbortSignal,
  tell: (uri: string) => void,
): Promise<void> {
  for (let cursor = from; !signal.aborted; ) {
    const waited = await waitForMatches(context, caller, { cursor, limit: AT_ONCE, milliseconds: WAIT_MS }, signal);
    cursor = waited.cursor;
    for (const ruleId of new Set(waited.matches.map((match) => match.ruleId))) tell(matchesUri(ruleId));
  }
}
