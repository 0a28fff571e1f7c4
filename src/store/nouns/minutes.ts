/**
 * Matches by the minute, kept for charts: counting millions for each picture would take seconds. The subject is a rule, or an
 * account by the negative of its number.
 */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { type Db, deleteSlice } from '../db.ts';
import { minuteSql } from '../order.ts';
import { SETTLED } from '../rows/unsettled.ts';
import { changeStored } from './account-use.ts';

export interface CountStore {
  /** Intervals that have matches, oldest first. Counts are kept by the minute, so times and lengths are whole minutes. */
  matchCounts(query: CountQuery): Promise<{ at: Date; count: number }[]>;
}

export interface CountQuery {
  readonly accountId: string;
  readonly ruleId?: string;
  readonly platform?: Platform;
  readonly from: Date;
  readonly to: Date;
  /** The length of an interval. */
  readonly seconds: number;
}

/** Charts count by the minute. */
export const MINUTE = 60_000;

export const minuteOf = (time: number): number => Math.floor(time / MINUTE);

/** Rows of a deleted rule that go in one transaction. */
const SLICE = 1_000;

/** On SQLite the matches that are not settled are counted, too. PostgreSQL keeps minutes past retention for a while. */
const COUNTS = {
  sqlite: `SELECT CAST((minute - $3) / $5 AS INTEGER) AS slot, sum(matches) AS matches
    FROM (SELECT platform, minute, matches FROM minutes WHERE subject = $1
      UNION ALL SELECT platform, ${minuteSql('position')}, 1 FROM matches NOT INDEXED
        WHERE position > ${SETTLED} AND $1 IN (rule, -account))
    WHERE platform = ANY($2) AND minute >= $3 AND minute < $4 GROUP BY slot ORDER BY slot`,
  postgres: `SELECT (minute - $3::bigint) / $5::bigint AS slot, sum(matches)::bigint AS matches FROM minutes
    WHERE subject = $1 AND platform = ANY($2) AND minute >= $3 AND minute < $4
      AND minute >= (SELECT ${minuteSql('value')} FROM state WHERE name = 'oldest') GROUP BY slot ORDER BY slot`,
};

export const countReads = (db: Db): CountStore => ({
  async matchCounts(query) {
    const subject = await subjectOf(db, query);
    if (subject === undefined) return [];
    const from = minuteOf(query.from.getTime());
    const to = Math.ceil(query.to.getTime() / MINUTE);
    const step = Math.max(1, Math.round(query.seconds / 60));
    const platforms = query.platform === undefined ? PLATFORMS : [query.platform];
    const rows = await db.rows<{ slot: number; matches: number }>(COUNTS[db.dialect], [
      subject,
      platforms,
      from,
      to,
      step,
    ]);
    return rows.map(({ slot, matches }) => ({ at: new Date((from + slot * step) * MINUTE), count: matches }));
  },
});

async function subjectOf(db: Db, { accountId, ruleId }: CountQuery): Promise<number | undefined> {
  const row =
    ruleId === undefined
      ? await db.row<{ subject: number }>('SELECT -number AS subject FROM accounts WHERE id = $1', [accountId])
      : await db.row<{ subject: number }>(
          `SELECT number AS subject FROM rules
           WHERE id = $2 AND deleted = 0 AND account = (SELECT number FROM accounts WHERE id = $1)`,
          [accountId, ruleId],
        );
  return row?.subject;
}

/** Matches that came, or went when negative. */
export interface CountChange {
  /** A rule, or an account by the negative of its number. */
  readonly subject: number;
  readonly platform: Platform;
  readonly minute: number;
  readonly matches: number;
}

/** The change by rule: an account counts what its rules matched. */
export interface MinuteChange extends Omit<CountChange, 'subject'> {
  readonly rule: number;
  readonly account: number;
  /** True for a deleted rule, which the account's charts do not count. */
  readonly hidden?: boolean | number;
}

export const changeMinutes = (db: Db, changes: readonly MinuteChange[]): Promise<void> =>
  changeCounts(
    db,
    changes.flatMap(({ rule, account, hidden, platform, minute, matches }) =>
      (hidden ? [rule] : [rule, -account]).map((subject) => ({ subject, platform, minute, matches })),
    ),
  );

/** Matches that go, from the minutes and from what is stored for their accounts. */
export async function takeCounts(db: Db, changes: readonly MinuteChange[]): Promise<void> {
  const counted = await stillCounted(db, changes);
  await changeMinutes(db, counted);
  await changeStored(
    db,
    counted.filter(({ hidden }) => !hidden),
  );
}

/**
 * Leaves out changes of minutes past retention: PostgreSQL takes such a minute from the counts as a whole, hours before the
 * rows of its matches go. Retention rises no further until the end of the transaction.
 */
export async function stillCounted<Change extends { readonly minute: number }>(
  db: Db,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (db.dialect === 'sqlite') return changes;
  const oldest = await db.row<{ minute: number }>(
    `SELECT ${minuteSql('value')} AS minute FROM state WHERE name = 'oldest' FOR SHARE`,
  );
  return changes.filter(({ minute }) => minute >= oldest!.minute);
}

export async function changeCounts(db: Db, changes: readonly CountChange[]): Promise<void> {
  const sums = new Map<string, CountChange>();
  for (const change of changes) {
    const name = `${change.subject} ${change.platform} ${change.minute}`;
    sums.set(name, { ...change, matches: (sums.get(name)?.matches ?? 0) + change.matches });
  }
  // In one order everywhere, so that two transactions never wait for each other.
  const rows = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  if (rows.length === 0) return;
  await db.run(
    `INSERT INTO minutes AS m (subject, platform, minute, matches) SELECT subject, platform, minute, matches
     FROM json_to_recordset($1) AS c (subject bigint, platform text, minute bigint, matches bigint) WHERE true
     ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = m.matches + excluded.matches`,
    [JSON.stringify(rows)],
  );
  // Rows of minutes past retention may be gone already; what is taken from them then leaves none behind.
  const went = rows.filter(({ matches }) => matches < 0);
  if (went.length > 0)
    await db.run(
      `DELETE FROM minutes WHERE (subject, platform, minute) IN (SELECT subject, platform, minute
         FROM json_to_recordset($1) AS c (subject bigint, platform text, minute bigint)) AND matches <= 0`,
      [JSON.stringify(went)],
    );
}

/** A slice of the counts of a rule that leaves the disk; false when nothing was left. */
export const dropMinutesOf = async (db: Db, rule: number): Promise<boolean> =>
  (await deleteSlice(db, 'minutes', { key: 'subject, platform, minute', of: 'subject = $1', limit: SLICE }, [rule])) >
  0;
