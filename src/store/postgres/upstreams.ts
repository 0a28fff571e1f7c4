/** What the streams of upstreams leave behind: who may write for them, what they missed, what could not be read. */
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../error.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { BROKEN_KEPT, type LeaseRow } from '../rows/upstreams.ts';
import type { Lease, LeaseWish, UpstreamCommit, UpstreamStore } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { putGaps } from './coverage.ts';

export const upstreamStore = (database: Database): UpstreamStore => ({
  takeLease: (wish) => database.transaction((db) => takeLease(db, wish)),
  async releaseLease({ name, fence }) {
    await database.run('UPDATE leases SET until = 0 WHERE name = $1 AND fence = $2', [name, fence]);
  },
  broken: async (platform, limit) =>
    (
      await database.rows<{ at: number; reason: string; sample: string }>(
        'SELECT at, reason, sample FROM broken WHERE platform = $1 ORDER BY number DESC LIMIT $2',
        [platform, limit],
      )
    ).map(({ at, reason, sample }) => ({ at: new Date(at), reason: decodeText(reason), sample: decodeText(sample) })),
});

async function takeLease(
  db: Db,
  { name, holder, now, milliseconds, gone }: LeaseWish,
): Promise<Lease | { heldBy: string }> {
  // A row to lock must be there for the first holder too.
  await db.run(`INSERT INTO leases (name, holder, fence, until) VALUES ($1, '', 0, 0) ON CONFLICT DO NOTHING`, [name]);
  const [found] = await db.rows<LeaseRow>('SELECT holder, fence, until FROM leases WHERE name = $1 FOR UPDATE', [name]);
  const isFree = found!.until <= now.getTime() || found!.holder === gone;
  if (found!.holder !== holder && !isFree) return { heldBy: found!.holder };
  const fence = found!.holder === holder ? found!.fence : found!.fence + 1;
  await db.run('UPDATE leases SET holder = $2, fence = $3, until = $4 WHERE name = $1', [
    name,
    holder,
    fence,
    now.getTime() + milliseconds,
  ]);
  return { name, fence };
}

/** The part of a commit that an upstream's stream adds. It throws, and nothing is kept, when another process has the lease. */
export async function commitUpstream(
  db: Db,
  platform: Platform,
  at: Date,
  { lease, completeThrough, gaps, broken }: UpstreamCommit,
): Promise<void> {
  const [row] = await db.rows<{ fence: number }>('SELECT fence FROM leases WHERE name = $1 FOR SHARE', [lease.name]);
  if (row?.fence !== lease.fence) throw new StoreError('fenced', 'Another process reads this stream by now.');
  await putGaps(db, gaps);
  if (completeThrough !== undefined)
    await db.run(
      `INSERT INTO coverage AS c (platform, through) VALUES ($1, $2)
       ON CONFLICT (platform) DO UPDATE SET through = greatest(c.through, excluded.through)`,
      [platform, completeThrough.getTime()],
    );
  await keepBroken(db, platform, at, broken);
}

async function keepBroken(db: Db, platform: Platform, at: Date, broken: UpstreamCommit['broken']): Promise<void> {
  if (broken.length === 0) return;
  for (const { reason, sample } of broken) {
    await db.run('INSERT INTO broken (platform, at, reason, sample) VALUES ($1, $2, $3, $4)', [
      platform,
      at.getTime(),
      encodeText(reason),
      encodeText(sample),
    ]);
  }
  await db.run(
    `DELETE FROM broken WHERE platform = $1 AND number <=
       (SELECT number FROM broken WHERE platform = $1 ORDER BY number DESC LIMIT 1 OFFSET ${BROKEN_KEPT})`,
    [platform],
  );
}

/** What ended before a time goes, a slice at a time. False when there was nothing. */
export async function dropOldOfUpstreams(db: Db, before: number): Promise<boolean> {
  const gaps = await db.run(
    `DELETE FROM gaps WHERE ctid = ANY(ARRAY(SELECT ctid FROM gaps WHERE to_at < $1 ORDER BY to_at LIMIT ${BROKEN_KEPT}))`,
    [before],
  );
  const broken = await db.run(
    `DELETE FROM broken WHERE ctid = ANY(ARRAY(SELECT ctid FROM broken WHERE at < $1 ORDER BY at LIMIT ${BROKEN_KEPT}))`,
    [before],
  );
  return gaps + broken > 0;
}
