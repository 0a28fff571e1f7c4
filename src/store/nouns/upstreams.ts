/** The state of upstreams: who may write for them, what they missed, what could not be read. Not scoped. */
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { type Db, deleteSlice, insertRow } from '../db.ts';
import { StoreError } from '../error.ts';
import { storeTime, timeGiven } from '../rows/locks.ts';
import { decodeText, encodeText } from '../rows/texts.ts';
import { putGaps } from './coverage.ts';

export interface UpstreamStore {
  /** The right to write for a stream: taken when it is free, renewed when it is the holder's own; else who holds it. */
  takeLease(wish: LeaseWish): Promise<Lease | { readonly heldBy: string }>;
  /** Another holder may take it at once. */
  releaseLease(lease: Lease): Promise<void>;
  /** Records that could not be read, newest first. */
  broken(platform: Platform, limit: number): Promise<(Broken & { readonly at: Date })[]>;
}

/** A record that could not be read: why, and how it begins. */
export interface Broken {
  readonly reason: string;
  readonly sample: string;
}

export interface LeaseWish {
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly milliseconds: number;
  /** A holder that is known to have ended: what it held is free. */
  readonly gone?: string;
}

export interface Lease {
  readonly name: string;
  /** Grows with each new holder. */
  readonly fence: number;
  /** Milliseconds since the holder before lost it, where that one did not give it back. */
  readonly freeMs?: number;
}

/** The data that the stream of an upstream brings beside events. */
export interface UpstreamCommit {
  /** The commit is refused (`fenced`) when another process has the lease by now. */
  readonly lease: Lease;
  /** The stream was whole up to then. */
  readonly completeThrough?: Date;
  /** A gap that is stored already, by its platform and start, takes the new end, cause and recovery. */
  readonly gaps: readonly Gap[];
  readonly broken: readonly Broken[];
}

/** Broken records kept of each platform, and rows that go in one slice of removal. */
const BROKEN_KEPT = 1_000;

interface LeaseRow {
  readonly holder: string;
  readonly fence: number;
  readonly until: number;
  readonly now: number;
}

export const upstreamReads = (db: Db): Pick<UpstreamStore, 'broken'> => ({
  async broken(platform, limit) {
    const rows = await db.rows<{ at: number; reason: string; sample: string }>(
      'SELECT at, reason, sample FROM broken WHERE platform = $1 ORDER BY number DESC LIMIT $2',
      [platform, limit],
    );
    return rows.map(({ at, reason, sample }) => ({
      at: new Date(at),
      reason: decodeText(reason),
      sample: decodeText(sample),
    }));
  },
});

export const upstreamWrites = (db: Db): Omit<UpstreamStore, 'broken'> => ({
  takeLease: (wish) => db.transaction((tx) => takeLease(tx, wish)),
  async releaseLease({ name, fence }) {
    await db.run('UPDATE leases SET until = 0 WHERE name = $1 AND fence = $2', [name, fence]);
  },
});

async function takeLease(
  db: Db,
  { name, holder, now, milliseconds, gone }: LeaseWish,
): Promise<Lease | { heldBy: string }> {
  // A row to lock must be there for the first holder too.
  await db.run(`INSERT INTO leases (name, holder, fence, until) VALUES ($1, '', 0, 0) ON CONFLICT DO NOTHING`, [name]);
  const found = (await db.row<LeaseRow>(
    `SELECT holder, fence, until, ${storeTime(db, '$2')} AS now FROM leases WHERE name = $1 FOR UPDATE`,
    [name, timeGiven(db, now)],
  ))!;
  const isFree = found.until <= found.now || found.holder === gone;
  if (found.holder !== holder && !isFree) return { heldBy: found.holder };
  // Renewed after it ran out it has the same number: no other holder has had it meanwhile.
  const fence = found.holder === holder ? found.fence : found.fence + 1;
  await db.run('UPDATE leases SET holder = $2, fence = $3, until = $4 WHERE name = $1', [
    name,
    holder,
    fence,
    found.now + milliseconds,
  ]);
  const hasRunOut = fence > found.fence && found.until > 0 && found.until <= found.now;
  return { name, fence, ...(hasRunOut && { freeMs: found.now - found.until }) };
}

/** Throws `fenced` unless the lease is the newest of its name. */
export async function checkLease(db: Db, { name, fence }: Lease, otherwise: string): Promise<void> {
  const row = await db.row<{ fence: number }>('SELECT fence FROM leases WHERE name = $1 FOR SHARE', [name]);
  if (row?.fence !== fence) throw new StoreError('fenced', otherwise);
}

/** The part of a commit that an upstream's stream adds. It throws, and nothing is kept, when another process has the lease. */
export async function commitUpstream(
  db: Db,
  platform: Platform,
  at: Date,
  { lease, completeThrough, gaps, broken }: UpstreamCommit,
): Promise<void> {
  await checkLease(db, lease, 'Another process reads this stream by now.');
  await putGaps(db, gaps);
  if (completeThrough !== undefined)
    await db.run(
      `INSERT INTO coverage AS c (platform, through) VALUES ($1, $2)
       ON CONFLICT (platform) DO UPDATE SET through = greatest(c.through, excluded.through)`,
      [platform, completeThrough],
    );
  await keepBroken(db, platform, at, broken);
}

async function keepBroken(db: Db, platform: Platform, at: Date, broken: UpstreamCommit['broken']): Promise<void> {
  if (broken.length === 0) return;
  for (const { reason, sample } of broken)
    await insertRow(db, 'broken', { platform, at, reason: encodeText(reason), sample: encodeText(sample) });
  await db.run(
    `DELETE FROM broken WHERE platform = $1 AND number <=
       (SELECT number FROM broken WHERE platform = $1 ORDER BY number DESC LIMIT 1 OFFSET ${BROKEN_KEPT})`,
    [platform],
  );
}

/** Removes a slice of gaps and broken messages that ended before a time. Returns false when there was nothing. */
export async function removeOldOfUpstreams(db: Db, before: number): Promise<boolean> {
  const ended = { key: 'platform, owner, rule, from_at, source', of: 'to_at < $1 ORDER BY to_at', limit: BROKEN_KEPT };
  const gaps = await deleteSlice(db, 'gaps', ended, [before]);
  const old = { key: 'number', of: 'at < $1 ORDER BY at', limit: BROKEN_KEPT };
  const broken = await deleteSlice(db, 'broken', old, [before]);
  return gaps + broken > 0;
}
