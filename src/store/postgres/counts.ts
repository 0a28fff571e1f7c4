/**
 * What is counted of new matches. The counts are part of the commit's transaction, but are written before its position is
 * known, so that commits do not wait for each other's counts: the time is then a forecast, and is corrected if it was wrong.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { changeStored } from '../nouns/account-use.ts';
import { changeMinutes, minuteOf } from '../nouns/minutes.ts';
import type { Candidate } from './candidates.ts';

export interface MatchCounts {
  readonly time: number;
  readonly rules: readonly number[];
  readonly perRule: readonly { readonly rule: number; readonly account: number; readonly matches: number }[];
}

export async function countMatches(
  db: Db,
  platform: Platform,
  fresh: readonly Candidate[],
  time: number,
): Promise<MatchCounts> {
  // In one order everywhere, so that two transactions never wait for each other.
  const perRule = [...Map.groupBy(fresh, ({ rule }) => rule.number)]
    .toSorted(([one], [other]) => one - other)
    .map(([rule, matches]) => ({
      rule,
      account: matches[0]!.rule.account,
      matches: matches.length,
      bytes: matches.reduce((sum, { event }) => sum + Buffer.byteLength(event.payload), 0),
    }));
  await db.run(
    `INSERT INTO tallies AS t (rule, platform, matches, last_at)
     SELECT rule, $3, matches, $4 FROM unnest($1::bigint[], $2::bigint[]) AS n (rule, matches)
     ON CONFLICT (rule, platform) DO UPDATE SET matches = t.matches + excluded.matches,
       last_at = greatest(t.last_at, excluded.last_at)`,
    [perRule.map(({ rule }) => rule), perRule.map(({ matches }) => matches), platform, time],
  );
  await changeStored(db, perRule, new Date(time));
  await changeMinutes(
    db,
    perRule.map((counted) => ({ ...counted, platform, minute: minuteOf(time) })),
  );
  return { time, rules: perRule.map(({ rule }) => rule), perRule };
}

/** Matches that came to stand in another minute than was forecast are counted there. */
export async function correctCounts(db: Db, platform: Platform, counted: MatchCounts, time: number): Promise<void> {
  const [forecast, minute] = [minuteOf(counted.time), minuteOf(time)];
  if (forecast === minute) return;
  const moved = counted.perRule.map((one) => ({ ...one, platform, minute }));
  await changeMinutes(db, [...moved.map((one) => ({ ...one, minute: forecast, matches: -one.matches })), ...moved]);
}
