/** Answers kept for repeated requests, for a day. */
import type { Clock } from '../../base/clock.ts';
import { ANSWERS_KEPT } from '../rows/answers.ts';
import type { Store } from '../store.ts';
import type { Database } from './connection.ts';

export const answerStore = (db: Database, clock: Clock): Pick<Store, 'remembered' | 'remember'> => ({
  async remembered(accountId, key) {
    const [row] = await db.rows<{ body_digest: string; answer: string }>(
      `SELECT body_digest, answer FROM answers
       WHERE account = (SELECT number FROM accounts WHERE id = $1) AND key = $2 AND kept_at > $3`,
      [accountId, key, clock.now().getTime() - ANSWERS_KEPT],
    );
    return row === undefined ? undefined : { bodyDigest: row.body_digest, answer: JSON.parse(row.answer) as unknown };
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
});
