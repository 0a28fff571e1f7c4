/** What several processes on one file tell each other: changes of rules, and who is there. */
import type { DatabaseSync } from 'node:sqlite';
import { type NodeRow, nodeOf } from '../rows/nodes.ts';
import type { News, NodeReport, RuleChanged } from '../store.ts';

export function nodeReads(db: DatabaseSync) {
  const news = db.prepare(
    `SELECT (SELECT value FROM state WHERE name = 'latest') AS latest,
       coalesce((SELECT max(number) FROM rule_changes), 0) AS ruleChange`,
  );
  const changes = db.prepare(
    'SELECT number, account AS accountId, rule AS ruleId FROM rule_changes WHERE number > ? ORDER BY number LIMIT ?',
  );
  const there = db.prepare('SELECT id, roles, applied FROM nodes WHERE until > ? ORDER BY id');
  return {
    news: (): News => news.get() as unknown as News,
    ruleChanges: (after: number, limit: number): RuleChanged[] => changes.all(after, limit) as unknown as RuleChanged[],
    nodes: (now: Date): NodeReport[] => (there.all(now.getTime()) as unknown as NodeRow[]).map(nodeOf),
  };
}

export function nodeWrites(db: DatabaseSync) {
  const report = db.prepare(
    `INSERT INTO nodes (id, roles, applied, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, applied = excluded.applied, until = excluded.until`,
  );
  const remove = db.prepare('DELETE FROM nodes WHERE id = ?');
  return {
    reportNode({ id, roles, applied }: NodeReport, now: Date, milliseconds: number): void {
      report.run(id, JSON.stringify(roles), applied, now.getTime() + milliseconds);
    },
    removeNode(id: string): void {
      remove.run(id);
    },
  };
}

/** Part of every write that changes what a rule matches. */
export function noteRuleChange(db: DatabaseSync): (ruleId: string) => void {
  const insert = db.prepare(
    `INSERT INTO rule_changes (rule, account)
     SELECT r.id, a.id FROM rules r JOIN accounts a ON a.number = r.account WHERE r.id = ?`,
  );
  return (ruleId) => void insert.run(ruleId);
}

/** Nobody is so far behind. */
const CHANGES_KEPT = 1_000_000;

export function removeOldChanges(db: DatabaseSync): () => boolean {
  const remove = db.prepare(
    `DELETE FROM rule_changes WHERE number <= (SELECT max(number) FROM rule_changes) - ${CHANGES_KEPT}`,
  );
  return () => Number(remove.run().changes) > 0;
}
