/** Tombstones: written with an erasure, looked at by every commit and every preview, and carried from one file to another. */
import { hash } from 'node:crypto';
import type { Platform } from '../../domain/platform.ts';
import { decodeText } from '../rows/texts.ts';
import {
  digestedText,
  EVERY_ACCOUNT,
  type Named,
  NO_REFUSALS,
  type Refusals,
  refusalsOf,
  textsOf,
  versionsOf,
} from '../rows/tombstones.ts';
import type { Tombstones } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { transaction } from './connection.ts';
import { KEYED_EVENTS, namesOf } from './event-names.ts';
import type { Sql } from './sql.ts';

/** Events looked at in one transaction after a restore. */
const SLICE = 500;
/** Tombstones that go in one slice of removal. */
const OLD_SLICE = 1_000;

const keyOf = (sql: Sql): string => sql.row<{ key: string }>('SELECT key FROM erasure_key')!.key;

const digestOf = (key: string, text: string): string => hash('sha256', digestedText(key, text), 'base64');

/** An account number of 0 refuses it for all accounts. */
export function addTombstone(sql: Sql, account: number, text: string, until: number): void {
  sql.run(
    `INSERT INTO tombstones (digest, account, until) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
    [digestOf(keyOf(sql), text), account, until],
  );
}

/** What of these events was erased. Without any tombstone it costs one look at an empty table. */
export function refusalsIn(sql: Sql, platform: Platform, named: Iterable<Named>): Refusals {
  if (sql.row('SELECT 1 FROM tombstones LIMIT 1') === undefined) return NO_REFUSALS;
  const key = keyOf(sql);
  const texts = new Map(
    [...named].flatMap((event) => textsOf(platform, event)).map((text) => [digestOf(key, text), text] as const),
  );
  const rows = sql.rows<{ digest: string; account: number; account_id: string | null }>(
    `SELECT t.digest, t.account, a.id AS account_id FROM json_each(?) j CROSS JOIN tombstones t ON t.digest = j.value
     LEFT JOIN accounts a ON a.number = t.account`,
    [JSON.stringify([...texts.keys()])],
  );
  return refusalsOf(
    platform,
    rows.map(({ digest, ...row }) => ({ ...row, text: texts.get(digest)! })),
  );
}

const STORED_VERSIONS = [
  `SELECT :post AS post_id WHERE EXISTS (SELECT 1 FROM ${KEYED_EVENTS})`,
  ...['event_posts', 'new_events', 'rehearsal_samples'].map(
    (table) => `SELECT post_id FROM ${table} WHERE platform = :platform AND post_id = :post
       UNION SELECT post_id FROM ${table} WHERE platform = :platform AND post_id >= :from AND post_id < :below`,
  ),
].join(' UNION ');

/** The ids of the stored versions of a post: they begin with its id and a slash. */
export function storedVersions(sql: Sql, platform: Platform, postId: string): string[] {
  return sql
    .rows<{ post_id: string }>(STORED_VERSIONS, { ...namesOf(platform, postId), ...versionsOf(postId) })
    .map(({ post_id }) => decodeText(post_id));
}

export const removeTombstones = (sql: Sql, now: number): boolean =>
  sql.run(
    `DELETE FROM tombstones WHERE (digest, account) IN
       (SELECT digest, account FROM tombstones WHERE until < ? ORDER BY until LIMIT ${OLD_SLICE})`,
    [now],
  ) > 0;

export const tombstoneReads = (sql: Sql) => ({
  tombstones(after: string, limit: number): Tombstones {
    const rows = sql.rows<{ digest: string; account_id: string | null; until: number }>(
      `SELECT t.digest, a.id AS account_id, t.until FROM tombstones t LEFT JOIN accounts a ON a.number = t.account
       WHERE t.digest IN (SELECT DISTINCT digest FROM tombstones WHERE digest > ? ORDER BY digest LIMIT ?)
       ORDER BY t.digest, t.account`,
      [after, limit],
    );
    return {
      key: keyOf(sql),
      tombstones: rows.map(({ digest, account_id, until }) => ({
        digest,
        accountId: account_id ?? undefined,
        until: new Date(until),
      })),
    };
  },

  /** Which of these events the account no longer sees among recent ones. */
  hiddenFrom(accountId: string, platform: Platform, events: readonly Named[]): (event: Named) => boolean {
    const refusals = refusalsIn(sql, platform, events);
    const account = accountNumber(sql, accountId) ?? EVERY_ACCOUNT;
    return (event) => refusals.isRefused(event, account);
  },
});

export const tombstoneWrites = (sql: Sql) => ({
  addTombstones: ({ key, tombstones }: Tombstones): boolean =>
    transaction(sql, () => {
      if (key !== keyOf(sql)) {
        if (sql.row('SELECT 1 FROM tombstones LIMIT 1') !== undefined) return false;
        sql.run('UPDATE erasure_key SET key = ?', [key]);
      }
      for (const { digest, accountId, until } of tombstones)
        sql.run(
          `INSERT INTO tombstones (digest, account, until)
           SELECT :digest, number, :until FROM (SELECT ${EVERY_ACCOUNT} AS number WHERE :account IS NULL
             UNION ALL SELECT number FROM accounts WHERE id = :account) WHERE true
           ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
          { digest, account: accountId ?? null, until: until.getTime() },
        );
      return true;
    }),
});

/** A slice of the stored events from a number on. */
export function eventSlice(sql: Sql, from: number): { number: number; platform: Platform; post_id: string }[] {
  return sql.rows<{ number: number; platform: Platform; post_id: string }>(
    `SELECT number, platform, post_id FROM events WHERE number >= ? ORDER BY number LIMIT ${SLICE}`,
    [from],
  );
}
