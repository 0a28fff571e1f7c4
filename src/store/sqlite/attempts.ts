/** Attempts to deliver, by the time they were made. */
import { attemptPage, type TimedAttemptRow } from '../rows/deliveries.ts';
import type { AttemptQuery } from '../store.ts';
import type { Sql } from './sql.ts';

export const attemptReads = (sql: Sql) => ({
  attemptsOf: ({ accountId, webhookId, from, to, before, limit }: AttemptQuery) =>
    attemptPage(
      sql.rows<TimedAttemptRow>(
        `SELECT number, at, milliseconds, error FROM attempts INDEXED BY attempts_of_webhook
         WHERE webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = (SELECT number FROM accounts WHERE id = :account))
           AND at >= :from AND at < :to AND (at, number) < (:at, :number)
         ORDER BY at DESC, number DESC LIMIT :limit`,
        {
          webhook: webhookId,
          account: accountId,
          from: from.getTime(),
          to: to.getTime(),
          at: before?.at ?? to.getTime(),
          number: before?.number ?? Number.MAX_SAFE_INTEGER,
          limit,
        },
      ),
      limit,
    ),
});
