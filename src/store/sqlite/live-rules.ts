/**
 * The rules that a commit may store matches of. They are looked for under the lock: once a change has returned, nothing
 * of the rule's earlier state is stored any more. What one commit read is still true for the next, unless another connection
 * has written, or this one has changed whether rules match.
 */
import { changesSeen, type Sql } from './sql.ts';

export interface StoredRule {
  readonly id: string;
  readonly number: number;
  readonly account: number;
  readonly accountId: string;
  readonly version: number;
}

/** Rules kept from one commit to the next, some 250 bytes each. With more, all are looked for again. */
const MAX_KEPT = 65_536;

export interface LiveRules {
  /** Before a transaction, whose end might take the triggers away. */
  watch(): void;
  /** At its start. */
  begin(): void;
  /** Returns undefined when the rule is deleted or paused, or its account is suspended. */
  get(id: string): StoredRule | undefined;
}

export function liveRules(sql: Sql): LiveRules {
  const kept = new Map<string, StoredRule>();
  let others = -1;
  let isWatching = false;
  return {
    watch() {
      if (!isWatching) onRuleChange(sql, () => kept.clear());
      isWatching = true;
    },
    begin() {
      const seen = changesSeen(sql).others;
      if (seen !== others || kept.size > MAX_KEPT) kept.clear();
      others = seen;
    },
    get(id) {
      const there = kept.get(id);
      if (there !== undefined) return there;
      const found = find(sql, id);
      if (found !== undefined) kept.set(id, found);
      return found;
    },
  };
}

/** The columns that `find` reads and that may change. */
const CHANGES = ['version, deleted, paused ON main.rules', 'suspended_at ON main.accounts'];

/** Triggers of this connection alone: they call for every statement that writes such a column, whatever made it. */
function onRuleChange({ file }: Sql, changed: () => void): void {
  file.function('rules_changed', () => {
    changed();
    return null;
  });
  for (const [index, columns] of CHANGES.entries())
    file.exec(`CREATE TEMP TRIGGER IF NOT EXISTS rules_changed_${index} AFTER UPDATE OF ${columns}
      BEGIN SELECT rules_changed(); END`);
}

function find(sql: Sql, id: string): StoredRule | undefined {
  const row = sql.row<StoredRule>(
    `SELECT r.id, r.number, r.account, a.id AS accountId, r.version FROM rules r JOIN accounts a ON a.number = r.account
     WHERE r.id = ? AND r.deleted = 0 AND r.paused = 0 AND a.suspended_at IS NULL`,
    [id],
  );
  // SQLite's rows are hash tables, which take far longer to read than an object, and every match reads this one.
  if (row === undefined) return undefined;
  const { number, account, accountId, version } = row;
  return { id, number, account, accountId, version };
}
