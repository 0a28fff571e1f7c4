/**
 * Counts of new matches. They are part of the commit's transaction, but are written before its position is known, so
 * that commits do not wait for each other's counts: the time is then a forecast. A commit that comes to stand in
 * another minute begins again.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { changeStored } from '../nouns/account-use.ts';
import { changeMinutes, minuteOf } from '../nouns/minutes.ts';
import type { Candidate } from './candidates.ts';

/** All of it is asked for at once. */
export async function countMatches(
  db: Db,
  platform: Platform,
  fresh: readonly Candidate[],
  time: number,
): Promise<void> {
  // In one order everywhere, so that two transactions never wait for each other.
  const perRule = [...Map.groupBy(fresh, ({ rule }) => rule.number)]
    .toSorted(([one], [other]) => one - other)
    .map(([rule, matches]) => ({
      rule,
      account: matches[0]!.rule.account,
      matches: matches.length,
      bytes: matches.reduce((sum, { event }) => sum + Buffer.byteLength(event.payload), 0),
    }));
  const tallied = db.run(
    `INSERT INTO tallies AS t (rule, platform, matches, last_at)
     SELECT rule, $3, matches, $4 FROM unnest($1::bigint[], $2::bigint[]) AS n (rule, matches)
     ON CONFLICT (rule, platform) DO UPDATE SET matches = t.matches + excluded.matches,
       last_at = greatest(t.last_at, excluded.last_at)`,
    [perRule.map(({ rule }) => rule), perRule.map(({ matches }) => matches), platform, time],
  );
  const minute = minuteOf(time);
  await Promise.all([
    tallied,
    changeStored(db, perRule, new Date(time)),
    changeMinutes(
      db,
      perRule.map((counted) => ({ ...counted, platform, minute })),
    ),
  ]);
}
