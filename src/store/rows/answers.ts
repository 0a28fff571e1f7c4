/** Answers kept for repeated requests. */
import type { RememberedAnswer } from '../store.ts';
import { parseColumn } from './texts.ts';

/** How long a repeated request gets the first answer. */
export const ANSWERS_KEPT = 24 * 60 * 60 * 1000;

/** How many answers an account may have stored at a time: one key for each ten seconds of a day, more or less. */
export const ANSWERS_OF_ACCOUNT = 10_000;

export interface AnswerRow {
  readonly body_digest: string;
  readonly answer: string;
}

export const answerOf = (row: AnswerRow): RememberedAnswer => ({
  bodyDigest: row.body_digest,
  answer: parseColumn<unknown>(row.answer),
});
