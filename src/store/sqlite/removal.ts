/**
 * How things leave the disk: matches of deleted rules and matches past retention in small slices, posts that must be
 * erased at once. Deleted content is overwritten (`secure_delete`), freed pages go back to the file system, and the
 * write-ahead log, which still has the old pages, is emptied when a round of removal is done.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { positionAt, timeOf } from '../order.ts';
import { ANSWERS_KEPT } from '../rows/answers.ts';
import { minuteOf } from '../rows/minutes.ts';
import { encodeText } from '../rows/texts.ts';
import type { Position } from '../store.ts';
import { transaction } from './connection.ts';
import { deliveryRemoval } from './delivery-removal.ts';
import { minutes } from './minutes.ts';
import { removeOldChanges } from './nodes.ts';
import { forgetOwed } from './owed.ts';
import { removePasses } from './passes.ts';
import { upstreamRemoval } from './upstreams.ts';
import { removeUsage } from './usage.ts';

/** Matches taken in one transaction: a few milliseconds. */
const SLICE = 200;
/** Pages given back in one step. */
const PAGES = 200;
const DAY = 24 * 60 * 60 * 1000;

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  /** Of a rule that is deleted already: nobody sees it, and no chart counts it. */
  readonly deleted: number;
}

const select = (matches: string): string =>
  `SELECT m.position, m.rule, m.account, m.platform, m.event, r.deleted FROM ${matches} m JOIN rules r ON r.number = m.rule`;

export function removalWrites(db: DatabaseSync, retentionDays: number) {
  const deletedRule = db.prepare('SELECT number, account FROM rules WHERE deleted = 1 LIMIT 1');
  const ofRule = db.prepare(`${select('matches')} WHERE m.rule = ? LIMIT ${SLICE}`);
  const older = db.prepare(`${select('matches')} WHERE m.position < ? ORDER BY m.position LIMIT ${SLICE}`);
  // By way of the event: an account may have millions of matches.
  const ofPost = db.prepare(
    select(`(SELECT * FROM matches INDEXED BY matches_of_event
      WHERE event IN (SELECT number FROM events WHERE platform = :platform AND post_id = :post)
        AND account = (SELECT number FROM accounts WHERE id = :account))`),
  );
  const removeMatch = db.prepare('DELETE FROM matches WHERE position = ?');
  const removeEvent = db.prepare(
    'DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event)',
  );
  const removeTally = db.prepare('DELETE FROM tallies WHERE rule = ?');
  const removePlatforms = db.prepare('DELETE FROM rule_platforms WHERE rule = ?');
  const removeRule = db.prepare('DELETE FROM rules WHERE number = ?');
  const removeAnswers = db.prepare(
    `DELETE FROM answers WHERE (account, key) IN (SELECT account, key FROM answers WHERE kept_at <= ? LIMIT ${SLICE})`,
  );
  const raiseOldest = db.prepare(`UPDATE state SET value = max(value, ?) WHERE name = 'oldest'`);
  const charts = minutes(db);
  const forget = forgetOwed(db);
  const deliveries = deliveryRemoval(db);
  const takeUsage = removeUsage(db);
  const takeOldOfUpstreams = upstreamRemoval(db);
  const takeOldChanges = removeOldChanges(db);
  const takePasses = removePasses(db);
  /** Pages were freed since the log was last emptied. */
  let emptyLog = false;

  function remove(matches: readonly Doomed[], options: { erase: boolean } = { erase: false }): void {
    for (const { position, event } of matches) {
      forget(position, options.erase);
      removeMatch.run(position);
      removeEvent.run({ event });
    }
    const groups = Map.groupBy(
      matches.filter(({ deleted }) => deleted === 0),
      ({ rule, platform, position }) => `${rule} ${platform} ${minuteOf(timeOf(position))}`,
    );
    for (const group of groups.values()) {
      const { rule, account, platform, position } = group[0]!;
      charts.take(rule, account, platform, minuteOf(timeOf(position)), group.length);
    }
  }

  /** A slice of a deleted rule; the rule itself goes last. */
  function removeDeleted(): boolean {
    const rule = deletedRule.get() as { number: number; account: number } | undefined;
    if (rule === undefined) return false;
    const matches = ofRule.all(rule.number) as unknown as Doomed[];
    remove(matches);
    if (matches.length > 0 || charts.takeRuleFromAccount(rule.number, rule.account)) return true;
    removeTally.run(rule.number);
    takeUsage(rule.number);
    removePlatforms.run(rule.number);
    removeRule.run(rule.number);
    return true;
  }

  function removeOld(before: Position): boolean {
    const matches = older.all(before) as unknown as Doomed[];
    const last = matches.at(-1);
    if (last === undefined) return false;
    remove(matches);
    raiseOldest.run(last.position + 1);
    return true;
  }

  return {
    removeSlice(now: Date): { more: boolean } {
      const removed = transaction(db, () => {
        const deleted = removeDeleted();
        const oldest = now.getTime() - retentionDays * DAY;
        const old = removeOld(positionAt(oldest));
        const delivered = deliveries.old(oldest);
        const orphans = deliveries.deleted();
        const answers = removeAnswers.run(now.getTime() - ANSWERS_KEPT).changes > 0;
        const upstreams = takeOldOfUpstreams(oldest);
        takeOldChanges();
        takePasses(now.getTime());
        return deleted || old || delivered || orphans || answers || upstreams;
      });
      if (removed) emptyLog = true;
      if (removed || !emptyLog) return { more: removed };
      const freed = freePages(db);
      emptyLog = freed || !truncateLog(db);
      return { more: freed };
    },

    /** What the account holds of a post. The recent events are the caller's to erase, in slices of their own. */
    eraseMatches(accountId: string, platform: Platform, postId: string): number {
      return transaction(db, () => {
        const matches = ofPost.all({ account: accountId, platform, post: encodeText(postId) }) as unknown as Doomed[];
        remove(matches, { erase: true });
        return matches.filter(({ deleted }) => deleted === 0).length;
      });
    },

    /** After an erasure: what was overwritten in the file must not stay in the log. */
    emptyLog(): void {
      emptyLog = !truncateLog(db);
    },
  };
}

/** A step towards a smaller file; false when it cannot shrink further. */
function freePages(db: DatabaseSync): boolean {
  const { freelist_count } = db.prepare('PRAGMA freelist_count').get() as { freelist_count: number };
  if (freelist_count === 0) return false;
  db.prepare(`PRAGMA incremental_vacuum(${PAGES})`).all();
  return freelist_count > PAGES;
}

/** False when a reader, for instance a backup, still needs the log. */
const truncateLog = (db: DatabaseSync): boolean =>
  (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0;
