/** Webhooks, and who delivers to them. A `note` goes into the audit log with the change. */
import type { Change } from '../../domain/change.ts';
import type { Platform } from '../../domain/platform.ts';
import type { WakeAccount, WakeContract } from '../../domain/wake.ts';
import type {
  EventName,
  EventSubscription,
  NoticeTerms,
  Webhook,
  WebhookFormat,
  WebhookStatus,
} from '../../domain/webhook.ts';
import { countRows, type Db } from '../db.ts';
import { timeOf } from '../order.ts';
import { lockAccount, storeTime, timeGiven } from '../rows/locks.ts';
import { dateOrNone, decodeName, decodeText, encodeText, parseColumn, textOrNull, timeOrNull } from '../rows/texts.ts';
import { noted } from './changes.ts';
import { ring } from './nodes.ts';

export interface WebhookStore {
  /** False when the account has `limit` webhooks already. */
  addWebhook(webhook: Webhook, limit: number, note?: Change): Promise<boolean>;
  /** Oldest first. */
  webhooks(accountId: string): Promise<Webhook[]>;
  webhook(accountId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Changes the given fields. False when the account has no such webhook. */
  changeWebhook(accountId: string, webhookId: string, change: WebhookChange, note?: Change): Promise<boolean>;
  /** Out of sight at once, with its deliveries; they leave the disk through `removeSlice`. */
  deleteWebhook(accountId: string, webhookId: string, note?: Change): Promise<boolean>;
}

/** For the process that delivers. Not scoped. */
export interface ClaimStore {
  /** Active webhooks that are owed something, or an acknowledgement: all of them, of an account, or one. */
  agenda(of: { accountId?: string; webhookId?: string }): Promise<Agenda[]>;
  /** The webhooks of every account that want heads of the log of certificates. */
  headWebhooks(): Promise<Webhook[]>;
  /** Takes an active webhook for one holder until a time, unless another has it. Answers who has it now. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  /** Gives back what a holder has. */
  releaseWebhooks(holder: string): Promise<void>;
}

/** A null takes the value away. */
export interface WebhookChange {
  readonly url?: string;
  readonly description?: string;
  readonly ruleIds?: Webhook['ruleIds'] | null;
  readonly platforms?: Webhook['platforms'] | null;
  readonly sources?: Webhook['sources'] | null;
  readonly format?: Webhook['format'];
  readonly events?: Webhook['events'];
  readonly every?: number | null;
  readonly wake?: WakeContract | null;
  readonly template?: string | null;
  readonly notices?: Webhook['notices'] | null;
  /** Made active, a webhook starts with a clean record. */
  readonly status?: Webhook['status'];
  /** Why it is disabled from now on. */
  readonly reason?: string;
  readonly secrets?: Webhook['secrets'];
  readonly credential?: string | null;
  readonly confirmedUrl?: string | null;
}

export interface Agenda {
  readonly webhook: Webhook;
  /** When the oldest match that waits for a batch was stored. */
  readonly owedSince: Date | undefined;
  /** How many wait, counted up to a full batch. */
  readonly owed: number;
  /** Deliveries under way, counted up to a thousand. */
  readonly pending: number;
  readonly nextAt: Date | undefined;
  /** When the first wake that was delivered and asks to be acknowledged is given up. */
  readonly acknowledgeBy: Date | undefined;
}

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
  readonly sources: string | null;
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
  readonly template: string | null;
  readonly notices: string | null;
  readonly credential: string | null;
  readonly confirmed_url: string | null;
}

interface AgendaRow extends WebhookRow {
  readonly oldest: number | null;
  readonly owed: number;
  readonly pending: number;
  readonly next_at: number | null;
  readonly acknowledge_by: number | null;
}

