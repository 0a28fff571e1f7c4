/**
 * Tables that are written once for many commits: how often a rule matched, the minutes of charts, the parts of stories
 * of several events, the matches of each rule, and the posts and keys of events. Their rows lie all over the file, and
 * a page costs a commit the same whether it takes one row or fifty. Matches after the position `settled` are not in
 * these tables yet. Readers add them from the matches themselves, and every write that takes from these tables settles
 * first. All of it is in transactions: a crash loses nothing.
 */
import { PLATFORMS } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { minuteSql, type Position, timeSql } from '../order.ts';
import { SETTLED, unpartedOf } from '../rows/unsettled.ts';
import { NAME_EVENTS } from './event-names.ts';

/** The commit with which this many matches wait settles them. A reader that adds them up takes some milliseconds. */
const SETTLE_AFTER = 16_000;

const NEW = `matches NOT INDEXED WHERE position > ${SETTLED}`;

/** Writes the parts that these stories do not have yet: of their new matches, or of all of them. */
export const writeParts = (stories: string): string =>
  `INSERT OR ROLLBACK INTO story_parts (story, rule, platform, source, account, matches, first, last)
     SELECT u.story, u.rule, u.platform, coalesce(e.source, '') AS source, u.account, count(*), min(u.position), max(u.position)
     FROM ${stories} g CROSS JOIN ${unpartedOf('g.story', 'CROSS JOIN events e ON e.number = u.event')}
     GROUP BY u.story, u.rule, u.platform, source
   ON CONFLICT (story, rule, platform, source) DO UPDATE SET matches = matches + excluded.matches, last = excluded.last`;

/**
 * How often each rule matched in each minute: counts and charts are made of that, so that the matches are sorted once for all of them. New
 * matches of a rule are of one account.
 */
const COUNT_MATCHES = [
  `CREATE TEMP TABLE IF NOT EXISTS new_minutes
     (rule INTEGER, platform TEXT, minute INTEGER, account INTEGER, matches INTEGER, last_at INTEGER)`,
  ...PLATFORMS.map(
    (platform) => `INSERT OR ROLLBACK INTO new_minutes
     SELECT rule, '${platform}', ${minuteSql('position')} AS minute, account, count(*), ${timeSql('max(position)')}
     FROM ${NEW} AND platform = '${platform}' GROUP BY rule, minute`,
  ),
  `INSERT OR ROLLBACK INTO tallies (rule, platform, matches, last_at)
     SELECT rule, platform, matches, last_at FROM new_minutes WHERE true
   ON CONFLICT (rule, platform) DO UPDATE SET matches = matches + excluded.matches, last_at = max(last_at, excluded.last_at)`,
  `INSERT OR ROLLBACK INTO minutes (subject, platform, minute, matches)
     SELECT rule, platform, minute, matches FROM new_minutes WHERE true
   ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = matches + excluded.matches`,
  // An account is the negative of its number there.
  `INSERT OR ROLLBACK INTO minutes (subject, platform, minute, matches)
     SELECT -account, platform, minute, sum(matches) FROM new_minutes GROUP BY account, platform, minute
   ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = matches + excluded.matches`,
  'DELETE FROM new_minutes',
];

/** Sorted by the keys of the tables, so that neighbours share a page. `OR ROLLBACK` spares SQLite a journal for each statement. */
const STATEMENTS = [
  `INSERT OR ROLLBACK INTO rule_matches (rule, platform, position, story)
     SELECT rule, platform, position, story FROM ${NEW} ORDER BY rule, platform, position`,
  writeParts('grown_stories'),
  'DELETE FROM grown_stories',
  ...COUNT_MATCHES,
  ...NAME_EVENTS,
  `UPDATE state SET value = (SELECT value FROM state WHERE name = 'latest') WHERE name = 'settled'`,
  `UPDATE state SET value = 0 WHERE name = 'unsettled'`,
];

const unsettledIn = async (db: Db): Promise<number> =>
  (await db.row<{ value: number }>(`SELECT value FROM state WHERE name = 'unsettled'`))!.value;

/** Within a transaction. PostgreSQL leaves nothing to be settled. */
export async function settle(db: Db): Promise<void> {
  if (db.dialect === 'postgres' || (await unsettledIn(db)) === 0) return;
  for (const text of STATEMENTS) await db.run(text);
}

/** A commit has stored matches up to a position. */
export async function leaveUnsettled(db: Db, matches: number, latest: Position, most = SETTLE_AFTER): Promise<void> {
  if (matches === 0) return;
  await db.run(`UPDATE state SET value = $1 WHERE name = 'latest'`, [latest]);
  await db.run(`UPDATE state SET value = value + $1 WHERE name = 'unsettled'`, [matches]);
  if ((await unsettledIn(db)) >= most) await settle(db);
}

/** Called every few seconds, settles what has waited since the last call without anything new: readers need not add it up again. */
export function createIdleSettling(db: Db): () => Promise<void> {
  let waited = 0;
  return async () => {
    const waiting = await unsettledIn(db);
    if (waiting === waited) await settle(db);
    waited = waiting;
  };
}
