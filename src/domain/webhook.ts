import type { Platform } from './platform.ts';
import type { QuietHours, WakeAccount, WakeContract } from './wake.ts';

/** A URL that receives matches. */
export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string;
  /** Only matches of these rules. Undefined: of all rules. */
  readonly ruleIds: readonly string[] | undefined;
  readonly platforms: readonly Platform[] | undefined;
  /** Only matches of events that these sources brought, by their ids. Undefined: from wherever. */
  readonly sources?: readonly string[] | undefined;
  /** The events that it gets. */
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  /** The interval of batches in milliseconds. Undefined: matches are sent immediately. */
  readonly every: number | undefined;
  /** It is undefined when every match wakes. */
  readonly wake?: WakeContract | undefined;
  /** The counts of the contract at its last decision; undefined when it has decided nothing yet. */
  readonly wakeAccount?: WakeAccount | undefined;
  /** Grows with every decision of the contract and every change of it. */
  readonly wakeTurn?: number;
  /** How its messages are written, where it has a text format. Undefined: in the usual way. */
  readonly template?: string | undefined;
  /** It is undefined when the webhook gets all notices of the events that it wants, at once. */
  readonly notices?: NoticeTerms | undefined;
  readonly status: WebhookStatus;
  /** Why it is disabled. */
  readonly reason: string | undefined;
  readonly createdAt: Date;
  readonly secrets: WebhookSecrets;
  /** Encrypted: what signs in at the receiver, such as the token of a bot. The URL has `***` in its place. */
  readonly credential?: string | undefined;
  /** The address whose owner agreed to be sent to. Of e-mail; nothing else goes to an address before that. */
  readonly confirmedUrl?: string | undefined;
  readonly health: WebhookHealth;
  /** The subscription of a webhook that an agent made with `events/subscribe`. */
  readonly subscription?: EventSubscription | undefined;
}

/** The subscription of an agent. It ends unless the agent asks again before `expiresAt`. */
export interface EventSubscription {
  /** The id stays the same for the same owner, URL, event and arguments. */
  readonly id: string;
  /** The grant or the key that it belongs to. It ends with it. */
  readonly ownerId: string;
  readonly event: EventName;
  /** The arguments of the subscriber, as canonical JSON. */
  readonly arguments: string;
  /** Nothing up to this position is sent. */
  readonly start: number;
  readonly expiresAt: Date;
  /** When the receiver last proved that it wants events. */
  readonly verifiedAt: Date;
  readonly refreshedAt: Date;
  /** The receiver answered 413: it gets events without text by strangers. */
  readonly isBrief: boolean;
}

