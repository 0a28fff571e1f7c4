/** The schemas of webhooks and deliveries, and the conversion of our types to them. */
import { z } from 'zod';
import { shownAddress, withoutAddress } from '../../delivery/webhooks/addresses.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import {
  type Attempt,
  DELIVERY_STATUSES,
  type Delivery,
  NOTICE_KINDS,
  NOTICE_TYPES,
  type NoticeTerms,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  WEBHOOK_STATUSES,
  type Webhook,
} from '../../domain/webhook.ts';
import { templateText } from '../outlets/message-template.ts';
import {
  hoursOf,
  listedQuiet,
  listedWake,
  listedWakeAccount,
  quiet,
  quietToJson,
  wakeAccountToJson,
  wakeToJson,
} from '../outlets/wake-shapes.ts';
import { RULES_GONE, rulesGone } from '../rules/rules-gone.ts';
import { characters, platform, ruleId, time, visibleName } from '../shapes.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SHORTEST = 1_000;
const LONGEST = 7 * UNITS.d;
const MOST_SOURCES = 100;

const millisecondsOf = (span: string): number => Number(span.slice(0, -1)) * UNITS[span.at(-1) as keyof typeof UNITS];

export const webhookId = z.string().describe('The id of a webhook, as Create Webhook returned it.');
export const deliveryId = z.string().describe('The id of a delivery, which is also its `webhook-id` header.');

export const batch = z
  .strictObject({
    every: z
      .string()
      .regex(/^\d{1,6}[smhd]$/, { error: 'It must be a duration such as 15m, 1h or 1d.', abort: true })
      .refine((span) => millisecondsOf(span) >= SHORTEST && millisecondsOf(span) <= LONGEST, {
        error: 'It must be between 1s and 7d.',
      })
      .describe(
        'A duration such as 15m, 1h or 1d. Batches are sent at multiples of it in UTC: on the quarter hour, the hour, and so on.',
      ),
  })
  .describe('Collects matches and sends them together. No match is left out.');

export const everyOf = ({ every }: z.infer<typeof batch>): number => millisecondsOf(every);

function spanOf(milliseconds: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((name) => milliseconds % UNITS[name] === 0)!;
  return `${milliseconds / UNITS[unit]}${unit}`;
}

/** The fields that the owner chooses. */
export const chosen = {
  url: characters(1, 2_048).describe(
    'Where deliveries are sent: https, a public host, port 443 or 8443; s3:// for objects. The documentation has the form for each format.',
  ),
  description: visibleName(0, 500),
  rule_ids: z.array(ruleId).min(1).max(1_000).describe('Only matches of these rules.'),
  platforms: z.array(platform).min(1).max(PLATFORMS.length).describe('Only matches of these platforms.'),
  sources: z
    .array(characters(1, 200))
    .min(1)
    .max(MOST_SOURCES)
    .describe('Only matches of events that these sources brought, by their ids in List Sources.'),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .describe(
      '`match`, `operational`, `alert`, `head`, or several. Operational events say that another webhook fails or was disabled, that the budget is spent, and, to the operator, that an upstream refuses the token. Alerts say that a watched rule surges or is silent, and that this ended. Heads are those of the log of certificates.',
    ),
  format: z
    .enum(WEBHOOK_FORMATS)
    .describe(
      '`json`, CloudEvents 1.0 in one of its three modes, a message for people in a chat, or objects of an hour (`ndjson`, `parquet`).',
    ),
  template: templateText.describe(
    'How messages of a chat or an e-mail are written, in Liquid. The guide to message templates has the fields. Preview Message tries it.',
  ),
  notices: z
    .strictObject({
      kinds: z
        .array(z.enum(NOTICE_KINDS))
        .min(1)
        .max(NOTICE_KINDS.length)
        .nullable()
        .optional()
        .describe('Only of these. Left out: all but `silence`.'),
      quiet: quiet
        .nullable()
        .optional()
        .describe('Hours of their own: what is told in them is sent when they are over.'),
    })
    .describe(
      'Which operational events it is told of, and when not. `silence` tells of rules that are silent, too. Its quiet hours are for alerts as well.',
    ),
  credential: characters(1, 4_096).describe(
    'What signs in at the receiver: the access token of a Matrix user or of ntfy, `name:password` for NATS and Kafka, or the access key of a bucket. It is stored encrypted and never returned. A secret inside the URL, such as the token of a Telegram bot, is moved here, and the URL then has `***` in its place.',
  ),
};

export const listedWebhook = z.object({
  id: z.string(),
  url: z
    .string()
    .describe(
      'Where it leads: scheme and host, with `***` for the rest, which may be a secret. Only the answer of Create Webhook has all of it.',
    ),
  description: z.string(),
  rule_ids: z.array(z.string()).nullable().describe('Null: all rules.'),
  platforms: z.array(z.enum(PLATFORMS)).nullable().describe('Null: all platforms.'),
  sources: z.array(z.string()).nullable().describe('Null: all sources.'),
  events: z.array(z.enum(WEBHOOK_EVENTS)).describe('What it is told of.'),
  format: z.enum(WEBHOOK_FORMATS),
  has_credential: z.boolean().describe('Whether a credential is stored.'),
  batch: z.object({ every: z.string() }).nullable(),
  wake: listedWake,
  wake_account: listedWakeAccount,
  template: z.string().optional().describe('Absent: messages are written in the usual way.'),
  notices: z
    .object({ kinds: z.array(z.enum(NOTICE_KINDS)).optional(), quiet: listedQuiet })
    .optional()
    .describe('Absent: all of its operational events, at once.'),
  status: z.enum(WEBHOOK_STATUSES),
  reason: z.string().nullable().describe('Why the webhook is disabled, or nothing comes to it.'),
  rules_gone: rulesGone,
  failing_since: time.nullable().describe('Since when every attempt has failed.'),
  created_at: time,
});

