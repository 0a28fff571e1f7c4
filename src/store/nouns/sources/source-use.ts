/** The bytes by day and the fetches by hour of each account's sources. */
import type { Db } from '../../db.ts';

export interface SourceUse {
  readonly bytes: number;
  readonly fetches: number;
}

export interface UseOfAccount extends SourceUse {
  readonly accountId: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days whose bytes are kept, and hours whose fetches are. */
const KEPT = 2;

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);
const hourOf = (at: Date): number => Math.floor(at.getTime() / HOUR_MS);

/** The use of these accounts in the day and the hour of a time. */
export async function useOf(db: Db, accountIds: readonly string[], at: Date): Promise<Map<string, SourceUse>> {
  const rows = await db.rows<{ id: string; bytes: number | null; fetches: number | null }>(
    `SELECT a.id, b.bytes, f.fetches FROM accounts a
     LEFT JOIN source_bytes b ON b.account = a.number AND b.day = $2
     LEFT JOIN source_fetch_counts f ON f.account = a.number AND f.hour = $3
     WHERE a.id = ANY($1::text[])`,
    [accountIds, dayOf(at), hourOf(at)],
  );
  return new Map(rows.map(({ id, bytes, fetches }) => [id, { bytes: bytes ?? 0, fetches: fetches ?? 0 }]));
}

/** Accounts go by their ids, so that two transactions never wait for each other. */
export async function countUse(db: Db, at: Date, uses: readonly UseOfAccount[]): Promise<void> {
  const sums = new Map<string, SourceUse>();
  for (const { accountId, bytes, fetches } of uses) {
    const sum = sums.get(accountId) ?? { bytes: 0, fetches: 0 };
    sums.set(accountId, { bytes: sum.bytes + bytes, fetches: sum.fetches + fetches });
  }
  const taken = [...sums].filter(([, { bytes, fetches }]) => bytes + fetches > 0);
  if (taken.length === 0) return;
  await db.run('DELETE FROM source_bytes WHERE day < $1', [dayOf(at) - KEPT]);
  await db.run('DELETE FROM source_fetch_counts WHERE hour < $1', [hourOf(at) - KEPT]);
  for (const [id, { bytes, fetches }] of taken.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await db.run(
      `INSERT INTO source_bytes AS b (day, account, bytes) SELECT $2, number, $3 FROM accounts WHERE id = $1
       ON CONFLICT (day, account) DO UPDATE SET bytes = b.bytes + excluded.bytes`,
      [id, dayOf(at), bytes],
    );
    await db.run(
      `INSERT INTO source_fetch_counts AS f (hour, account, fetches) SELECT $2, number, $3 FROM accounts WHERE id = $1
       ON CONFLICT (hour, account) DO UPDATE SET fetches = f.fetches + excluded.fetches`,
      [id, hourOf(at), fetches],
    );
  }
}
