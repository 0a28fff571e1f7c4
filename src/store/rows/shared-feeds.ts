/** The row of a shared feed, with the ids of what its numbers point to. */
import type { SharedFeed } from '../../domain/shared-feed.ts';
import { decodeText } from './texts.ts';

export interface SharedFeedRow {
  readonly id: string;
  readonly account_id: string;
  readonly rule_id: string | null;
  readonly contents: SharedFeed['contents'];
  readonly name: string;
  readonly created_at: number;
}

export const SHARED_FEEDS = `SELECT f.id, a.id AS account_id, r.id AS rule_id, f.contents, f.name, f.created_at
  FROM shared_feeds f JOIN accounts a ON a.number = f.account LEFT JOIN rules r ON r.number = f.rule`;

export const sharedFeedOf = (row: SharedFeedRow): SharedFeed => ({
  id: row.id,
  accountId: row.account_id,
  ruleId: row.rule_id ?? undefined,
  contents: row.contents,
  name: decodeText(row.name),
  createdAt: new Date(row.created_at),
});
