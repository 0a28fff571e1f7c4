/** Answers kept for repeated requests, for a day. */
import type { Clock } from '../../base/clock.ts';
import { type Db, deleteSlice } from '../db.ts';
import { parseColumn } from '../rows/texts.ts';

export interface AnswerStore {
  /** The stored answer for this account and key, or undefined; an answer is kept for a day. */
  remembered(accountId: string, idempotencyKey: string): Promise<RememberedAnswer | undefined>;
  /** A later answer takes the place of an earlier one. */
  remember(accountId: string, idempotencyKey: string, bodyDigest: string, answer: unknown): Promise<void>;
  /**
   * Stores the answer unless the account has one under this key. Of any number of callers, on any number of nodes, one is
   * answered `claimed`; the others get the answer that is stored. With `instead`, the stored answer is replaced if it is
   * still that one. `full`: the account has used all of its keys for the day.
   */
  claimAnswer(claim: AnswerClaim): Promise<'claimed' | 'full' | RememberedAnswer>;
}

export interface RememberedAnswer {
  readonly bodyDigest: string;
  readonly answer: unknown;
}

export interface AnswerClaim extends RememberedAnswer {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly instead?: unknown;
}

/** How long a repeated request gets the first answer. */
const ANSWERS_KEPT = 24 * 60 * 60 * 1000;
/** How many answers an account may have stored at a time: one key for each ten seconds of a day, more or less. */
export const ANSWERS_OF_ACCOUNT = 10_000;
/** Answers that go in one slice of removal. */
const OLD_SLICE = 1_000;

interface AnswerRow {
  readonly body_digest: string;
  readonly answer: string;
}

const answerOf = (row: AnswerRow): RememberedAnswer => ({
  bodyDigest: row.body_digest,
  answer: parseColumn<unknown>(row.answer),
});

const find = (db: Db, accountId: string, key: string, now: number): Promise<AnswerRow | undefined> =>
  db.row<AnswerRow>(
    `SELECT body_digest, answer FROM answers
     WHERE account = (SELECT number FROM accounts WHERE id = $1) AND key = $2 AND kept_at > $3`,
    [accountId, key, now - ANSWERS_KEPT],
  );

export const answerReads = (db: Db) => ({
  async rememberedAt(accountId: string, key: string, now: Date): Promise<RememberedAnswer | undefined> {
    const row = await find(db, accountId, key, now.getTime());
    return row && answerOf(row);
  },
});

export const answerWrites = (db: Db) => ({
  async rememberAt(accountId: string, key: string, bodyDigest: string, answer: unknown, now: Date): Promise<void> {
    await db.run(
      `INSERT INTO answers (account, key, body_digest, answer, kept_at)
       VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5)
       ON CONFLICT (account, key) DO UPDATE SET body_digest = excluded.body_digest, answer = excluded.answer,
         kept_at = excluded.kept_at`,
      [accountId, key, bodyDigest, JSON.stringify(answer), now.getTime()],
    );
  },
  async claimAnswerAt(claim: AnswerClaim, at: Date): Promise<'claimed' | 'full' | RememberedAnswer> {
    const now = at.getTime();
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
  const row = await db.row<{ answers: number }>(
    `SELECT count(*) AS answers FROM (SELECT 1 FROM answers
       WHERE account = (SELECT number FROM accounts WHERE id = $1) LIMIT ${ANSWERS_OF_ACCOUNT}) a`,
    [accountId],
  );
  return row!.answers >= ANSWERS_OF_ACCOUNT;
}

type Timed = ReturnType<typeof answerReads> & ReturnType<typeof answerWrites>;

/** The time is asked for where the caller is. */
export const answerStore = ({ rememberedAt, rememberAt, claimAnswerAt }: Timed, clock: Clock): AnswerStore => ({
  remembered: (accountId, key) => rememberedAt(accountId, key, clock.now()),
  remember: (accountId, key, digest, answer) => rememberAt(accountId, key, digest, answer, clock.now()),
  claimAnswer: (claim) => claimAnswerAt(claim, clock.now()),
});

/** A slice of those past their day; false when there was none. */
export const removeAnswers = async (db: Db, now: number): Promise<boolean> =>
  (await deleteSlice(db, 'answers', { key: 'account, key', of: 'kept_at <= $1 ORDER BY kept_at', limit: OLD_SLICE }, [
    now - ANSWERS_KEPT,
  ])) > 0;
