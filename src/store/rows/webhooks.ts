/** Rows of webhooks. */
import type { Platform } from '../../domain/platform.ts';
import type { WakeAccount, WakeContract } from '../../domain/wake.ts';
import type { EventName, Webhook, WebhookFormat, WebhookStatus } from '../../domain/webhook.ts';
import { timeOf } from '../order.ts';
import type { Agenda, WebhookChange } from '../store.ts';
import { subscriptionOf } from './subscriptions.ts';
import { dateOrNone, decodeText, encodeText, parseColumn, textOrNull, timeOrNull } from './texts.ts';

export interface WebhookRow {
  readonly id: string;
  readonly account_id: string;
  readonly status: WebhookStatus;
  readonly created_at: number;
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  readonly rule_ids: string | null;
  readonly platforms: string | null;
  readonly every: number | null;
  readonly events: string | null;
  readonly reason: string | null;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
  readonly last_failure_at: number | null;
  readonly failing_since: number | null;
  readonly subscription: string | null;
  readonly owner: string | null;
  readonly event: EventName | null;
  readonly expires_at: number | null;
  readonly brief: number;
  readonly terms: string | null;
  readonly wake: string | null;
  readonly wake_account: string | null;
  readonly wake_turn: number;
  readonly credential: string | null;
  readonly confirmed_url: string | null;
}

export interface AgendaRow extends WebhookRow {
  readonly oldest: number | null;
  readonly owed: number;
  readonly pending: number;
  readonly next_at: number | null;
}

type Chosen = Pick<Webhook, 'url' | 'description' | 'format' | 'events'> & {
  readonly [Name in 'ruleIds' | 'platforms' | 'every']: Webhook[Name] | null;
} & { readonly wake?: WakeContract | null | undefined };

/** What its owner chose. */
export const columnsOf = (webhook: Chosen) => ({
  url: encodeText(webhook.url),
  description: encodeText(webhook.description),
  format: webhook.format,
  ruleIds: listOrNone(webhook.ruleIds),
  platforms: listOrNone(webhook.platforms),
  every: webhook.every ?? null,
  events: JSON.stringify(webhook.events),
  wake: webhook.wake === undefined || webhook.wake === null ? null : JSON.stringify(webhook.wake),
});

/** What its receiver asks for, and agreed to. */
export const receiverColumns = (
  webhook: {
    readonly [Name in 'credential' | 'confirmedUrl']?: Webhook[Name] | null;
  },
) => ({
  credential: webhook.credential ?? null,
  confirmedUrl: textOrNull(webhook.confirmedUrl ?? undefined),
});

/** All columns of a webhook after a change. Made active, it starts with a clean record. */
export function changedColumns(webhook: Webhook, change: WebhookChange) {
  const changed = { ...webhook, ...change };
  const clean = change.status === 'active';
  return {
    ...columnsOf(changed),
    ...receiverColumns(changed),
    status: changed.status,
    reason: clean ? null : textOrNull(change.reason ?? webhook.reason),
    secret: changed.secrets.current,
    previous: changed.secrets.previous ?? null,
    previousUntil: timeOrNull(changed.secrets.previousUntil),
    lastFailureAt: clean ? null : timeOrNull(webhook.health.lastFailureAt),
    failingSince: clean ? null : timeOrNull(webhook.health.failingSince),
    // What was decided from the contract before is void.
    wakeTurn: (webhook.wakeTurn ?? 0) + (change.wake === undefined ? 0 : 1),
  };
}

const listOrNone = (list: readonly string[] | null | undefined): string | null =>
  list === undefined || list === null ? null : JSON.stringify(list);

/** A webhook that was made before there were others is told of matches. */
const eventsOf = (events: string | null): Webhook['events'] =>
  events === null ? ['match'] : parseColumn<Webhook['events']>(events);

export const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  accountId: row.account_id,
  url: decodeText(row.url),
  description: decodeText(row.description),
  ruleIds: row.rule_ids === null ? undefined : parseColumn<string[]>(row.rule_ids),
  platforms: row.platforms === null ? undefined : parseColumn<Platform[]>(row.platforms),
  format: row.format,
  events: eventsOf(row.events),
  every: row.every ?? undefined,
  status: row.status,
  reason: row.reason === null ? undefined : decodeText(row.reason),
  createdAt: new Date(row.created_at),
  secrets: {
    current: row.secret,
    previous: row.previous_secret ?? undefined,
    previousUntil: dateOrNone(row.previous_until),
  },
  health: { lastFailureAt: dateOrNone(row.last_failure_at), failingSince: dateOrNone(row.failing_since) },
  subscription: subscriptionOf(row),
  ...(row.wake !== null && {
    wake: parseColumn<WakeContract>(row.wake),
    wakeAccount: row.wake_account === null ? undefined : accountOfColumn(row.wake_account),
  }),
  ...(row.wake_turn > 0 && { wakeTurn: row.wake_turn }),
  ...(row.credential !== null && { credential: row.credential }),
  ...(row.confirmed_url !== null && { confirmedUrl: decodeText(row.confirmed_url) }),
});

/** A contract's account in one column. */
export const wakeAccountColumn = ({ windowFrom, wakes, held, stories }: WakeAccount): string =>
  JSON.stringify([windowFrom.getTime(), wakes, held, stories]);

function accountOfColumn(column: string): WakeAccount {
  const [windowFrom, wakes, held, stories] = parseColumn<[number, number, number, number]>(column);
  return { windowFrom: new Date(windowFrom), wakes, held, stories };
}

export const agendaOf = (row: AgendaRow): Agenda => ({
  webhook: webhookOf(row),
  owedSince: row.oldest === null ? undefined : new Date(timeOf(row.oldest)),
  owed: row.owed,
  pending: row.pending,
  nextAt: dateOrNone(row.next_at),
});
