/** Rows of deliveries and their attempts. */
import type { Attempt, Delivery, DeliveryStatus } from '../../domain/webhook.ts';
import type { PendingDelivery } from '../store.ts';
import { dateOrNone, decodeText } from './texts.ts';

export interface DeliveryRow {
  readonly number: number;
  readonly id: string;
  readonly webhook_id: string;
  readonly created_at: number;
  readonly matches: number;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly next_at: number | null;
  readonly digest: number | null;
}

export interface TimedAttemptRow {
  readonly number: number;
  readonly at: number;
  readonly milliseconds: number;
  readonly error: string | null;
}

/** A full page says where the next one begins. */
export function attemptPage(rows: readonly TimedAttemptRow[], limit: number) {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    attempts: rows.map(({ at, milliseconds, error }) => ({
      at: new Date(at),
      milliseconds,
      isDelivered: error === null,
    })),
    next: last && { at: last.at, number: last.number },
  };
}

export interface AttemptRow {
  readonly at: number;
  readonly milliseconds: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly response: string;
}

export const deliveryOf = (row: DeliveryRow, attempts: readonly Attempt[]): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  createdAt: new Date(row.created_at),
  matches: row.matches,
  status: row.status,
  reason: row.reason === null ? undefined : decodeText(row.reason),
  nextAt: dateOrNone(row.next_at),
  ...(row.digest !== null && { isDigest: true }),
  attempts,
});

export const attemptOf = (row: AttemptRow): Attempt => ({
  at: new Date(row.at),
  milliseconds: row.milliseconds,
  statusCode: row.status_code ?? undefined,
  error: row.error === null ? undefined : decodeText(row.error),
  response: decodeText(row.response),
});

export interface PendingRow {
  readonly id: string;
  readonly next_at: number;
  readonly made: number;
  readonly unwritten: number | boolean;
}

export const pendingOf = ({ id, next_at, made, unwritten }: PendingRow): PendingDelivery => ({
  id,
  nextAt: new Date(next_at),
  made,
  ...(unwritten && { isUnwritten: true }),
});
