/**
 * What the streams of upstreams leave behind: who may write for them, what they missed, what could not be read. All but
 * the lease is written inside a commit, with the cursor that covers it.
 */
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../error.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { BROKEN_KEPT, type LeaseRow } from '../rows/upstreams.ts';
import type { Lease, LeaseWish, UpstreamCommit } from '../store.ts';
import { transaction } from './connection.ts';
import { putGap } from './coverage.ts';
import type { Sql } from './sql.ts';

export const upstreamReads = (sql: Sql) => ({
  broken: (platform: Platform, limit: number): { at: Date; reason: string; sample: string }[] =>
    sql
      .rows<{ at: number; reason: string; sample: string }>(
        'SELECT at, reason, sample FROM broken WHERE platform = ? ORDER BY number DESC LIMIT ?',
        [platform, limit],
      )
      .map(({ at, reason, sample }) => ({ at: new Date(at), reason: decodeText(reason), sample: decodeText(sample) })),
});

export const upstreamWrites = (sql: Sql) => ({
  takeLease: ({ name, holder, now, milliseconds, gone }: LeaseWish): Lease | { heldBy: string } =>
    transaction(sql, () => {
      const found = sql.row<LeaseRow>('SELECT holder, fence, until FROM leases WHERE name = ?', [name]);
      const isFree = found === undefined || found.until <= now.getTime() || found.holder === gone;
      if (found !== undefined && found.holder !== holder && !isFree) return { heldBy: found.holder };
      // Renewed after it ran out it has the same number: no other holder has had it meanwhile.
      const fence = found?.holder === holder ? found.fence : (found?.fence ?? 0) + 1;
      sql.run(
        `INSERT INTO leases (name, holder, fence, until) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = excluded.fence, until = excluded.until`,
        [name, holder, fence, now.getTime() + milliseconds],
      );
      return { name, fence };
    }),
  releaseLease({ name, fence }: Lease): void {
    sql.run('UPDATE leases SET until = 0 WHERE name = ? AND fence = ?', [name, fence]);
  },
});

/** The part of a commit that an upstream's stream adds. It throws, and nothing is kept, when another process has the lease. */
export function upstreamCommit(sql: Sql, platform: Platform, at: Date, commit: UpstreamCommit): void {
  const { lease, completeThrough, gaps, broken } = commit;
  const row = sql.row<{ fence: number }>('SELECT fence FROM leases WHERE name = ?', [lease.name]);
  if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process reads this stream by now.');
  for (const gap of gaps) putGap(sql, gap);
  if (completeThrough !== undefined)
    sql.run(
      `INSERT INTO coverage (platform, through) VALUES (?, ?)
       ON CONFLICT (platform) DO UPDATE SET through = max(through, excluded.through)`,
      [platform, completeThrough.getTime()],
    );
  keepBroken(sql, platform, at, broken);
}

function keepBroken(sql: Sql, platform: Platform, at: Date, broken: UpstreamCommit['broken']): void {
  if (broken.length === 0) return;
  for (const { reason, sample } of broken) {
    sql.run('INSERT INTO broken (platform, at, reason, sample) VALUES (?, ?, ?, ?)', [
      platform,
      at.getTime(),
      encodeText(reason),
      encodeText(sample),
    ]);
  }
  sql.run(
    `DELETE FROM broken WHERE platform = :platform AND number <=
       (SELECT number FROM broken WHERE platform = :platform ORDER BY number DESC LIMIT 1 OFFSET ${BROKEN_KEPT})`,
    { platform },
  );
}

/** What ended before a time goes, a slice at a time. False when there was nothing. */
export function removeOldOfUpstreams(sql: Sql, before: number): boolean {
  const gaps = sql.run(
    `DELETE FROM gaps WHERE (platform, owner, rule, from_at, source) IN
       (SELECT platform, owner, rule, from_at, source FROM gaps WHERE to_at < ? ORDER BY to_at LIMIT ${BROKEN_KEPT})`,
    [before],
  );
  return gaps + sql.run('DELETE FROM broken WHERE at < ?', [before]) > 0;
}
