/**
 * What the streams of upstreams leave behind: who may write for them, what they missed, what could not be read. All but
 * the lease is written inside a commit, with the cursor that covers it.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../error.ts';
import { dateOrNone, decodeText, encodeText } from '../rows/texts.ts';
import { BROKEN_KEPT, type GapRow, gapOf, type LeaseRow } from '../rows/upstreams.ts';
import type { GapQuery, Lease, LeaseWish, UpstreamCommit } from '../store.ts';
import { transaction } from './connection.ts';

export function upstreamReads(db: DatabaseSync) {
  const overlapping = db.prepare(
    `SELECT * FROM gaps WHERE platform = :platform AND from_at < :until AND coalesce(to_at, :until) >= :since
     ORDER BY from_at DESC LIMIT :limit`,
  );
  const through = db.prepare('SELECT through FROM coverage WHERE platform = ?');
  const broken = db.prepare('SELECT at, reason, sample FROM broken WHERE platform = ? ORDER BY number DESC LIMIT ?');
  return {
    gaps({ platform, since, until, limit }: GapQuery): Gap[] {
      const span = { since: since?.getTime() ?? 0, until: until?.getTime() ?? Number.MAX_SAFE_INTEGER };
      return (overlapping.all({ platform, limit, ...span }) as unknown as GapRow[]).map(gapOf);
    },
    coverage(platform: Platform): Date | undefined {
      return dateOrNone((through.get(platform) as { through: number } | undefined)?.through ?? null);
    },
    broken(platform: Platform, limit: number): { at: Date; reason: string; sample: string }[] {
      const rows = broken.all(platform, limit) as { at: number; reason: string; sample: string }[];
      return rows.map(({ at, reason, sample }) => ({
        at: new Date(at),
        reason: decodeText(reason),
        sample: decodeText(sample),
      }));
    },
  };
}

export function upstreamWrites(db: DatabaseSync) {
  const find = db.prepare('SELECT holder, fence, until FROM leases WHERE name = ?');
  const put = db.prepare(
    `INSERT INTO leases (name, holder, fence, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = excluded.fence, until = excluded.until`,
  );
  const end = db.prepare('UPDATE leases SET until = 0 WHERE name = ? AND fence = ?');
  return {
    takeLease: ({ name, holder, now, milliseconds, gone }: LeaseWish): Lease | { heldBy: string } =>
      transaction(db, () => {
        const found = find.get(name) as LeaseRow | undefined;
        const isFree = found === undefined || found.until <= now.getTime() || found.holder === gone;
        if (found !== undefined && found.holder !== holder && !isFree) return { heldBy: found.holder };
        // Renewed after it ran out it has the same number: nobody else has had it meanwhile.
        const fence = found?.holder === holder ? found.fence : (found?.fence ?? 0) + 1;
        put.run(name, holder, fence, now.getTime() + milliseconds);
        return { name, fence };
      }),
    releaseLease({ name, fence }: Lease): void {
      end.run(name, fence);
    },
  };
}

/** The part of a commit that an upstream's stream adds. It throws, and nothing is kept, when the lease is another's by now. */
export function upstreamCommit(db: DatabaseSync): (platform: Platform, at: Date, commit: UpstreamCommit) => void {
  const fenceOf = db.prepare('SELECT fence FROM leases WHERE name = ?');
  const putGap = db.prepare(
    `INSERT INTO gaps (platform, from_at, to_at, cause, recovered) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (platform, from_at) DO UPDATE SET to_at = excluded.to_at, cause = excluded.cause, recovered = excluded.recovered`,
  );
  const cover = db.prepare(
    `INSERT INTO coverage (platform, through) VALUES (?, ?)
     ON CONFLICT (platform) DO UPDATE SET through = max(through, excluded.through)`,
  );
  const addBroken = db.prepare('INSERT INTO broken (platform, at, reason, sample) VALUES (?, ?, ?, ?)');
  const takeOldest = db.prepare(
    `DELETE FROM broken WHERE platform = :platform AND number <=
       (SELECT number FROM broken WHERE platform = :platform ORDER BY number DESC LIMIT 1 OFFSET ${BROKEN_KEPT})`,
  );
  return (platform, at, { lease, completeThrough, gaps, broken }) => {
    const row = fenceOf.get(lease.name) as { fence: number } | undefined;
    if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process reads this stream by now.');
    for (const { from, to, cause, recovered } of gaps) {
      putGap.run(platform, from.getTime(), to?.getTime() ?? null, encodeText(cause), Number(recovered));
    }
    if (completeThrough !== undefined) cover.run(platform, completeThrough.getTime());
    for (const { reason, sample } of broken) {
      addBroken.run(platform, at.getTime(), encodeText(reason), encodeText(sample));
    }
    if (broken.length > 0) takeOldest.run({ platform });
  };
}

/** What is older than matches are kept goes, a few at a time. False when there was nothing. */
export function upstreamRemoval(db: DatabaseSync): (before: number) => boolean {
  const oldGaps = db.prepare(
    `DELETE FROM gaps WHERE (platform, from_at) IN
       (SELECT platform, from_at FROM gaps WHERE to_at IS NOT NULL AND to_at < ? LIMIT ${BROKEN_KEPT})`,
  );
  const oldBroken = db.prepare('DELETE FROM broken WHERE at < ?');
  return (before) => Number(oldGaps.run(before).changes) + Number(oldBroken.run(before).changes) > 0;
}