type Chosen = Pick<Webhook, 'url' | 'description' | 'format' | 'events'> & {
  readonly [Name in 'ruleIds' | 'platforms' | 'every']: Webhook[Name] | null;
} & {
  readonly wake?: WakeContract | null | undefined;
  readonly sources?: Webhook['sources'] | null;
  readonly template?: Webhook['template'] | null;
  readonly notices?: Webhook['notices'] | null;
};

/** The columns that its owner chose. */
export const columnsOf = (webhook: Chosen) => ({
  url: encodeText(webhook.url),
  description: encodeText(webhook.description),
  format: webhook.format,
  ruleIds: listOrNone(webhook.ruleIds),
  platforms: listOrNone(webhook.platforms),
  sources: listOrNone(webhook.sources),
  every: webhook.every ?? null,
  events: JSON.stringify(webhook.events),
  wake: webhook.wake === undefined || webhook.wake === null ? null : JSON.stringify(webhook.wake),
  template: textOrNull(webhook.template ?? undefined),
  notices: webhook.notices === undefined || webhook.notices === null ? null : JSON.stringify(webhook.notices),
});

/** The columns that its receiver asks for, and agreed to. */
const receiverColumns = (
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
    // A decision made under the old contract is void.
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
  description: decodeName(row.description),
  ruleIds: row.rule_ids === null ? undefined : parseColumn<string[]>(row.rule_ids),
  platforms: row.platforms === null ? undefined : parseColumn<Platform[]>(row.platforms),
  ...(row.sources !== null && { sources: parseColumn<string[]>(row.sources) }),
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
  ...(row.template !== null && { template: decodeText(row.template) }),
  ...(row.notices !== null && { notices: parseColumn<NoticeTerms>(row.notices) }),
  ...(row.credential !== null && { credential: row.credential }),
  ...(row.confirmed_url !== null && { confirmedUrl: decodeText(row.confirmed_url) }),
});

interface SubscriptionColumns {
  readonly subscription: string | null;
  readonly owner: string | null;
  readonly event: EventName | null;
  readonly expires_at: number | null;
  readonly brief: number;
  readonly terms: string | null;
}

/** Terms of a subscription that no statement searches by. */
interface Terms {
  readonly arguments: string;
  readonly start: number;
  readonly verifiedAt: number;
  readonly refreshedAt: number;
}

export const subscriptionValues = (subscription: EventSubscription) => ({
  subscription: subscription.id,
  owner: subscription.ownerId,
  event: subscription.event,
  expiresAt: subscription.expiresAt.getTime(),
  brief: subscription.isBrief ? 1 : 0,
  terms: JSON.stringify({
    arguments: subscription.arguments,
    start: subscription.start,
    verifiedAt: subscription.verifiedAt.getTime(),
    refreshedAt: subscription.refreshedAt.getTime(),
  } satisfies Terms),
});

export function subscriptionOf(row: SubscriptionColumns): EventSubscription | undefined {
  const { subscription, owner, event, expires_at, terms } = row;
  if (subscription === null || owner === null || event === null || expires_at === null || terms === null)
    return undefined;
  const { start, verifiedAt, refreshedAt, ...rest } = parseColumn<Terms>(terms);
  return {
    id: subscription,
    ownerId: owner,
    event,
    arguments: rest.arguments,
    start,
    expiresAt: new Date(expires_at),
    verifiedAt: new Date(verifiedAt),
    refreshedAt: new Date(refreshedAt),
    isBrief: row.brief === 1,
  };
}

/** A contract's account in one column. */
export const wakeAccountColumn = ({ windowFrom, wakes, held, stories, waiting, memory }: WakeAccount): string =>
  JSON.stringify([windowFrom.getTime(), wakes, held, stories, waiting ?? null, memory ?? null]);

export function accountOfColumn(column: string): WakeAccount {
  type Columns = [number, number, number, number, (WakeAccount['waiting'] | null)?, (WakeAccount['memory'] | null)?];
  const [windowFrom, wakes, held, stories, waiting, memory] = parseColumn<Columns>(column);
  const kept = { ...(waiting && { waiting }), ...(memory && { memory }) };
  return { windowFrom: new Date(windowFrom), wakes, held, stories, ...kept };
}

