/** What several processes on one file tell each other: changes of rules, and who is there. */
import { type NodeRow, nodeOf } from '../rows/nodes.ts';
import type { News, NodeReport, RuleChanged } from '../store.ts';
import type { Sql } from './sql.ts';

export const nodeReads = (sql: Sql) => ({
  news: (): News =>
    sql.row<News>(
      `SELECT (SELECT value FROM state WHERE name = 'latest') AS latest,
         coalesce((SELECT max(number) FROM rule_changes), 0) AS ruleChange`,
    )!,
  ruleChanges: (after: number, limit: number): RuleChanged[] =>
    sql.rows<RuleChanged>(
      'SELECT number, account AS accountId, rule AS ruleId FROM rule_changes WHERE number > ? ORDER BY number LIMIT ?',
      [after, limit],
    ),
  nodes: (now: Date): NodeReport[] =>
    sql.rows<NodeRow>('SELECT id, roles, applied FROM nodes WHERE until > ? ORDER BY id', [now.getTime()]).map(nodeOf),
});

export const nodeWrites = (sql: Sql) => ({
  markRuleChanges: (mark: string): number =>
    sql.insert(`INSERT INTO rule_changes (rule, account) VALUES (?, '')`, [mark]),
  reportNode({ id, roles, applied }: NodeReport, now: Date, milliseconds: number): void {
    sql.run(
      `INSERT INTO nodes (id, roles, applied, until) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, applied = excluded.applied, until = excluded.until`,
      [id, JSON.stringify(roles), applied, now.getTime() + milliseconds],
    );
  },
  removeNode(id: string): void {
    sql.run('DELETE FROM nodes WHERE id = ?', [id]);
  },
});

/** Part of every write that changes what a rule matches. */
export function noteRuleChange(sql: Sql, ruleId: string): void {
  sql.run(
    `INSERT INTO rule_changes (rule, account)
     SELECT r.id, a.id FROM rules r JOIN accounts a ON a.number = r.account WHERE r.id = ?`,
    [ruleId],
  );
}

/** No node is further behind. */
const CHANGES_KEPT = 1_000_000;

/** A slice of the oldest; false when there was none. */
export const removeOldChanges = (sql: Sql): boolean =>
  sql.run(
    `DELETE FROM rule_changes WHERE number <= (SELECT max(number) FROM rule_changes) - ${CHANGES_KEPT}
       AND number < (SELECT min(number) FROM rule_changes) + 1000`,
  ) > 0;
