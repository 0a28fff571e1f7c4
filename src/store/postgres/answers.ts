/** Answers kept for repeated requests, for a day. */
import type { Clock } from '../../base/clock.ts';
import { ANSWERS_KEPT, ANSWERS_OF_ACCOUNT, type AnswerRow, answerOf } from '../rows/answers.ts';
import type { AnswerClaim, AnswerStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

export const answerStore = (db: Database, clock: Clock): AnswerStore => ({
  async remembered(accountId, key) {
    const row = await find(db, accountId, key, clock.now().getTime());
    return row && answerOf(row);
  },
  async remember(accountId, key, bodyDigest, answer) {
    await db.run(
      `INSERT INTO answers (account, key, body_digest, answer, kept_at)
       VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5)
       ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
         kept_at = excluded.kept_at`,
      [accountId, key, bodyDigest, JSON.stringify(answer), clock.now().getTime()],
    );
  },
  async claimAnswer(claim) {
    const now = clock.now().getTime();
    const instead = JSON.stringify(claim.instead);
    for (;;) {
      const stored = await find(db, claim.accountId, claim.idempotencyKey, now);
      if (stored !== undefined && stored.answer !== instead) return answerOf(stored);
      if (stored === undefined && (await isFull(db, claim.accountId))) return 'full';
      if (await put(db, claim, instead, now)) return 'claimed';
      // Another caller was first: the next look finds what it stored.
    }
  },
});

async function find(db: Db, accountId: string, key: string, now: number): Promise<AnswerRow | undefined> {
  const [row] = await db.rows<AnswerRow>(
    `SELECT body_digest, answer FROM answers
     WHERE account = (SELECT number FROM accounts WHERE id = $1) AND key = $2 AND kept_at > $3`,
    [accountId, key, now - ANSWERS_KEPT],
  );
  return row;
}

/** In one statement: of two that come at once, the second finds the row of the first. */
async function put(db: Db, claim: AnswerClaim, instead: string | undefined, now: number): Promise<boolean> {
  const { accountId, idempotencyKey, bodyDigest, answer } = claim;
  const changed = await db.run(
    `INSERT INTO answers AS a (account, key, body_digest, answer, kept_at)
     VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5)
     ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
       kept_at = excluded.kept_at
     WHERE a.kept_at <= $6 OR a.answer = $7`,
    [accountId, idempotencyKey, bodyDigest, JSON.stringify(answer), now, now - ANSWERS_KEPT, instead ?? null],
  );
  return changed === 1;
}

async function isFull(db: Db, accountId: string): Promise<boolean> {
  const [row] = await db.rows<{ answers: number }>(
    `SELECT count(*) AS answers FROM (SELECT 1 FROM answers
       WHERE account = (SELECT number FROM accounts WHERE id = $1) LIMIT ${ANSWERS_OF_ACCOUNT}) a`,
    [accountId],
  );
  return row!.answers >= ANSWERS_OF_ACCOUNT;
}

/** A slice of those past their day; false when there was none. */
export const dropAnswers = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(
    'DELETE FROM answers WHERE ctid = ANY(ARRAY(SELECT ctid FROM answers WHERE kept_at <= $1 ORDER BY kept_at LIMIT 1000))',
    [now - ANSWERS_KEPT],
  )) > 0;
