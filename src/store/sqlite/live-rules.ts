/**
 * The rules that a commit may store matches of. They are looked for under the lock: once a change has returned, nothing
 * of the rule's earlier state is stored any more. While nothing is written between two commits, what the first one read is
 * still true for the second.
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
  /** At the start of a transaction. */
  begin(): void;
  /** Returns undefined when the rule is deleted or paused, or its account is suspended. */
  get(id: string): StoredRule | undefined;
  /** At its end: what the commit itself has written changes no rule. */
  end(): void;
}

export function liveRules(sql: Sql): LiveRules {
  const kept = new Map<string, StoredRule | undefined>();
  let known = { others: -1, own: -1 };
  return {
    begin() {
      const { others, own } = changesSeen(sql);
      if (others !== known.others || own !== known.own || kept.size > MAX_KEPT) kept.clear();
      known = { others, own };
    },
    get(id) {
      const there = kept.get(id);
      if (there !== undefined || kept.has(id)) return there;
      const found = find(sql, id);
      kept.set(id, found);
      return found;
    },
    end() {
      known = changesSeen(sql);
    },
  };
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
