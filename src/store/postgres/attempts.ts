/** Attempts to deliver by the time they were made, and deliveries that were asked for by hand. */
import { attemptPage, type TimedAttemptRow } from '../rows/deliveries.ts';
import type { DeliveryStore } from '../store.ts';
import type { Database } from './connection.ts';
import { insertSent } from './delivery-writes.ts';
import { ring } from './nodes.ts';

export type AttemptStore = Pick<DeliveryStore, 'attemptsOf' | 'sendMatch'>;

export const attemptStore = (database: Database): AttemptStore => ({
  async attemptsOf({ accountId, webhookId, from, to, before, limit }) {
    const rows = await database.rows<TimedAttemptRow>(
      `SELECT number, at, milliseconds, error FROM attempts
       WHERE webhook = (SELECT number FROM webhooks WHERE id = $2 AND account = (SELECT number FROM accounts WHERE id = $1))
         AND at >= $3 AND at < $4 AND (at, number) < ($5, $6) ORDER BY at DESC, number DESC LIMIT $7`,
      [
        accountId,
        webhookId,
        from.getTime(),
        to.getTime(),
        before?.at ?? to.getTime(),
        before?.number ?? Number.MAX_SAFE_INTEGER,
        limit,
      ],
    );
    return attemptPage(rows, limit);
  },
  async sendMatch(sending) {
    const isSent = await database.transaction((db) => insertSent(db, sending));
    await ring(database, [sending.accountId]);
    return isSent;
  },
});
