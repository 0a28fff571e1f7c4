/** Notes the matches of a commit that webhooks are owed, and forgets those past retention. */
import type { Platform } from '../../domain/platform.ts';
import { type Wanting, wantsOf } from '../nouns/owed.ts';
import type { Position } from '../order.ts';
import { distinctIn, type NewMatch } from './new-matches.ts';
import type { Sql } from './sql.ts';

const OWE = 'INSERT OR IGNORE INTO owed (position, webhook) VALUES (?, ?)';

/** Part of every commit; an account without webhooks costs one look at an index. */
export function oweNew(sql: Sql, platform: Platform, matches: readonly NewMatch[]): void {
  let byAccount: Map<number, NewMatch[]> | undefined;
  for (const account of distinctIn(matches, (match) => match.account)) {
    const webhooks = sql.rows<Wanting>(
      `SELECT number, rule_ids, platforms, sources, events FROM webhooks WHERE account = ? AND status IN ('active', 'paused')`,
      [account],
    );
    if (webhooks.length === 0) continue;
    byAccount ??= Map.groupBy(matches, (match) => match.account);
    const found = byAccount.get(account)!;
    for (const webhook of webhooks) {
      const wants = wantsOf(webhook, platform);
      for (const { position, rule, source } of found)
        if (wants(rule.id, source)) sql.run(OWE, [position, webhook.number]);
    }
  }
}

/** Nothing is owed of matches below a position, past retention, and a delivery that was made forgets its bytes. */
export function forgetOwedBelow(sql: Sql, position: Position): void {
  sql.run(
    `UPDATE deliveries SET body = NULL WHERE status <> 'pending' AND body IS NOT NULL AND number IN
       (SELECT delivery FROM owed WHERE position < ? AND delivery IS NOT NULL)`,
    [position],
  );
  sql.run(`UPDATE deliveries SET body = NULL, sent = NULL WHERE sent < ? AND status <> 'pending'`, [position]);
  sql.run('DELETE FROM owed WHERE position < ?', [position]);
}
