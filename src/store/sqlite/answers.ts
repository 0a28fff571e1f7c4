/** Answers kept for repeated requests, for a day. */
import { ANSWERS_KEPT, ANSWERS_OF_ACCOUNT, type AnswerRow, answerOf } from '../rows/answers.ts';
import type { AnswerClaim, RememberedAnswer } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

const FIND = `SELECT body_digest, answer FROM answers
  WHERE account = (SELECT number FROM accounts WHERE id = ?) AND key = ? AND kept_at > ?`;
const PUT = `INSERT OR REPLACE INTO answers (account, key, body_digest, answer, kept_at)
  VALUES ((SELECT number FROM accounts WHERE id = ?), ?, ?, ?, ?)`;

export const answerReads = (sql: Sql) => ({
  remembered(accountId: string, key: string, now: Date): RememberedAnswer | undefined {
    const row = sql.row<AnswerRow>(FIND, [accountId, key, now.getTime() - ANSWERS_KEPT]);
    return row && answerOf(row);
  },
});

export const answerWrites = (sql: Sql) => ({
  remember(accountId: string, key: string, bodyDigest: string, answer: unknown, now: Date): void {
    sql.run(PUT, [accountId, key, bodyDigest, JSON.stringify(answer), now.getTime()]);
  },
  claimAnswer: (claim: AnswerClaim, now: Date): 'claimed' | 'full' | RememberedAnswer =>
    transaction(sql, () => {
      const { accountId, idempotencyKey, bodyDigest, answer, instead } = claim;
      const stored = sql.row<AnswerRow>(FIND, [accountId, idempotencyKey, now.getTime() - ANSWERS_KEPT]);
      if (stored !== undefined && stored.answer !== JSON.stringify(instead)) return answerOf(stored);
      if (stored === undefined && isFull(sql, accountId)) return 'full';
      sql.run(PUT, [accountId, idempotencyKey, bodyDigest, JSON.stringify(answer), now.getTime()]);
      return 'claimed';
    }),
});

function isFull(sql: Sql, accountId: string): boolean {
  const row = sql.row<{ answers: number }>(
    `SELECT count(*) AS answers FROM (SELECT 1 FROM answers WHERE account = ? LIMIT ${ANSWERS_OF_ACCOUNT})`,
    [accountNumber(sql, accountId)!],
  );
  return row!.answers >= ANSWERS_OF_ACCOUNT;
}

/** A slice of those past their day; false when there was none. */
export const removeAnswers = (sql: Sql, now: number): boolean =>
  sql.run(
    'DELETE FROM answers WHERE (account, key) IN (SELECT account, key FROM answers WHERE kept_at <= ? LIMIT 1000)',
    [now - ANSWERS_KEPT],
  ) > 0;
