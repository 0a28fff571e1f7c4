/** Bodies of deliveries: our own JSON, or a message as a chat takes it. */
import type { Alert } from '../../domain/alert.ts';
import type { Match } from '../../domain/match.ts';
import type { Notice, Webhook, WebhookFormat } from '../../domain/webhook.ts';
import { summaryOf } from '../../wakes/summary.ts';
import { alertToJson, describeAlert } from '../alert-text.ts';
import { type ChatSummary, discordMessage, discordText, slackMessage } from './chat-messages.ts';

export interface FormatPolicy {
  /** Matches in one delivery at most. */
  readonly matches: number;
  /** Deliveries under way at a time; chats take one after the other. */
  readonly inFlight: number;
}

/** Slack and Discord limit the size of a message; further matches go into the next message. */
export const FORMATS: Readonly<Record<WebhookFormat, FormatPolicy>> = {
  json: { matches: 100, inFlight: 4 },
  slack: { matches: 20, inFlight: 1 },
  discord: { matches: 10, inFlight: 1 },
  mcp: { matches: 1, inFlight: 4 },
};

/** The most bytes of a JSON body, unless it holds a single match that is larger. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Writes one match as JSON. `rateUrl`: the page where a person can rate it, for chats; no address that rates by being opened. */
export type Encode = ((match: Match) => string) & { readonly rateUrl?: (match: Match) => string };

const chatSummary = (match: Match, { rateUrl }: Encode): ChatSummary => ({
  ...summaryOf(match),
  rateUrl: rateUrl?.(match),
});

export interface DeliveryBody {
  readonly text: string;
  /** How many of the matches, from the first on, are in the body. */
  readonly matches: number;
}

export function deliveryBody(
  webhook: Pick<Webhook, 'id' | 'format' | 'wake'>,
  matches: readonly Match[],
  encode: Encode,
): DeliveryBody {
  // What an agent takes is written of single matches, in `events.ts`.
  if (webhook.format === 'json' || webhook.format === 'mcp')
    return jsonBody('matches', webhook.id, matches, encode, webhook.wake === undefined ? '' : '"wake":true,');
  const write = webhook.format === 'slack' ? slackMessage : discordMessage;
  return { text: JSON.stringify(write(matches.map((match) => chatSummary(match, encode)))), matches: matches.length };
}

/** The body of a test: like a delivery, and marked as a test. */
export function testBody(webhook: Pick<Webhook, 'id' | 'format'>, sample: Match, encode: Encode): string {
  if (webhook.format === 'json') return jsonBody('test', webhook.id, [sample], encode).text;
  const note = 'This is a test from Sluice. Matches will look like this:';
  const write = webhook.format === 'slack' ? slackMessage : discordMessage;
  return JSON.stringify(write([chatSummary(sample, encode)], note));
}

/** The body of a notice: JSON of its own type, or a message for a chat. */
export function noticeBody(webhook: Pick<Webhook, 'id' | 'format'>, { type, at, message, subject }: Notice): string {
  if (webhook.format === 'slack') return JSON.stringify(slackMessage([], message));
  if (webhook.format === 'discord') return JSON.stringify(discordMessage([], discordText(message, LONGEST_NOTICE)));
  const about = 'webhookId' in subject ? { webhook_id: subject.webhookId } : { platform: subject.platform };
  const event = { type, at: at.toISOString(), message, about };
  // The list is there, so that a receiver that goes through matches finds none.
  return JSON.stringify({ type: 'operational', webhook_id: webhook.id, matches: [], event });
}

/** The body of an alert: JSON with the alert, or a sentence for a chat. */
export function alertBody(webhook: Pick<Webhook, 'id' | 'format'>, alert: Alert): string {
  const message = describeAlert(alert);
  if (webhook.format === 'slack') return JSON.stringify(slackMessage([], message));
  if (webhook.format === 'discord') return JSON.stringify(discordMessage([], discordText(message, LONGEST_NOTICE)));
  return JSON.stringify({ type: 'alert', webhook_id: webhook.id, matches: [], alert: alertToJson(alert) });
}

/** Discord takes messages of 2,000 characters. */
const LONGEST_NOTICE = 1_500;

function jsonBody(
  type: 'matches' | 'test',
  webhookId: string,
  matches: readonly Match[],
  encode: Encode,
  more = '',
): DeliveryBody {
  const head = `{"type":${JSON.stringify(type)},"webhook_id":${JSON.stringify(webhookId)},${more}"matches":[`;
  const taken: string[] = [];
  let bytes = Buffer.byteLength(head) + 2;
  for (const match of matches) {
    const text = encode(match);
    bytes += Buffer.byteLength(text) + (taken.length === 0 ? 0 : 1);
    if (bytes > MAX_BODY_BYTES && taken.length > 0) break;
    taken.push(text);
  }
  return { text: `${head}${taken.join(',')}]}`, matches: taken.length };
}
