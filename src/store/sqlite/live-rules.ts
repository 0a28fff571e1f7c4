/**
 * The rules that a commit may store matches of. They are looked for under the lock: once a change has returned, nothing
 * of the rule as it was is stored any more. While nobody has written anything between two commits, what the first one
 * read is still true for the second.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface LiveRule {
  readonly id: string;
  readonly number: number;
  readonly account: number;
  readonly accountId: string;
  readonly version: number;
}

/** Rules kept from one commit to the next. */
const MOST_KEPT = 16_384;

export interface LiveRules {
  /** At the start of a transaction. */
  begin(): void;
  /** Undefined when it is deleted or paused. */
  get(id: string): LiveRule | undefined;
  /** At its end: what the commit itself has written changes no rule. */
  end(): void;
}

export function liveRules(db: DatabaseSync): LiveRules {
  const find = db.prepare(
    `SELECT r.id, r.number, r.account, a.id AS accountId, r.version FROM rules r JOIN accounts a ON a.number = r.account
     WHERE r.id = ? AND r.deleted = 0 AND r.paused = 0`,
  );
  const version = db.prepare('SELECT data_version AS others, total_changes() AS own FROM pragma_data_version');
  const versionNow = () => version.get() as { others: number; own: number };
  const kept = new Map<string, LiveRule | undefined>();
  let known = { others: -1, own: -1 };
  return {
    begin() {
      const { others, own } = versionNow();
      if (others !== known.others || own !== known.own || kept.size > MOST_KEPT) kept.clear();
      known = { others, own };
    },
    get(id) {
      if (!kept.has(id)) kept.set(id, find.get(id) as LiveRule | undefined);
      return kept.get(id);
    },
    end() {
      known = versionNow();
    },
  };
}