export const EVENT_NAMES = ['match.created', 'story.created', 'alert.raised', 'gap.opened'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** `operational`: what its owner should know of the service itself, as `Notice` lists it. `alert`: surges and silences. `head`: heads of the log of certificates. */
export const WEBHOOK_EVENTS = ['match', 'operational', 'alert', 'head'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The subjects of notices. `silence`: rules that are silent; only webhooks that name it are told of these. */
export const NOTICE_KINDS = ['source', 'silence', 'rules', 'limit', 'webhook', 'upstream'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Which notices a webhook wants, and when it is left alone with them. */
export interface NoticeTerms {
  /** It is undefined for all kinds but `silence`. */
  readonly kinds?: readonly NoticeKind[] | undefined;
  /** Notices in these hours are sent when they are over. */
  readonly quiet?: QuietHours | undefined;
}

export const NOTICE_TYPES = [
  'webhook_failing',
  'webhook_disabled',
  'budget_near',
  'budget_spent',
  'budget_restored',
  'limit_near',
  'limit_reached',
  'limit_cleared',
  'token_refused',
  'rules_gone',
  'rules_back',
  'wake_expired',
  'source_failing',
  'source_moved',
  'source_recovered',
] as const;

/** Something that an owner should act on. It goes to the account's webhooks that want operational events. */
export interface Notice {
  readonly type: (typeof NOTICE_TYPES)[number];
  readonly at: Date;
  /** When what it tells of began, where that is not `at`: one notice is told of it, whoever finds it. */
  readonly began?: Date;
  /** In a sentence or two, with what to do. */
  readonly message: string;
  /** The subject of the notice: a webhook, a platform, a rule, a source or a limit. */
  readonly subject:
    | { readonly webhookId: string }
    | { readonly platform: Platform }
    | { readonly ruleId: string }
    | { readonly sourceId: string }
    | { readonly limit: string };
}

export const WEBHOOK_FORMATS = [
  'json',
  'cloudevents',
  'cloudevents-batch',
  'cloudevents-binary',
  'slack',
  'discord',
  'telegram',
  'ntfy',
  'teams',
  'matrix',
  'email',
  'ndjson',
  'parquet',
  'wake',
  'a2a',
] as const;
/** `mcp`: one event in each delivery, as agents that subscribe with MCP take it. */
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number] | 'mcp';

/** Matches for a paused webhook wait. A disabled webhook gets no new matches until the owner enables it. */
export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Encrypted, so that access to the database alone is not enough to sign. */
export interface WebhookSecrets {
  readonly current: string;
  /** The previous secret, which also signs for a day after a rotation. */
  readonly previous: string | undefined;
  readonly previousUntil: Date | undefined;
}

export interface WebhookHealth {
  readonly lastFailureAt: Date | undefined;
  /** Since when every attempt has failed; undefined after a success, and after a single failure. */
  readonly failingSince: Date | undefined;
}

/** A batch of matches for a webhook. Its content is fixed before the first attempt. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly createdAt: Date;
  readonly matches: number;
  /** The first of its matches, while that is stored and its rule is there. */
  readonly first?: { readonly matchId: string; readonly ruleId: string; readonly ruleName: string } | undefined;
  /** A delivery without matches has one. */
  readonly notice?: DeliveryNotice | undefined;
  /** It tells of held matches; until it is due, further ones may join. */
  readonly isDigest?: boolean;
  readonly status: DeliveryStatus;
  /** Why the delivery failed for good. */
  readonly reason: string | undefined;
  /** Why its content is not as its owner wanted it. */
  readonly note?: string | undefined;
  readonly nextAt: Date | undefined;
  /** Attempts since it was made or asked for again. One that an agent asks for counts as an attempt when it is first handed over. */
  readonly made: number;
  /** When its receiver said that it was woken by it. */
  readonly acknowledgedAt?: Date | undefined;
  readonly attempts: readonly Attempt[];
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt to deliver. */
export interface Attempt {
  readonly at: Date;
  readonly milliseconds: number;
  readonly statusCode: number | undefined;
  /** The error of the attempt; undefined if it succeeded. */
  readonly error: string | undefined;
  /** The start of the answer. */
  readonly response: string;
}

/** Below it a server serves the schemas of what it sends, each as `<name>.json`. */
export const SCHEMAS_PATH = '/schemas';

/** Alerts, heads and gaps are delivered as notices are. */
export type DeliveryNotice = Notice['type'] | 'alert' | 'head' | 'gap';

/** A notice for one webhook, with its bytes. */
export interface PreparedNotice {
  readonly id: string;
  readonly webhookId: string;
  readonly subject: DeliveryNotice;
  readonly body: string;
  /** The kind of receiver that the bytes are for. */
  readonly madeFor?: string;
  readonly at: Date;
  /** When it is sent, where that is later. */
  readonly dueAt?: Date | undefined;
}

export interface DueDelivery {
  readonly id: string;
  readonly nextAt: Date;
  /** Attempts made since it was created or asked for again. */
  readonly made: number;
  /** A digest whose bytes are not written yet. */
  readonly isUnwritten?: boolean;
  /** The kind of receiver that its bytes are for, where that is known. */
  readonly madeFor?: string;
}
