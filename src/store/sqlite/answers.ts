/** Answers kept for repeated requests, for a day. */
import type { DatabaseSync } from 'node:sqlite';

/** How long a repeated request gets the first answer. */
export const ANSWERS_KEPT = 24 * 60 * 60 * 1000;

export function answerReads(db: DatabaseSync, now: () => number) {
  const find = db.prepare(
    `SELECT body_digest AS bodyDigest, answer FROM answers
     WHERE account = (SELECT number FROM accounts WHERE id = ?) AND key = ? AND kept_at > ?`,
  );
  return {
    remembered(accountId: string, idempotencyKey: string): { bodyDigest: string; answer: unknown } | undefined {
      const row = find.get(accountId, idempotencyKey, now() - ANSWERS_KEPT) as
        | { bodyDigest: string; answer: string }
        | undefined;
      return row === undefined ? undefined : { bodyDigest: row.bodyDigest, answer: JSON.parse(row.answer) };
    },
  };
}

export function answerWrites(db: DatabaseSync, now: () => number) {
  const keep = db.prepare(
    `INSERT OR REPLACE INTO answers (account, key, body_digest, answer, kept_at)
     VALUES ((SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?)`,
  );
  return {
    remember(accountId: string, idempotencyKey: string, bodyDigest: string, answer: unknown): void {
      keep.run(accountId, idempotencyKey, bodyDigest, JSON.stringify(answer), now());
    },
  };
}
