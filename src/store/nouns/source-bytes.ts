/** Bytes that the sources of accounts took, by day. */
import type { Db } from '../db.ts';

const DAY_MS = 24 * 3_600_000;
/** Days whose bytes are kept. */
const DAYS_KEPT = 2;

export async function countBytes(
  db: Db,
  at: Date,
  owners: readonly { readonly accountId: string; readonly bytes: number }[],
): Promise<void> {
  const day = Math.floor(at.getTime() / DAY_MS);
  const rows = owners
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1))
    .map(({ accountId, bytes }) => ({ id: accountId, bytes }));
  if (rows.length === 0) return;
  await db.run('DELETE FROM source_bytes WHERE day < $1', [day - DAYS_KEPT]);
  for (const { id, bytes } of rows)
    await db.run(
      `INSERT INTO source_bytes AS b (day, account, bytes) SELECT $2, number, $3 FROM accounts WHERE id = $1
       ON CONFLICT (day, account) DO UPDATE SET bytes = b.bytes + excluded.bytes`,
      [id, day, bytes],
    );
}
