/** Answers kept for repeated requests, for a day. */
import type { DatabaseSync } from 'node:sqlite';
import { ANSWERS_KEPT } from '../rows/answers.ts';
import type { AnswerClaim } from '../store.ts';

export function answerReads(db: DatabaseSync) {
  const find = db.prepare(
    `SELECT body_digest AS bodyDigest, answer FROM answers
     WHERE account = (SELECT number FROM accounts WHERE id = ?) AND key = ? AND kept_at > ?`,
  );
  return {
    remembered(accountId: string, key: string, now: Date): { bodyDigest: string; answer: unknown } | undefined {
      const row = find.get(accountId, key, now.getTime() - ANSWERS_KEPT) as
        | { bodyDigest: string; answer: string }
        | undefined;
      return row === undefined ? undefined : { bodyDigest: row.bodyDigest, answer: JSON.parse(row.answer) };
    },
  };
}

export function answerWrites(db: DatabaseSync) {
  const keep = db.prepare(
    `INSERT OR REPLACE INTO answers (account, key, body_digest, answer, kept_at)
     VALUES ((SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?)`,
  );
  const claim = db.prepare(
    `INSERT INTO answers (account, key, body_digest, answer, kept_at)
     VALUES ((SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?)
     ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
       kept_at = excluded.kept_at
     WHERE answers.kept_at <= ? OR answers.answer = ?`,
  );
  const { remembered } = answerReads(db);
  return {
    claimAnswer(
      { accountId, idempotencyKey, bodyDigest, answer, earlier = null }: AnswerClaim,
      now: Date,
    ): { bodyDigest: string; answer: unknown } | undefined {
      const [text, replaced] = [JSON.stringify(answer), JSON.stringify(earlier)];
      const oldest = now.getTime() - ANSWERS_KEPT;
      const { changes } = claim.run(accountId, idempotencyKey, bodyDigest, text, now.getTime(), oldest, replaced);
      return changes > 0 ? undefined : remembered(accountId, idempotencyKey, now);
    },
    remember(accountId: string, key: string, bodyDigest: string, answer: unknown, now: Date): void {
      keep.run(accountId, key, bodyDigest, JSON.stringify(answer), now.getTime());
    },
  };
}