export const agendaOf = (row: AgendaRow): Agenda => ({
  webhook: webhookOf(row),
  owedSince: row.oldest === null ? undefined : new Date(timeOf(row.oldest)),
  owed: row.owed,
  pending: row.pending,
  nextAt: dateOrNone(row.next_at),
  acknowledgeBy: dateOrNone(row.acknowledge_by),
});

const SEEN = `status IN ('active', 'paused', 'disabled')`;
const OF_ACCOUNT = `account = (SELECT number FROM accounts WHERE id = $1) AND ${SEEN}`;

/** Counting goes no further: beyond it nothing is decided differently. */
const MAX_OWED = 100;
const MAX_PENDING = 1_000;

export const selectWebhooks = (which: string, along = ''): string =>
  `SELECT w.*, a.id AS account_id FROM webhooks w ${along} JOIN accounts a ON a.number = w.account WHERE ${which}`;

const agendaSql = (which: string): string =>
  `SELECT w.*, a.id AS account_id,
     (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest,
     (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = w.number AND delivery IS NULL LIMIT ${MAX_OWED}) o) AS owed,
     (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE webhook = w.number AND status = 'pending' LIMIT ${MAX_PENDING}) d) AS pending,
     (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'pending') AS next_at,
     (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'delivered' AND next_at IS NOT NULL) AS acknowledge_by
   FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status = 'active' AND a.suspended_at IS NULL AND ${which}`;

async function webhookIn(db: Db, accountId: string, id: string, lock = ''): Promise<Webhook | undefined> {
  const row = await db.row<WebhookRow>(`${selectWebhooks(`w.id = $2 AND a.id = $1 AND w.${SEEN}`)} ${lock}`, [
    accountId,
    id,
  ]);
  return row && webhookOf(row);
}

export const webhookReads = (
  db: Db,
): Pick<WebhookStore & ClaimStore, 'webhooks' | 'webhook' | 'agenda' | 'headWebhooks'> => ({
  async webhooks(accountId) {
    const of = `w.account = (SELECT number FROM accounts WHERE id = $1) AND w.${SEEN} AND w.subscription IS NULL`;
    return (await db.rows<WebhookRow>(`${selectWebhooks(of)} ORDER BY w.number`, [accountId])).map(webhookOf);
  },
  webhook: (accountId, id) => webhookIn(db, accountId, id),
  async headWebhooks() {
    const of = `w.events LIKE '%"head"%' AND w.status IN ('active', 'paused')`;
    const along = '/*sqlite INDEXED BY webhooks_for_heads */';
    return (await db.rows<WebhookRow>(`${selectWebhooks(of, along)} ORDER BY w.number`)).map(webhookOf);
  },
  agenda: async (of) =>
    (await agendaRows(db, of))
      .map(agendaOf)
      .filter(({ owed, pending, acknowledgeBy }) => owed + pending > 0 || acknowledgeBy !== undefined),
});

function agendaRows(
  db: Db,
  { accountId, webhookId }: { accountId?: string; webhookId?: string },
): Promise<AgendaRow[]> {
  if (webhookId !== undefined) return db.rows<AgendaRow>(agendaSql('w.id = $1'), [webhookId]);
  if (accountId === undefined) return db.rows<AgendaRow>(agendaSql('true'));
  return db.rows<AgendaRow>(agendaSql('w.account = (SELECT number FROM accounts WHERE id = $1)'), [accountId]);
}

