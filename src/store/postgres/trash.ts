/**
 * Deleted rules that can be restored. Their matches stay, with the number of their account negated: no list of the account
 * walks over them, and its charts do not count them. They are moved out of sight and back in slices, newest first.
 */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import { selectRules } from '../rows/rules.ts';
import {
  ALL_TO_MOVE,
  type DeletedRow,
  deletedRulesOf,
  hiddenOwner,
  placeAfter,
  TRASH_TOP,
  type TrashPlace,
} from '../rows/trash.ts';
import type { Position, RuleOverLimit, RuleRestoring, RuleStore } from '../store.ts';
import { watchRestored } from './alerts.ts';
import { writeChange } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { handGaps, putGaps } from './coverage.ts';
import { changeCounts } from './minutes.ts';
import { writeRuleChange } from './nodes.ts';
import { addToAccount, platformsOver } from './rule-counts.ts';
import { RULE_LOCK } from './schema.ts';

/** Matches that are moved in one transaction. */
const SLICE = 500;
/** Rules read at a time. */
const RULES = 500;

const RESTORABLE = 'account = (SELECT number FROM accounts WHERE id = $1) AND restorable_until > $2';

type TrashStore = Pick<RuleStore, 'deletedRule' | 'deletedRules' | 'restoreRule' | 'moveMatches'>;

export const trashStore = (database: Database): TrashStore => ({
  async deletedRule(accountId, ruleId, now) {
    const text = selectRules(`${RESTORABLE} AND id = $3`, 'deleted');
    return deletedRulesOf(await database.rows<DeletedRow>(text, [accountId, now.getTime(), ruleId]))[0];
  },
  async *deletedRules(accountId, now) {
    const text = selectRules(
      `${RESTORABLE} AND (deleted_at, number) < ($3, $4) ORDER BY deleted_at DESC, number DESC LIMIT ${RULES}`,
      'deleted',
    );
    for (let place: TrashPlace | undefined = TRASH_TOP; place !== undefined; ) {
      const values: unknown[] = [accountId, now.getTime(), place.deletedAt, place.number];
      const rows: DeletedRow[] = await database.rows<DeletedRow>(text, values);
      if (rows.length > 0) yield deletedRulesOf(rows);
      place = placeAfter(rows);
    }
  },
  restoreRule: (accountId, ruleId, restoring, note) =>
    database.transaction(async (db) => {
      const outcome = await restoreRule(db, accountId, ruleId, restoring);
      if (outcome === 'restored') await writeChange(db, accountId, note);
      return outcome;
    }),
  moveMatches: (ruleId) =>
    database.transaction(async (db) => {
      await db.run('SELECT pg_advisory_xact_lock($1)', [RULE_LOCK]);
      const [rule] = await db.rows<Moving>(`${MOVING} WHERE id = $1 AND moved_below IS NOT NULL FOR UPDATE`, [ruleId]);
      return rule !== undefined && moveSlice(db, rule);
    }),
});

async function restoreRule(
  db: Db,
  accountId: string,
  ruleId: string,
  { now, limits, ids, gaps }: RuleRestoring,
): Promise<'restored' | RuleOverLimit | undefined> {
  await db.run('SELECT pg_advisory_xact_lock($1)', [RULE_LOCK]);
  const [rule] = await db.rows<{ number: number; account: number }>(
    `SELECT number, account FROM rules WHERE id = $3 AND deleted = 1 AND ${RESTORABLE} FOR UPDATE`,
    [accountId, now.getTime(), ruleId],
  );
  if (rule === undefined) return undefined;
  const held = await db.rows<{ platform: Platform }>('SELECT platform FROM rule_platforms WHERE rule = $1', [
    rule.number,
  ]);
  const platforms = held.map(({ platform }) => platform);
  const over = await platformsOver(db, rule.account, platforms, limits);
  if (over !== undefined) return over;
  await db.run(
    `UPDATE rules SET deleted = 0, deleted_at = NULL, restorable_until = NULL, moved_below = ${ALL_TO_MOVE} WHERE number = $1`,
    [rule.number],
  );
  for (const platform of platforms) {
    await addToAccount(db, rule.account, platform);
    if (ids[platform] !== undefined)
      await db.run(
        `UPDATE rule_platforms SET status = 'active', platform_rule_id = $3, error = NULL WHERE rule = $1 AND platform = $2`,
        [rule.number, platform, ids[platform]],
      );
  }
  await watchRestored(db, rule.number);
  await handGaps(db, ruleId, { from: hiddenOwner(accountId), to: accountId });
  await putGaps(db, gaps);
  await writeRuleChange(db, ruleId);
  return 'restored';
}

