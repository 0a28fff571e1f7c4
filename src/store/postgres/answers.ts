/** Answers kept for repeated requests, for a day. */
import type { Clock } from '../../base/clock.ts';
import { ANSWERS_KEPT } from '../rows/answers.ts';
import type { AnswerClaim, Store } from '../store.ts';
import type { Database } from './connection.ts';

interface AnswerRow {
  body_digest: string;
  answer: string;
}

const answerOf = ({ body_digest, answer }: AnswerRow): { bodyDigest: string; answer: unknown } => ({
  bodyDigest: body_digest,
  answer: JSON.parse(answer) as unknown,
});

export const answerStore = (db: Database, clock: Clock): Pick<Store, 'remembered' | 'claimAnswer' | 'remember'> => ({
  async remembered(accountId, key) {
    const [row] = await db.rows<AnswerRow>(
      `SELECT body_digest, answer FROM answers
       WHERE account = (SELECT number FROM accounts WHERE id = $1) AND key = $2 AND kept_at > $3`,
      [accountId, key, clock.now().getTime() - ANSWERS_KEPT],
    );
    return row && answerOf(row);
  },
  claimAnswer: (claim) => claimAnswer(db, clock.now().getTime(), claim),
  async remember(accountId, key, bodyDigest, answer) {
    await db.run(
      `INSERT INTO answers (account, key, body_digest, answer, kept_at)
       VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5)
       ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
         kept_at = excluded.kept_at`,
      [accountId, key, bodyDigest, JSON.stringify(answer), clock.now().getTime()],
    );
  },
});

async function claimAnswer(
  db: Database,
  now: number,
  { accountId, idempotencyKey, bodyDigest, answer, earlier = null }: AnswerClaim,
): Promise<{ bodyDigest: string; answer: unknown } | undefined> {
  const won = await db.rows(
    `INSERT INTO answers AS kept (account, key, body_digest, answer, kept_at)
     VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5)
     ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
       kept_at = excluded.kept_at
     WHERE kept.kept_at <= $6 OR kept.answer = $7
     RETURNING 1`,
    [accountId, idempotencyKey, bodyDigest, JSON.stringify(answer), now, now - ANSWERS_KEPT, JSON.stringify(earlier)],
  );
  if (won.length > 0) return undefined;
  const [row] = await db.rows<AnswerRow>(
    'SELECT body_digest, answer FROM answers WHERE account = (SELECT number FROM accounts WHERE id = $1) AND key = $2',
    [accountId, idempotencyKey],
  );
  // It was removed since: the key is free.
  return row === undefined
    ? claimAnswer(db, now, { accountId, idempotencyKey, bodyDigest, answer, earlier })
    : answerOf(row);
}
