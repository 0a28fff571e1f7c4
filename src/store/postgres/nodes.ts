/** What nodes tell each other: changes of rules in order, who is there, and a bell that says that there is something new. */
import { type NodeRow, nodeOf } from '../rows/nodes.ts';
import type { NodeStore, RuleChanged } from '../store.ts';
import type { Database, Db } from './connection.ts';

export const CHANNEL = 'sluice';
/** The server takes no longer notice; the bell then rings without a list of accounts. */
const MAX_NOTICE = 7_000;
/** No node is further behind. */
const CHANGES_KEPT = 1_000_000;

export const nodeStore = (database: Database): NodeStore => ({
  isShared: true,
  bell: (hear) => database.listen(CHANNEL, (payload) => hear(payload === '' ? [] : payload.split(' '))),
  async news() {
    const rows = await database.rows<{ name: string; value: number }>('SELECT name, value FROM state');
    const values = new Map(rows.map(({ name, value }) => [name, value]));
    return { latest: values.get('latest') ?? 0, ruleChange: values.get('rule_change') ?? 0 };
  },
  ruleChanges: (after, limit) =>
    database.rows<RuleChanged>(
      `SELECT number, account AS "accountId", rule AS "ruleId" FROM rule_changes
       WHERE number > $1 ORDER BY number LIMIT $2`,
      [after, limit],
    ),
  markRuleChanges: (mark) =>
    database.transaction(async (db) => {
      const [row] = await db.rows<{ number: number }>(
        `WITH next AS (UPDATE state SET value = value + 1 WHERE name = 'rule_change' RETURNING value)
         INSERT INTO rule_changes (number, rule, account) SELECT value, $1, '' FROM next RETURNING number`,
        [mark],
      );
      await ring(db, []);
      return row!.number;
    }),
  async reportNode({ id, roles, applied }, now, milliseconds) {
    await database.run(
      `INSERT INTO nodes (id, roles, applied, until) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, applied = excluded.applied, until = excluded.until`,
      [id, JSON.stringify(roles), applied, now.getTime() + milliseconds],
    );
  },
  async removeNode(id) {
    await database.run('DELETE FROM nodes WHERE id = $1', [id]);
  },
  nodes: async (now) =>
    (
      await database.rows<NodeRow>('SELECT id, roles, applied FROM nodes WHERE until > $1 ORDER BY id', [now.getTime()])
    ).map(nodeOf),
});

/** What the bell says of accounts with new matches. */
export function noticeOf(accountIds: Iterable<string>): string {
  const notice = [...accountIds].join(' ');
  return notice.length > MAX_NOTICE ? '' : notice;
}

/** Rings when the transaction is committed. */
export async function ring(db: Db, accountIds: readonly string[]): Promise<void> {
  await db.run('SELECT pg_notify($1, $2)', [CHANNEL, noticeOf(accountIds)]);
}

/**
 * The last step of every transaction that changes what a rule matches: the lock is held until its end. A number without a
 * change would make every node wait for one, so a rule that has gone takes none.
 */
export async function writeRuleChange(db: Db, ruleId: string): Promise<void> {
  await db.run(
    `WITH changed AS (SELECT r.id AS rule, a.id AS account FROM rules r JOIN accounts a ON a.number = r.account WHERE r.id = $1),
       next AS (UPDATE state SET value = value + 1 WHERE name = 'rule_change' AND EXISTS (SELECT FROM changed) RETURNING value)
     INSERT INTO rule_changes (number, rule, account)
     SELECT next.value, changed.rule, changed.account FROM next, changed`,
    [ruleId],
  );
  await ring(db, []);
}

/** Every node forgets what it keeps of these accounts' matches for streams. */
export const noteErasure = (db: Db, accountIds: readonly string[]): Promise<void> =>
  noteForNodes(
    db,
    accountIds.map((accountId) => ({ name: `erased ${accountId}`, accountId })),
  );

/** Something that every node hears of in the log of rule changes. No rule has such an id. */
export async function noteForNodes(
  db: Db,
  news: readonly { readonly name: string; readonly accountId: string }[],
): Promise<void> {
  if (news.length === 0) return;
  await db.run(
    `WITH next AS (UPDATE state SET value = value + $3 WHERE name = 'rule_change' RETURNING value - $3 AS before)
     INSERT INTO rule_changes (number, rule, account)
     SELECT next.before + n.place, n.name, n.account FROM next,
       unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (name, account, place)`,
    [news.map(({ name }) => name), news.map(({ accountId }) => accountId), news.length],
  );
  await ring(db, []);
}

/** A slice of the oldest; false when there was none. */
export const dropOldRuleChanges = async (db: Db): Promise<boolean> =>
  (await db.run(
    `DELETE FROM rule_changes WHERE number <= (SELECT value FROM state WHERE name = 'rule_change') - $1
       AND number < (SELECT min(number) FROM rule_changes) + 1000`,
    [CHANGES_KEPT],
  )) > 0;
