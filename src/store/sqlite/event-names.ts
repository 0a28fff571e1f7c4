/**
 * How events are found, among those that are settled and those that are new: by their key, which is a digest of their post. Versions of a
 * post are found by how their ids begin, so posts with a slash in their id are in order of them as well, and so are those that have no key.
 */
import type { Platform } from '../../domain/platform.ts';
import { eventKey } from '../order.ts';
import { encodeText } from '../rows/texts.ts';
import type { Sql } from './sql.ts';

/** The values of the statements below. */
export const namesOf = (platform: Platform, postId: string) => ({
  platform,
  post: encodeText(postId),
  key: eventKey(platform, postId),
});

/** The events with `:key` that are those of `:post` on `:platform`: writers of posts may have made two of one key. */
export const KEYED_EVENTS = `event_keys k CROSS JOIN events e ON e.number = k.event
  WHERE k.key = :key AND e.platform = :platform AND e.post_id = :post`;

/**
 * The events of `:post` on `:platform`, which `:key` stands for: one that all accounts see, and one of each account that pushed it. One may
 * be named twice.
 */
export const EVENTS_OF_POST = `SELECT k.event FROM ${KEYED_EVENTS}
  UNION ALL SELECT event FROM event_posts WHERE platform = :platform AND post_id = :post
  UNION ALL SELECT event FROM new_events WHERE platform = :platform AND post_id = :post`;

/** The events with `:key`; new ones are few. */
export const EVENTS_OF_KEY = `SELECT event FROM event_keys WHERE key = :key
  UNION ALL SELECT event FROM new_events WHERE key = :key`;

/** The events from a number on were stored by this commit. */
export const nameNewEvents = (sql: Sql, from: number): number =>
  sql.run(
    `INSERT OR ROLLBACK INTO new_events (platform, post_id, account, event, key)
       SELECT platform, post_id, account, number, key FROM events WHERE number >= ?`,
    [from],
  );

/** Part of settling. */
export const NAME_EVENTS = [
  `INSERT OR ROLLBACK INTO event_posts (platform, post_id, account, event) SELECT platform, post_id, account, event FROM new_events WHERE instr(post_id, '/') > 0`,
  'INSERT OR ROLLBACK INTO event_keys (key, event) SELECT key, event FROM new_events ORDER BY key, event',
  'DELETE FROM new_events',
];

export interface GoneEvent {
  readonly number: number;
  readonly platform: string;
  readonly post_id: string;
  readonly account: number;
  readonly key: string | null;
}

/** The clause that a statement that deletes events must end with. */
export const GONE = 'RETURNING number, platform, post_id, account, key';

/** Events have left the disk. All is settled. */
export function forgetNames(sql: Sql, events: readonly GoneEvent[]): void {
  for (const { number, platform, post_id, account, key } of events) {
    sql.run('DELETE FROM event_posts WHERE platform = ? AND post_id = ? AND account = ?', [platform, post_id, account]);
    if (key !== null) sql.run('DELETE FROM event_keys WHERE key = ? AND event = ?', [key, number]);
  }
}
