/**
 * How things leave. Nothing here takes the lock under which commits wait for each other: each step is a transaction of its
 * own over a slice, and may be interrupted at any point. Matches of deleted rules go in slices; posts that must be erased go
 * at once; `retention.ts` has what goes by age.
 */
import { positionAt } from '../order.ts';
import { hiddenOwner } from '../rows/trash.ts';
import type { HouseStore, Position } from '../store.ts';
import { deleteAlertsOf, deleteOldAlerts } from './alerts.ts';
import { dropAnswers } from './answers.ts';
import { dropChanges } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { removeGapsOfRule } from './coverage.ts';
import { dropDeletedWebhook, dropOldDeliveries } from './delivery-removal.ts';
import { dropEnded, endOverdue } from './ended-subscriptions.ts';
import { eraseSlice } from './erased.ts';
import { removeEndedGrants } from './grants.ts';
import { dropCountsOf, removeOldMinutes } from './minutes.ts';
import { dropOldRuleChanges } from './nodes.ts';
import type { Partitions } from './partitions.ts';
import { dropPasses } from './passes.ts';
import { dropReadings } from './readings.ts';
import { dropOldRehearsals } from './rehearsals.ts';
import { forgetOldOwed, lateness, raiseOldest, removeOldKeys, retentionDue } from './retention.ts';
import { dropStoryParts, trimStoryParts } from './story-removal.ts';
import { takeMatches } from './take-matches.ts';
import { dropTombstones } from './tombstones.ts';
import { moveOn } from './trash.ts';
import { dropOldOfUpstreams } from './upstreams.ts';
import { dropWakeStories } from './wakes.ts';

/** Matches of a deleted rule that go in one transaction. */
const SLICE = 1_000;

interface Options {
  readonly retentionDays: number;
  readonly partitions: Partitions;
}

type RemovalStore = Pick<HouseStore, 'removeSlice' | 'retentionBacklog'>;

export const removalStore = (database: Database, { retentionDays, partitions }: Options): RemovalStore => ({
  async removeSlice(now) {
    await partitions.readyAhead(now.getTime());
    const due = retentionDue(now, retentionDays);
    let more = false;
    for (const step of stepsOf(now, due)) if (await database.transaction(step)) more = true;
    if (more) return { more };
    return { more: await partitions.dropBefore(positionAt(due)) };
  },
  retentionBacklog: async (now) => ({ lateMs: await lateness(database, retentionDue(now, retentionDays)) }),
});

/** Each answers whether it removed anything. What is owed of a match goes before the match is out of sight. */
const stepsOf = (now: Date, due: number): ((db: Db) => Promise<boolean>)[] => [
  moveOn,
  (db) => removeDeletedRule(db, now.getTime()),
  (db) => forgetOldOwed(db, due),
  async (db) => (await trimStoryParts(db, positionAt(due))) || raiseOldest(db, due),
  removeOldKeys,
  removeOldMinutes,
  eraseSlice,
  (db) => dropOldDeliveries(db, due),
  (db) => endOverdue(db, now.getTime()),
  (db) => dropEnded(db, now.getTime()),
  dropDeletedWebhook,
  (db) => dropWakeStories(db, due),
  (db) => dropAnswers(db, now.getTime()),
  (db) => dropOldOfUpstreams(db, due),
  dropOldRuleChanges,
  (db) => dropPasses(db, now.getTime()),
  (db) => removeEndedGrants(db, now.getTime()),
  (db) => dropTombstones(db, now.getTime()),
  (db) => dropChanges(db, due),
  (db) => deleteOldAlerts(db, due),
  (db) => dropReadings(db, due),
  (db) => dropOldRehearsals(db, due),
];

/** A slice of a deleted rule that cannot be restored any more; the rule itself goes last. */
async function removeDeletedRule(db: Db, now: number): Promise<boolean> {
  const [rule] = await db.rows<{ number: number; id: string; account_id: string }>(
    `SELECT r.number, r.id, (SELECT id FROM accounts WHERE number = r.account) AS account_id FROM rules r
     WHERE deleted = 1 AND restorable_until <= $1 AND moved_below IS NULL ORDER BY restorable_until LIMIT 1
     FOR UPDATE SKIP LOCKED`,
    [now],
  );
  if (rule === undefined) return false;
  if (await dropStoryParts(db, rule.number)) return true;
  const found = await db.rows<{ position: Position }>(`SELECT position FROM matches WHERE rule = $1 LIMIT ${SLICE}`, [
    rule.number,
  ]);
  await takeMatches(db, found, { erase: false, whole: true });
  if (found.length > 0 || (await dropCountsOf(db, rule.number))) return true;
  if (await deleteAlertsOf(db, rule.number)) return true;
  await removeGapsOfRule(db, hiddenOwner(rule.account_id), rule.id);
  for (const statement of [
    'DELETE FROM tallies WHERE rule = $1',
    'DELETE FROM usage WHERE subject = $1',
    'DELETE FROM agreement WHERE rule = $1',
    'DELETE FROM ratings WHERE rule = $1',
    'DELETE FROM suggestions WHERE rule = $1 AND applied_at IS NULL',
    'DELETE FROM suggestions WHERE rule = $1 AND applied_at IS NOT NULL',
    'DELETE FROM past_texts WHERE rule = $1',
    'DELETE FROM rule_platforms WHERE rule = $1',
    'DELETE FROM rules WHERE number = $1',
  ])
    await db.run(statement, [rule.number]);
  return true;
}
