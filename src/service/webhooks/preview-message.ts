/** Preview Message: what a template makes of a real match. Send Match: one match to one webhook, now. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { CHANNEL_TEXTS } from '../../delivery/templates/channel-text.ts';
import { fieldsOfMatch, type MessageFields } from '../../delivery/templates/fields.ts';
import type { MessagePiece } from '../../delivery/templates/template.ts';
import { TemplateFault } from '../../delivery/templates/template-problems.ts';
import { CHATS } from '../../delivery/webhooks/chats/chats.ts';
import { deliveryBody, receiverKind } from '../../delivery/webhooks/formats.ts';
import type { Match } from '../../domain/match.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { exampleMatch } from '../matches/matches.ts';
import { unknownMatch } from '../matches/rate-match.ts';
import {
  digestToTry,
  MESSAGE_FORMATS,
  type MessageFormat,
  readTemplate,
  SAMPLE_POST,
  templateIssues,
  templateText,
} from '../outlets/message-template.ts';
import { fieldsOf } from '../rules/rule-problems.ts';
import { checkEnabled, exampleDelivery } from './deliveries.ts';
import { operation, type WebhooksRoom } from './room.ts';
import { deliveryToJson, exampleWebhook, listedDelivery, webhookId } from './webhook-shapes.ts';
import { findWebhook } from './webhooks.ts';

/** Matches that a digest is tried on. */
const IN_DIGEST = 20;

const format = z
  .enum(MESSAGE_FORMATS)
  .describe('The format of a webhook for people, or `feed` for Atom, RSS and JSON Feed.');

export const previewMessage = operation({
  name: 'previewMessage',
  summary: 'Preview a message',
  description:
    'Writes one message by a template, as it would be sent: of the match that is named, or of the newest one of the account, or of an invented one where there is none. Nothing is sent or stored.',
  access: 'read',
  input: z.strictObject({
    format,
    template: templateText.describe('In Liquid. The guide to message templates has the fields.'),
    match_id: z.string().optional().describe('The id of a match. Left out: the newest one.'),
    digest: z.boolean().optional().describe('A digest of the newest matches instead, up to twenty.'),
  }),
  output: z.object({
    text: z.string().describe('With the markup of the channel, as it is sent.'),
    match_id: z
      .string()
      .nullable()
      .describe('The match that it was tried on. Null for a digest, or an invented match.'),
    sample: z.boolean().describe('Whether the match was invented, because the account has none.'),
  }),
  example: {
    input: { format: 'slack', template: '*{{ rule }}*: {{ text }}' },
    output: { text: '*Volcano news*: The volcano is erupting again', match_id: exampleMatch.id, sample: false },
  },
  problems(_, input) {
    const { format: given, template } = fieldsOf(input);
    return MESSAGE_FORMATS.some((one) => one === given) ? templateIssues(String(given), template) : [];
  },
  async run(context, caller, { format: channel, template, match_id, digest = false }) {
    const found = await matchesToTry(context, caller, match_id, digest ? IN_DIGEST : 1);
    const matches = found.length === 0 ? [SAMPLE_POST] : found;
    const [first = SAMPLE_POST] = matches;
    const fields = digest ? digestToTry(matches) : fieldsOfMatch(first, { rateUrl: context.encode.rateUrl?.(first) });
    const text = messageText(channel, template, fields);
    return { text, match_id: digest || found.length === 0 ? null : first.id, sample: found.length === 0 };
  },
});

async function matchesToTry(
  { reader }: WebhooksRoom,
  { account }: Caller,
  matchId: string | undefined,
  limit: number,
): Promise<readonly Match[]> {
  if (matchId === undefined) return (await reader.page({ accountId: account.id, limit, bytes: PAGE_BYTES })).matches;
  const match = await reader.one(account.id, matchId);
  if (match === undefined) throw unknownMatch();
  return [match];
}

const PAGE_BYTES = 1024 * 1024;

/** Written for the channel too, so that one that is too long for it is refused here and not later. */
function messageText(channel: MessageFormat, template: string, fields: MessageFields): string {
  try {
    const pieces: readonly MessagePiece[] = readTemplate(template).write(fields);
    if (channel !== 'feed')
      CHATS[channel]?.({ kind: 'matches', summaries: [{ rule: '', title: '', text: '', url: undefined, pieces }] });
    return CHANNEL_TEXTS[channel](pieces);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw invalidArgument([{ path: 'template', message: error.message }]);
  }
}

/** Send Match: one match to one webhook, now. */
export const sendMatch = operation({
  name: 'sendMatch',
  summary: 'Send a match to a webhook',
  description:
    'Sends one match to one webhook at once, in the format of the webhook, whatever its rules, its batch and its wake contract say. It is a delivery like others: signed, tried again when it fails, and listed. A paused or disabled webhook is refused.',
  access: 'full',
  input: z.strictObject({ match_id: z.string().describe('The id of a match.'), webhook_id: webhookId }),
  output: listedDelivery,
  example: {
    input: { match_id: exampleMatch.id, webhook_id: exampleWebhook.id },
    output: {
      ...exampleDelivery,
      status: 'pending',
      matches: 1,
      next_attempt_at: exampleDelivery.created_at,
      attempts: [],
    },
  },
  async run(context, caller, { match_id, webhook_id }) {
    const { store, reader, clock, dispatcher, encode } = context;
    const accountId = caller.account.id;
    const webhook = await findWebhook(context, caller, webhook_id);
    checkActive(webhook);
    const match = await reader.one(accountId, match_id);
    if (match === undefined) throw unknownMatch();
    const at = clock.now();
    const id = newId('dlv', at);
    const { text: body, note } = deliveryBody(webhook, [match], encode);
    const { position } = match;
    const madeFor = receiverKind(webhook);
    const sending = { id, accountId, webhookId: webhook.id, position, body, madeFor, note, at };
    // Changed since it was looked at: looked at again, it says how.
    if (!(await store.sendMatch(sending))) {
      checkActive(await findWebhook(context, caller, webhook_id));
      throw unknownMatch();
    }
    dispatcher.changed(webhook.id);
    const delivery = await store.delivery(accountId, id);
    if (delivery === undefined) throw unknownMatch();
    return deliveryToJson(delivery);
  },
});

function checkActive(webhook: Webhook): void {
  checkEnabled(webhook);
  if (webhook.status === 'active') return;
  throw new ServiceError(
    'failed_precondition',
    'The webhook is paused. To resume it, call Update Webhook with `paused: false`.',
    { details: { reason: 'webhook_paused' } },
  );
}
