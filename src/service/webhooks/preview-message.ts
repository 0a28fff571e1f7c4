/** Preview Message: what a template makes of a real match. */
import { z } from 'zod';
import { CHANNEL_TEXTS } from '../../delivery/templates/channel-text.ts';
import { fieldsOfMatch, type MessageFields } from '../../delivery/templates/fields.ts';
import type { MessagePiece } from '../../delivery/templates/template.ts';
import { TemplateFault } from '../../delivery/templates/template-problems.ts';
import { CHATS } from '../../delivery/webhooks/chats/chats.ts';
import type { Match } from '../../domain/match.ts';
import type { Caller } from '../access/caller.ts';
import { invalidArgument } from '../errors.ts';
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
import { operation, type WebhooksRoom } from './room.ts';

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
