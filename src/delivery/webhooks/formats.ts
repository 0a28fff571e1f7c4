/** Bodies of deliveries: our own JSON, or a message as a chat takes it. */
import type { Match } from '../../domain/match.ts';
import type { Webhook, WebhookFormat } from '../../domain/webhook.ts';
import { type Summary, summaryOf } from './summary.ts';

export interface FormatPolicy {
  /** Matches in one delivery at most. */
  readonly matches: number;
  /** Deliveries under way at a time; chats take one after the other. */
  readonly inFlight: number;
}

/** Slack and Discord limit what is in a message; what does not fit goes into the next. */
export const FORMATS: Readonly<Record<WebhookFormat, FormatPolicy>> = {
  json: { matches: 100, inFlight: 4 },
  slack: { matches: 20, inFlight: 1 },
  discord: { matches: 10, inFlight: 1 },
};

/** A body grows no further than this, unless a single match is larger. */
const MAX_BODY = 256 * 1024;

/** How one match is written as JSON. */
export type Encode = (match: Match) => string;

export interface Body {
  readonly text: string;
  /** How many of the matches, from the first on, are in it. */
  readonly matches: number;
}

export function bodyOf(webhook: Pick<Webhook, 'id' | 'format'>, matches: readonly Match[], encode: Encode): Body {
  if (webhook.format === 'json') return jsonBody('matches', webhook.id, matches.map(encode));
  const write = webhook.format === 'slack' ? slackMessage : discordMessage;
  return { text: JSON.stringify(write(matches.map(summaryOf))), matches: matches.length };
}

/** What a test sends: as a delivery is, and recognisable. */
export function testBody(webhook: Pick<Webhook, 'id' | 'format'>, sample: Match, encode: Encode): string {
  if (webhook.format === 'json') return jsonBody('test', webhook.id, [encode(sample)]).text;
  const note = 'This is a test from Sluice. Matches will look like this:';
  const write = webhook.format === 'slack' ? slackMessage : discordMessage;
  return JSON.stringify(write([summaryOf(sample)], note));
}

function jsonBody(type: 'matches' | 'test', webhookId: string, encoded: readonly string[]): Body {
  let size = 0;
  const fits = encoded.findIndex((text, index) => {
    size += text.length;
    return size > MAX_BODY && index > 0;
  });
  const taken = fits === -1 ? encoded : encoded.slice(0, fits);
  const text = `{"type":${JSON.stringify(type)},"webhook_id":${JSON.stringify(webhookId)},"matches":[${taken.join(',')}]}`;
  return { text, matches: taken.length };
}

/** Slack's three characters; without them no text can mention anybody or hide a link. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function slackMessage(summaries: readonly Summary[], note?: string): object {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });
  const line = ({ rule, title, text, url }: Summary) =>
    [
      `*${slackText(rule)}*`,
      slackText(title),
      slackText(text),
      url === undefined ? '' : `<${slackText(url).replaceAll('|', '%7C')}>`,
    ]
      .filter((part) => part !== '')
      .join('\n');
  return {
    text: slackText(note ?? headline(summaries)),
    unfurl_links: false,
    blocks: [...(note === undefined ? [] : [section(slackText(note))]), ...summaries.map((one) => section(line(one)))],
  };
}

function discordMessage(summaries: readonly Summary[], note?: string): object {
  return {
    content: note ?? headline(summaries),
    // Whatever a post says, it calls nobody.
    allowed_mentions: { parse: [] },
    embeds: summaries.map(({ rule, title, text, url }) => ({
      title: title === '' ? rule : title,
      description: text,
      footer: { text: rule },
      ...(url !== undefined && { url }),
    })),
  };
}

const headline = (summaries: readonly Summary[]): string =>
  `${summaries.length} new ${summaries.length === 1 ? 'match' : 'matches'}: ${[...new Set(summaries.map(({ rule }) => rule))].join(', ')}`.slice(
    0,
    1_000,
  );
