/**
 * How things leave. Nothing here takes the lock under which commits wait for each other: each step is a transaction of its
 * own over a slice, and may be interrupted at any point. Matches of deleted rules go in slices; posts that must be erased go
 * at once; `retention.ts` has what goes by age.
 */
import type { Platform } from '../../domain/platform.ts';
import { positionAt, timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import { encodeText } from '../rows/texts.ts';
import type { HouseStore, MatchStore, Position } from '../store.ts';
import { removeAnswers } from './answers.ts';
import type { Database, Db } from './connection.ts';
import { removeDeletedWebhook, removeOldDeliveries } from './delivery-removal.ts';
import { eraseSlice, hideRecent } from './erased.ts';
import { removeEndedGrants } from './grants.ts';
import { changeMinutes, removeOldMinutes, takeRuleFromAccount } from './minutes.ts';
import { removeOldChanges } from './nodes.ts';
import { forgetOwed } from './owed.ts';
import type { Partitions } from './partitions.ts';
import { removePasses } from './passes.ts';
import { forgetOldOwed, lateness, raiseOldest, removeOldKeys, retentionDue } from './retention.ts';
import { removeOldOfUpstreams } from './upstreams.ts';

/** Matches of a deleted rule that go in one transaction. */
const SLICE = 1_000;

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  readonly tail: string;
  /** Of a deleted rule: no list shows it, and no chart counts it. */
  readonly deleted: number;
}

interface Options {
  readonly retentionDays: number;
  readonly partitions: Partitions;
}

type RemovalStore = Pick<HouseStore, 'removeSlice' | 'retentionBacklog'> & Pick<MatchStore, 'deleteMatches'>;

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
  deleteMatches: (accountId, platform, postId) =>
    database.transaction(async (db) => {
      const gone = await eraseMatches(db, accountId, platform, postId);
      await hideRecent(db, accountId, platform, postId);
      return gone;
    }),
});

/** Each answers whether it removed anything. What is owed of a match goes before the match is out of sight. */
const stepsOf = (now: Date, due: number): ((db: Db) => Promise<boolean>)[] => [
  removeDeletedRule,
  (db) => forgetOldOwed(db, due),
  (db) => raiseOldest(db, due),
  removeOldKeys,
  removeOldMinutes,
  eraseSlice,
  (db) => removeOldDeliveries(db, due),
  removeDeletedWebhook,
  (db) => removeAnswers(db, now.getTime()),
  (db) => removeOldOfUpstreams(db, due),
  removeOldChanges,
  (db) => removePasses(db, now.getTime()),
  (db) => removeEndedGrants(db, now.getTime()),
];

async function eraseMatches(db: Db, accountId: string, platform: Platform, postId: string): Promise<number> {
  const found = await db.rows<{ position: Position }>(
    `SELECT m.position FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $2 AND e.post_id = $3 AND m.account = (SELECT number FROM accounts WHERE id = $1)`,
    [accountId, platform, encodeText(postId)],
  );
  const matches = await removeMatches(db, found, { erase: true });
  const shown = matches.filter(({ deleted }) => deleted === 0);
  await changeMinutes(
    db,
    shown.map(({ position, ...match }) => ({ ...match, minute: minuteOf(timeOf(position)), matches: -1 })),
  );
  return shown.length;
}

/** A slice of a deleted rule; the rule itself goes last. */
async function removeDeletedRule(db: Db): Promise<boolean> {
  const [rule] = await db.rows<{ number: number; account: number }>(
    'SELECT number, account FROM rules WHERE deleted = 1 ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED',
  );
  if (rule === undefined) return false;
  const found = await db.rows<{ position: Position }>(`SELECT position FROM matches WHERE rule = $1 LIMIT ${SLICE}`, [
    rule.number,
  ]);
  await removeMatches(db, found, { erase: false });
  if (found.length > 0 || (await takeRuleFromAccount(db, rule.number, rule.account))) return true;
  for (const statement of [
    'DELETE FROM tallies WHERE rule = $1',
    'DELETE FROM usage WHERE subject = $1',
    'DELETE FROM agreement WHERE rule = $1',
    'DELETE FROM rule_platforms WHERE rule = $1',
    'DELETE FROM rules WHERE number = $1',
  ])
    await db.run(statement, [rule.number]);
  return true;
}

/** Answers those that are gone by this call: of two that remove the same match, one gets it. */
async function removeMatches(
  db: Db,
  found: readonly { position: Position }[],
  options: { erase: boolean },
): Promise<Doomed[]> {
  if (found.length === 0) return [];
  const matches = await db.rows<Doomed>(
    `DELETE FROM matches m USING rules r WHERE r.number = m.rule AND m.position = ANY($1)
     RETURNING m.position, m.rule, m.account, m.platform, m.event, m.tail, r.deleted`,
    [found.map(({ position }) => position)],
  );
  await forgetOwed(
    db,
    matches.map(({ position }) => position),
    options,
  );
  await db.run('DELETE FROM match_keys WHERE tail = ANY($1)', [matches.map(({ tail }) => tail)]);
  await db.run(
    'DELETE FROM events e WHERE e.number = ANY($1) AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = e.number)',
    [[...new Set(matches.map(({ event }) => event))]],
  );
  return matches;
}
