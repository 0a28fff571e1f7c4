/** All that is written. Arguments and answers are plain data: they may come from another thread. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { RecentLimits } from '../rows/recent.ts';
import { accountWrites } from './accounts.ts';
import { answerWrites } from './answers.ts';
import { commitWrites } from './commit.ts';
import { checkSettings } from './connection.ts';
import { deliveryWrites } from './deliveries.ts';
import { nodeWrites } from './nodes.ts';
import { owedWrites } from './owed.ts';
import { passWrites } from './passes.ts';
import { recentWrites } from './recent.ts';
import { registrationWrites } from './registrations.ts';
import { removalWrites } from './removal.ts';
import { ruleWrites } from './rule-writes.ts';
import { upstreamWrites } from './upstreams.ts';
import { webhookWrites } from './webhooks.ts';

export interface WriteOptions {
  readonly retentionDays: number;
  readonly recent: RecentLimits;
}

export type Writes = ReturnType<typeof writesOf>;

/** Calls one of them, wherever it runs. */
export type Write = <Name extends keyof Writes>(
  name: Name,
  ...args: Parameters<Writes[Name]>
) => Promise<Awaited<ReturnType<Writes[Name]>>>;

/** What was asked through a `Write`, whose types have matched name and arguments. */
export const callByName = (writes: Writes, name: string, args: readonly unknown[]): unknown =>
  (writes[name as keyof Writes] as (...args: readonly unknown[]) => unknown)(...args);

export function writesOf(db: DatabaseSync, { retentionDays, recent }: WriteOptions) {
  const mark = db.prepare(`UPDATE state SET value = ? WHERE name = 'checked'`);
  return {
    ...accountWrites(db),
    ...ruleWrites(db),
    ...registrationWrites(db),
    ...answerWrites(db),
    ...commitWrites(db, recent),
    ...recentWrites(db, recent),
    ...removalWrites(db, retentionDays),
    ...webhookWrites(db),
    ...owedWrites(db),
    ...deliveryWrites(db),
    ...upstreamWrites(db),
    ...nodeWrites(db),
    ...passWrites(db),

    check(now: Date): void {
      checkSettings(db);
      mark.run(now.getTime());
    },

    /** Takes as long as the database is large, so it belongs into a thread of its own; others read and write meanwhile. */
    backup(path: string): void {
      const part = `${path}.part`;
      rmSync(part, { force: true });
      try {
        db.prepare('VACUUM INTO ?').run(part);
        syncFile(part);
        renameSync(part, path);
      } finally {
        rmSync(part, { force: true });
      }
    },
  };
}

/** SQLite leaves it to the caller to wait until such a copy is on the disk. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