interface Moving {
  readonly number: number;
  readonly account: number;
  readonly deleted: number;
  readonly moved_below: Position;
}

const MOVING = 'SELECT number, account, deleted, moved_below FROM rules';

/** Goes on with a rule that was deleted or restored; false when there is none. */
export async function moveOn(db: Db): Promise<boolean> {
  const next = `${MOVING} WHERE moved_below IS NOT NULL ORDER BY number LIMIT 1`;
  if ((await db.rows<Moving>(next)).length === 0) return false;
  // Commits write the same counts and stories: they wait, or are waited for.
  await db.run('SELECT pg_advisory_xact_lock($1)', [RULE_LOCK]);
  const [rule] = await db.rows<Moving>(`${next} FOR UPDATE SKIP LOCKED`);
  if (rule === undefined) return false;
  await moveSlice(db, rule);
  return true;
}

/** Part of every deletion, so that a small rule is out of the charts with the answer. */
export async function startMoving(db: Db, { number, account }: Pick<Moving, 'number' | 'account'>): Promise<void> {
  await moveSlice(db, { number, account, deleted: 1, moved_below: ALL_TO_MOVE });
}

interface MovedMatch {
  readonly position: Position;
  readonly platform: Platform;
  readonly account: number;
  readonly story: Position | null;
}

const LEGS = PLATFORMS.map(
  (platform) => `(SELECT position, platform, account, story FROM matches
    WHERE rule = $1 AND platform = '${platform}' AND position < $2 ORDER BY position DESC LIMIT ${SLICE})`,
).join(' UNION ALL ');

/** Whether there is more of this rule. */
async function moveSlice(db: Db, { number, account, deleted, moved_below }: Moving): Promise<boolean> {
  const rows = await db.rows<MovedMatch>(`SELECT * FROM (${LEGS}) m ORDER BY position DESC LIMIT ${SLICE}`, [
    number,
    moved_below,
  ]);
  const owner = deleted === 1 ? -account : account;
  const moved = rows.filter((match) => match.account !== owner);
  if (moved.length > 0) await moveTo(db, { rule: number, account, owner }, moved);
  const more = rows.length === SLICE;
  await db.run('UPDATE rules SET moved_below = $2 WHERE number = $1', [number, more ? rows.at(-1)!.position : null]);
  return more;
}

async function moveTo(
  db: Db,
  { rule, account, owner }: { readonly rule: number; readonly account: number; readonly owner: number },
  moved: readonly MovedMatch[],
): Promise<void> {
  const positions = moved.map(({ position }) => position);
  await db.run('UPDATE matches SET account = $1 WHERE position = ANY($2)', [owner, positions]);
  if (owner < 0) await db.run('DELETE FROM owed WHERE position = ANY($1) AND delivery IS NULL', [positions]);
  const told = moved.filter(({ story }) => story !== null);
  await db.run(
    `UPDATE story_parts p SET account = $1 FROM unnest($3::bigint[], $4::text[]) AS k (story, platform)
     WHERE p.story = k.story AND p.rule = $2 AND p.platform = k.platform`,
    [owner, rule, told.map(({ story }) => story), told.map(({ platform }) => platform)],
  );
  await changeCounts(
    db,
    moved.map(({ position, platform }) => ({
      subject: -account,
      platform,
      minute: minuteOf(timeOf(position)),
      matches: owner < 0 ? -1 : 1,
    })),
  );
}