export const exampleWebhook: z.input<typeof listedWebhook> = {
  id: 'hook_01k3zqc4d6f8h0k2m4p6r8t0v2',
  url: 'https://example.com/***',
  description: 'Newsroom',
  rule_ids: null,
  platforms: ['x'],
  sources: null,
  events: ['match'],
  format: 'json',
  has_credential: false,
  batch: null,
  wake: null,
  wake_account: null,
  status: 'active',
  reason: null,
  failing_since: null,
  created_at: '2026-11-15T08:30:00.123Z',
};

const noticesToJson = ({ kinds, quiet: hours }: NoticeTerms) => ({
  ...(kinds && { kinds: [...kinds] }),
  ...(hours && { quiet: quietToJson(hours) }),
});

export const noticeTermsOf = ({ kinds, quiet: hours }: z.output<typeof chosen.notices>): NoticeTerms => ({
  ...(kinds && { kinds: NOTICE_KINDS.filter((kind) => kinds.includes(kind)) }),
  ...(hours && { quiet: hoursOf(hours) }),
});

export const webhookToJson = (webhook: Webhook, now: Date, isLeft = false): z.input<typeof listedWebhook> => ({
  id: webhook.id,
  url: shownAddress(webhook.url),
  description: webhook.description,
  rule_ids: webhook.ruleIds === undefined ? null : [...webhook.ruleIds],
  platforms: webhook.platforms === undefined ? null : [...webhook.platforms],
  sources: webhook.sources === undefined ? null : [...webhook.sources],
  events: [...webhook.events],
  format: WEBHOOK_FORMATS.find((one) => one === webhook.format) ?? 'json',
  has_credential: webhook.credential !== undefined,
  batch: webhook.every === undefined ? null : { every: spanOf(webhook.every) },
  wake: wakeToJson(webhook.wake),
  wake_account: wakeAccountToJson(webhook, now),
  ...(webhook.template !== undefined && { template: webhook.template }),
  ...(webhook.notices && { notices: noticesToJson(webhook.notices) }),
  status: webhook.status,
  reason: webhook.reason === undefined ? (isLeft ? RULES_GONE : null) : withoutAddress(webhook.reason, webhook.url),
  ...(isLeft && { rules_gone: true as const }),
  failing_since: webhook.health.failingSince?.toISOString() ?? null,
  created_at: webhook.createdAt.toISOString(),
});

export const listedAttempt = z.object({
  at: time,
  milliseconds: z.int(),
  status_code: z.int().nullable().describe('Null if there was no answer.'),
  error: z.string().nullable().describe('What went wrong; null if the delivery succeeded.'),
  response: z.string().describe('The start of the answer.'),
});

export const attemptToJson = ({
  at,
  milliseconds,
  statusCode,
  error,
  response,
}: Attempt): z.input<typeof listedAttempt> => ({
  at: at.toISOString(),
  milliseconds,
  status_code: statusCode ?? null,
  error: error ?? null,
  response,
});

export const listedDelivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  created_at: time,
  status: z.enum(DELIVERY_STATUSES),
  reason: z.string().nullable().describe('Why the delivery failed for good, or that nobody acknowledged it.'),
  note: z
    .string()
    .optional()
    .describe('Why its content is not as the webhook asks for: its template could not be used.'),
  matches: z.int().describe('How many matches the delivery has; 0 for an operational event, an alert or a head.'),
  first_match: z
    .object({ id: z.string(), rule_id: z.string(), rule_name: z.string() })
    .optional()
    .describe('The first of its matches, while that is stored and its rule is there.'),
  notice: z
    .enum([...NOTICE_TYPES, 'alert', 'head', 'gap'])
    .optional()
    .describe('What a delivery without matches tells of.'),
  digest: z
    .literal(true)
    .optional()
    .describe(
      'It tells of held matches. Further ones may join it until `next_attempt_at`. Absent for other deliveries.',
    ),
  next_attempt_at: time.nullable(),
  attempts: z.array(listedAttempt).describe('The last twenty attempts, oldest first.'),
});

const firstToJson = (first: NonNullable<Delivery['first']>) => ({
  id: first.matchId,
  rule_id: first.ruleId,
  rule_name: first.ruleName,
});

export const deliveryToJson = (delivery: Delivery): z.input<typeof listedDelivery> => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  created_at: delivery.createdAt.toISOString(),
  status: delivery.status,
  reason: delivery.reason ?? null,
  ...(delivery.note !== undefined && { note: delivery.note }),
  matches: delivery.matches,
  ...(delivery.first !== undefined && { first_match: firstToJson(delivery.first) }),
  ...(delivery.notice !== undefined && { notice: delivery.notice }),
  ...(delivery.isDigest && { digest: true as const }),
  next_attempt_at: delivery.nextAt?.toISOString() ?? null,
  attempts: delivery.attempts.map(attemptToJson),
});
