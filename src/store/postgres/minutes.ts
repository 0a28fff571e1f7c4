/** Matches by the minute, kept for charts. The subject is a rule, or an account by the negative of its number. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { minuteSql } from '../order.ts';
import { MINUTE, minuteOf } from '../rows/minutes.ts';
import type { CountQuery, MatchStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Rows changed in one transaction. */
const SLICE = 1_000;

export interface MinuteChange {
  readonly rule: number;
  readonly account: number;
  /** Of a deleted rule, which the account's charts do not count. */
  readonly hidden?: boolean;
  readonly platform: Platform;
  readonly minute: number;
  /** Matches that came, or went when negative. */
  readonly matches: number;
}

export const changeMinutes = (db: Db, changes: readonly MinuteChange[]): Promise<void> =>
  changeCounts(
    db,
    changes.flatMap(({ rule, account, hidden = false, platform, minute, matches }) =>
      (hidden ? [rule] : [rule, -account]).map((subject) => ({ subject, platform, minute, matches })),
    ),
  );

export interface CountChange {
  /** A rule, or an account by the negative of its number. */
  readonly subject: number;
  readonly platform: Platform;
  readonly minute: number;
  readonly matches: number;
}

export async function changeCounts(db: Db, changes: readonly CountChange[]): Promise<void> {
  const sums = new Map<string, { subject: number; platform: Platform; minute: number; matches: number }>();
  for (const { subject, platform, minute, matches } of changes) {
    const name = `${subject} ${platform} ${minute}`;
    const sum = sums.get(name) ?? { subject, platform, minute, matches: 0 };
    sum.matches += matches;
    sums.set(name, sum);
  }
  // In one order everywhere, so that two transactions never wait for each other.
  const rows = [...sums.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  await db.run(
    `INSERT INTO minutes AS m (subject, platform, minute, matches)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
     ON CONFLICT (subject, platform, minute) DO UPDATE SET matches = m.matches + excluded.matches`,
    columnsOf(rows),
  );
  // Rows of minutes past retention may be gone already; what is taken from them then leaves none behind.
  const went = rows.filter(({ matches }) => matches < 0);
  if (went.length > 0)
    await db.run(
      `DELETE FROM minutes m USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (subject, platform, minute)
       WHERE m.subject = g.subject AND m.platform = g.platform AND m.minute = g.minute AND m.matches <= 0`,
      columnsOf(went).slice(0, 3),
    );
}

const columnsOf = (rows: readonly { subject: number; platform: Platform; minute: number; matches: number }[]) => [
  rows.map(({ subject }) => subject),
  rows.map(({ platform }) => platform),
  rows.map(({ minute }) => minute),
  rows.map(({ matches }) => matches),
];

/** A slice of the counts of a rule that leaves; false when nothing was left. */
export const dropCountsOf = async (db: Db, rule: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM minutes WHERE ctid = ANY(ARRAY(SELECT ctid FROM minutes WHERE subject = $1 LIMIT ${SLICE}))`,
    [rule],
  )) > 0;

export const countStore = (db: Database): Pick<MatchStore, 'matchCounts'> => ({
  async matchCounts(query) {
    const subject = await subjectOf(db, query);
    if (subject === undefined) return [];
    const from = minuteOf(query.from.getTime());
    const to = Math.ceil(query.to.getTime() / MINUTE);
    const step = Math.max(1, Math.round(query.seconds / 60));
    const rows = await db.rows<{ slot: number; matches: number }>(
      `SELECT (minute - $3::bigint) / $5::bigint AS slot, sum(matches)::bigint AS matches FROM minutes
       WHERE subject = $1 AND platform = ANY($2) AND minute >= $3 AND minute < $4
         AND minute >= (SELECT ${minuteSql('value')} FROM state WHERE name = 'oldest') GROUP BY slot ORDER BY slot`,
      [subject, query.platform === undefined ? PLATFORMS : [query.platform], from, to, step],
    );
    return rows.map(({ slot, matches }) => ({ at: new Date((from + slot * step) * MINUTE), count: matches }));
  },
});

async function subjectOf(db: Db, { accountId, ruleId }: CountQuery): Promise<number | undefined> {
  const [row] = await db.rows<{ subject: number }>(
    ruleId === undefined
      ? 'SELECT -number AS subject FROM accounts WHERE id = $1 AND $2::text IS NULL'
      : `SELECT number AS subject FROM rules
         WHERE id = $2 AND deleted = 0 AND account = (SELECT number FROM accounts WHERE id = $1)`,
    [accountId, ruleId ?? null],
  );
  return row?.subject;
}

/** A slice of what is past retention; false when there was none. */
export const removeOldMinutes = async (db: Db): Promise<boolean> =>
  (await db.run(
    `DELETE FROM minutes WHERE ctid = ANY(ARRAY(SELECT ctid FROM minutes
       WHERE minute < (SELECT ${minuteSql('value')} FROM state WHERE name = 'oldest') ORDER BY minute LIMIT 10000))`,
  )) > 0;