export const webhookWrites = (db: Db): Pick<WebhookStore, 'addWebhook' | 'changeWebhook' | 'deleteWebhook'> => ({
  addWebhook: (webhook, limit, note) =>
    db.transaction(async (tx) => noted(tx, webhook.accountId, note, await addWebhook(tx, webhook, limit))),
  changeWebhook: (accountId, id, change, note) =>
    db.transaction(async (tx) => noted(tx, accountId, note, await changeWebhook(tx, accountId, id, change))),
  deleteWebhook: (accountId, id, note) =>
    db.transaction(async (tx) => {
      const deleted = await tx.run(`UPDATE webhooks SET status = 'deleted' WHERE ${OF_ACCOUNT} AND id = $2`, [
        accountId,
        id,
      ]);
      return noted(tx, accountId, note, deleted === 1);
    }),
});

async function addWebhook(db: Db, webhook: Webhook, limit: number): Promise<boolean> {
  await lockAccount(db, webhook.accountId);
  const held = await countRows(db, 'webhooks', `${OF_ACCOUNT} AND subscription IS NULL`, [webhook.accountId]);
  if (held >= limit) return false;
  const { url, description, format, ruleIds, platforms, sources, every, events, wake, template, notices } =
    columnsOf(webhook);
  const { credential, confirmedUrl } = receiverColumns(webhook);
  await db.run(
    `INSERT INTO webhooks (id, account, created_at, url, description, format, rule_ids, platforms, every, secret, events, wake,
       credential, confirmed_url, status, reason, sources, template, notices)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [
      [webhook.id, webhook.accountId, webhook.createdAt, url, description, format, ruleIds, platforms, every],
      [webhook.secrets.current, events, wake, credential, confirmedUrl, webhook.status, textOrNull(webhook.reason)],
      [sources, template, notices],
    ].flat(),
  );
  return true;
}

async function changeWebhook(db: Db, accountId: string, id: string, change: WebhookChange): Promise<boolean> {
  const webhook = await webhookIn(db, accountId, id, 'FOR UPDATE OF w');
  if (webhook === undefined) return false;
  const row = changedColumns(webhook, change);
  await db.run(
    `UPDATE webhooks SET status = $2, url = $3, description = $4, format = $5, rule_ids = $6, platforms = $7,
       every = $8, reason = $9, secret = $10, previous_secret = $11, previous_until = $12, last_failure_at = $13,
       failing_since = $14, events = $15, wake = $16, wake_turn = $17, credential = $18, confirmed_url = $19, sources = $20,
       template = $21, notices = $22
     WHERE id = $1`,
    [
      [id, row.status, row.url, row.description, row.format, row.ruleIds, row.platforms, row.every, row.reason],
      [row.secret, row.previous, row.previousUntil, row.lastFailureAt, row.failingSince, row.events, row.wake],
      [row.wakeTurn, row.credential, row.confirmedUrl, row.sources, row.template, row.notices],
    ].flat(),
  );
  await ring(db, [accountId]);
  return true;
}

export const claimWrites = (db: Db): Pick<ClaimStore, 'claimWebhook' | 'releaseWebhooks'> => ({
  async claimWebhook(id, { holder, now, until }) {
    const claimed = await db.row<{ claimed_by: string }>(
      `UPDATE webhooks SET claimed_by = $2, claimed_until = ${storeTime(db, '$3')} + $4 WHERE number =
         (SELECT number FROM webhooks WHERE id = $1 AND status = 'active'
            AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until <= ${storeTime(db, '$3')}) FOR UPDATE SKIP LOCKED)
       RETURNING claimed_by`,
      [id, holder, timeGiven(db, now), until.getTime() - now.getTime()],
    );
    if (claimed !== undefined) return claimed.claimed_by;
    const other = await db.row<{ claimed_by: string | null }>(
      `SELECT claimed_by FROM webhooks WHERE id = $1 AND status = 'active'`,
      [id],
    );
    return other?.claimed_by ?? undefined;
  },
  async releaseWebhooks(holder) {
    await db.run('UPDATE webhooks SET claimed_by = NULL WHERE claimed_by = $1', [holder]);
  },
});
