/**
 * The matches stored for each account, and its use in the minutes of the last hour. Every process adds what it counted
 * itself. This is for the operator and not scoped by account.
 */
import type { Db } from '../db.ts';

export interface AccountUseStore {
  /** Matches that are stored for these accounts, and about how many bytes they take. An account without any is left out. */
  stored(accountIds: readonly string[]): Promise<ReadonlyMap<string, Stored>>;
  /** Adds to what was used in the minute of a time, and forgets the minutes before another. */
  noteUse(at: Date, uses: readonly AccountUse[], keptSince: Date): Promise<void>;
  /** The use of accounts since a time. Accounts that used most of one thing come first. */
  topUse(since: Date, by: Used, limit: number): Promise<AccountUse[]>;
  /** The use of one account, by the minute, oldest first. */
  useByMinute(accountId: string, since: Date): Promise<(AccountUse & { readonly at: Date })[]>;
}

/** Matches of deleted rules do not count. Bytes are matches times the mean size of those that came. */
export interface Stored {
  readonly matches: number;
  readonly bytes: number;
  /** The last day (UTC) on which matches came, and how many came on it, whether or not they are still there. */
  readonly day: Date;
  readonly cameOnDay: number;
}

export const USED = ['cpu_ms', 'bytes_in', 'events', 'matches', 'requests', 'turns'] as const;
export type Used = (typeof USED)[number];

/** `turns` are those in compute threads. */
export interface AccountUse extends Readonly<Record<Used, number>> {
  readonly accountId: string;
}

interface StoredRow {
  readonly account_id: string;
  readonly matches: number;
  readonly came: number;
  readonly came_bytes: number;
  readonly day: number;
  readonly day_came: number;
}

/** Accounts that are read in one go: some 4 ms. */
const SLICE = 1_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Days since 1970. */
const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY);
const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE);
const SUMS = USED.map((used) => `CAST(sum(u.${used}) AS bigint) AS ${used}`).join(', ');

type UseReads = Omit<AccountUseStore, 'noteUse'>;

export const accountUseReads = (db: Db): UseReads => ({
  async stored(accountIds) {
    const all = new Map<string, Stored>();
    for (let from = 0; from < accountIds.length; from += SLICE) {
      const rows = await db.rows<StoredRow>(
        `SELECT a.id AS account_id, s.matches, s.came, s.came_bytes, s.day, s.day_came
         FROM accounts a JOIN stored s ON s.account = a.number WHERE a.id = ANY($1)`,
        [accountIds.slice(from, from + SLICE)],
      );
      for (const row of rows) all.set(row.account_id, storedOf(row));
    }
    return all;
  },
  topUse: (since, by, limit) =>
    db.rows<AccountUse>(
      `SELECT a.id AS "accountId", ${USED.map((used) => `t.${used}`).join(', ')}
       FROM (SELECT u.account, ${SUMS} FROM account_use u WHERE u.minute >= $1
         GROUP BY u.account ORDER BY sum(u.${by}) DESC, u.account LIMIT $2) t
       /*sqlite CROSS */ JOIN accounts a ON a.number = t.account ORDER BY t.${by} DESC, t.account`,
      [minuteOf(since), limit],
    ),
  async useByMinute(accountId, since) {
    const rows = await db.rows<AccountUse & { minute: number }>(
      `SELECT $1 AS "accountId", u.minute, ${USED.map((used) => `u.${used}`).join(', ')} FROM account_use u
       WHERE u.minute >= $2 AND u.account = (SELECT number FROM accounts WHERE id = $1) ORDER BY u.minute`,
      [accountId, minuteOf(since)],
    );
    return rows.map(({ minute, ...use }) => ({ ...use, at: new Date(minute * MINUTE) }));
  },
});

const storedOf = ({ matches, came, came_bytes, day, day_came }: StoredRow): Stored => ({
  matches,
  bytes: Math.round(matches * (came_bytes / Math.max(1, came))),
  day: new Date(day * DAY),
  cameOnDay: day_came,
});

export const accountUseWrites = (db: Db): Pick<AccountUseStore, 'noteUse'> => ({
  noteUse: (at, uses, keptSince) =>
    db.transaction(async (tx) => {
      await tx.run('DELETE FROM account_use WHERE minute < $1', [minuteOf(keptSince)]);
      // In one order everywhere, so that two transactions never wait for each other.
      const rows = uses
        .toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1))
        .map(({ accountId, ...used }) => ({ id: accountId, ...used }));
      await tx.run(
        `INSERT INTO account_use AS u (minute, account, ${USED.join(', ')})
         SELECT $2, a.number, ${USED.map((used) => `n.${used}`).join(', ')}
         FROM json_to_recordset($1) AS n (id text, ${USED.map((used) => `${used} bigint`).join(', ')})
         JOIN accounts a ON a.id = n.id WHERE true
         ON CONFLICT (minute, account) DO UPDATE SET ${USED.map((used) => `${used} = u.${used} + excluded.${used}`).join(', ')}`,
        [JSON.stringify(rows), minuteOf(at)],
      );
    }),
});

/** Matches that came to an account or, when negative, went. */
export interface StoredChange {
  readonly account: number;
  readonly matches: number;
  /** The bytes of matches that came; left out when their size was counted before. */
  readonly bytes?: number;
}

/** Part of the transaction that stores, hides or removes them. `at`: when those that come came. */
export async function changeStored(db: Db, changes: readonly StoredChange[], at = new Date(0)): Promise<void> {
  const sums = new Map<number, { account: number; matches: number; came: number; came_bytes: number }>();
  for (const { account, matches, bytes } of changes) {
    const sum = sums.get(account) ?? { account, matches: 0, came: 0, came_bytes: 0 };
    sum.matches += matches;
    if (bytes !== undefined) sum.came += matches;
    sum.came_bytes += bytes ?? 0;
    sums.set(account, sum);
  }
  const rows = [...sums.values()]
    .filter(({ matches, came }) => matches !== 0 || came !== 0)
    .toSorted((one, other) => one.account - other.account);
  if (rows.length === 0) return;
  // After the clock was set back, what comes still counts for the later day.
  await db.run(
    `INSERT INTO stored AS s (account, matches, came, came_bytes, day, day_came)
     SELECT account, matches, came, came_bytes, $2::bigint, came
     FROM json_to_recordset($1) AS c (account bigint, matches bigint, came bigint, came_bytes bigint) WHERE true
     ON CONFLICT (account) DO UPDATE SET matches = greatest(0, s.matches + excluded.matches),
       came = s.came + excluded.came, came_bytes = s.came_bytes + excluded.came_bytes,
       day = greatest(s.day, excluded.day),
       day_came = CASE WHEN excluded.day > s.day THEN excluded.came ELSE s.day_came + excluded.came END`,
    [JSON.stringify(rows), dayOf(at)],
  );
}
