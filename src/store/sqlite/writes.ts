/** All that is written. Arguments and answers are plain data: they may come from another thread. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { RecentLimits } from '../rows/recent.ts';
import { accountWrites, keyWrites } from './accounts.ts';
import { watchWrites } from './alerts.ts';
import { answerWrites } from './answers.ts';
import { commitWrites } from './commit.ts';
import { checkSettings, makePrivate } from './connection.ts';
import { coverageWrites } from './coverage.ts';
import { deliveryWrites } from './delivery-writes.ts';
import { checkRoom } from './free-space.ts';
import { clientWrites, grantWrites } from './grants.ts';
import { nodeWrites } from './nodes.ts';
import { owedWrites } from './owed.ts';
import { passWrites } from './passes.ts';
import { ratingWrites } from './ratings.ts';
import { registrationWrites } from './registrations.ts';
import { rehearsalWrites } from './rehearsals.ts';
import { removalWrites } from './removal.ts';
import { ruleWrites } from './rule-writes.ts';
import { settleWrites } from './settle.ts';
import { sharedFeedWrites } from './shared-feeds.ts';
import type { Sql } from './sql.ts';
import { subscriptionWrites } from './subscriptions.ts';
import { tombstoneWrites } from './tombstones.ts';
import { trashWrites } from './trash.ts';
import { upstreamWrites } from './upstreams.ts';
import { viewWrites } from './views.ts';
import { claimWrites, webhookWrites } from './webhooks.ts';

export interface WriteOptions {
  readonly retentionDays: number;
  readonly erasureDays: number;
  readonly recent: RecentLimits;
  readonly settleAfter?: number | undefined;
}

export type Writes = ReturnType<typeof writesOf>;

/** Calls one of them, wherever it runs. */
export type Write = <Name extends keyof Writes>(
  name: Name,
  ...args: Parameters<Writes[Name]>
) => Promise<Awaited<ReturnType<Writes[Name]>>>;

/** Calls by a name whose arguments a `Write` has checked. */
export const callByName = (writes: Writes, name: string, args: readonly unknown[]): unknown =>
  (writes[name as keyof Writes] as (...args: readonly unknown[]) => unknown)(...args);

export const writesOf = (sql: Sql, options: WriteOptions) => ({
  ...accountWrites(sql),
  ...keyWrites(sql),
  ...ruleWrites(sql),
  ...trashWrites(sql),
  ...registrationWrites(sql),
  ...answerWrites(sql),
  ...commitWrites(sql, options.recent, options.settleAfter),
  ...settleWrites(sql),
  ...removalWrites(sql, options),
  ...tombstoneWrites(sql),
  ...ratingWrites(sql),
  ...viewWrites(sql),
  ...webhookWrites(sql),
  ...subscriptionWrites(sql),
  ...sharedFeedWrites(sql),
  ...claimWrites(sql),
  ...owedWrites(sql),
  ...deliveryWrites(sql),
  ...upstreamWrites(sql),
  ...coverageWrites(sql),
  ...nodeWrites(sql),
  ...passWrites(sql),
  ...watchWrites(sql),
  ...rehearsalWrites(sql),
  ...clientWrites(sql),
  ...grantWrites(sql),

  check(now: Date, room: number): void {
    checkSettings(sql.file);
    sql.run(`UPDATE state SET value = ? WHERE name = 'checked'`, [now.getTime()]);
    if (room > 0) checkRoom(sql, room);
  },

  /** Takes longer the larger the database is, so it belongs into a thread of its own; others read and write meanwhile. */
  backup(path: string): void {
    const part = `${path}.part`;
    rmSync(part, { force: true });
    try {
      makePrivate(part);
      sql.run('VACUUM INTO ?', [part]);
      syncFile(part);
      renameSync(part, path);
    } finally {
      rmSync(part, { force: true });
    }
  },
});

/** SQLite leaves it to the caller to wait until such a copy is on the disk. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
