/** How things leave, a slice at a time. What goes by the matches themselves is the business of each database. */
import type { Db } from '../db.ts';
import { lockRules } from '../rows/locks.ts';
import { removeAlertsOfRule, removeOldAlerts } from './alerts.ts';
import { removeAnswers } from './answers.ts';
import { removeChanges } from './changes.ts';
import { removeOldColdObjects } from './cold/cold-objects.ts';
import { dropGapsOfRule } from './coverage.ts';
import { removeDeletedWebhook, removeOldDeliveries } from './deliveries.ts';
import { endExpired, forgetEnded } from './ended-subscriptions.ts';
import { removeCarriers } from './erasure/carriers.ts';
import { eraseSlice } from './erasure/erased.ts';
import { removeTombstones } from './erasure/tombstones.ts';
import { removeEndedGrants } from './grants.ts';
import { removeOldJudgements } from './judging/judgements.ts';
import { removeSpending } from './judging/spending.ts';
import { dropMinutesOf } from './minutes.ts';
import { removeRuleChanges } from './nodes.ts';
import { removePasses } from './passes.ts';
import { removeRatingsOf } from './ratings.ts';
import { removeReadings } from './readings.ts';
import { removeOldRehearsals } from './rehearsals.ts';
import { dropSharedFeeds } from './shared-feeds.ts';
import { hiddenOwner } from './trash.ts';
import { removeOldOfUpstreams } from './upstreams.ts';
import { removeUsage } from './usage.ts';
import { removeWakeStories } from './wakes.ts';

/** Each is part of a transaction, and answers whether it removed anything. What was stored before `due` is past retention. */
export const removalsOf = (now: number, due: number): readonly ((db: Db) => Promise<boolean>)[] => [
  eraseSlice,
  removeOldColdObjects,
  (db) => removeOldDeliveries(db, due),
  (db) => endExpired(db, now),
  (db) => forgetEnded(db, now),
  removeDeletedWebhook,
  (db) => removeWakeStories(db, due),
  (db) => removeAnswers(db, now),
  (db) => removeOldOfUpstreams(db, due),
  removeRuleChanges,
  (db) => removePasses(db, now),
  (db) => removeEndedGrants(db, now),
  (db) => removeTombstones(db, now),
  (db) => removeCarriers(db, due),
  (db) => removeChanges(db, due),
  (db) => removeOldAlerts(db, due),
  (db) => removeReadings(db, due),
  (db) => removeOldJudgements(db, due),
  (db) => removeSpending(db, due),
  (db) => removeOldRehearsals(db, due),
];

/**
 * A slice of a deleted rule that cannot be restored any more; the rule itself goes last. `takeSome` takes its matches. Its
 * ratings go first: a list that walks along ratings would take those without a match for its end.
 */
export async function removeDeletedRule(
  db: Db,
  now: number,
  takeSome: (db: Db, rule: number) => Promise<boolean>,
): Promise<boolean> {
  const next = `SELECT r.number, r.id, (SELECT id FROM accounts WHERE number = r.account) AS account_id
     FROM rules r /*sqlite INDEXED BY rules_deleted */
     WHERE deleted = 1 AND restorable_until <= $1 AND moved_below IS NULL ORDER BY restorable_until LIMIT 1`;
  if ((await db.row(next, [now])) === undefined) return false;
  // A commit that found an event by a match of this rule stores its own match of it before the event goes.
  await lockRules(db);
  const rule = await db.row<{ number: number; id: string; account_id: string }>(`${next} FOR UPDATE SKIP LOCKED`, [
    now,
  ]);
  if (rule === undefined) return false;
  const { number } = rule;
  await removeRatingsOf(db, number);
  if ((await takeSome(db, number)) || (await dropMinutesOf(db, number)) || (await removeAlertsOfRule(db, number)))
    return true;
  await dropGapsOfRule(db, hiddenOwner(rule.account_id), rule.id);
  await removeUsage(db, number);
  await dropSharedFeeds(db, number);
  for (const table of ['tallies', 'past_texts', 'rule_platforms'])
    await db.run(`DELETE FROM ${table} WHERE rule = $1`, [number]);
  await db.run('DELETE FROM rules WHERE number = $1', [number]);
  return true;
}
