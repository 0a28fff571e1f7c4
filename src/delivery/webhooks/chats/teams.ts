/**
 * Messages as a workflow of Microsoft Teams takes them: an Adaptive Card. All text is in runs of rich text, which Teams
 * shows as they are; a plain text block would read Markdown in them.
 */
import { cutText } from '../../../wakes/summary.ts';
import { textLines } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import {
  type ChatSummary,
  checkFits,
  headline,
  LONGEST_CHAT_NOTE,
  linkOf,
  takeFitting,
  type WriteChat,
} from './chat.ts';

/** Teams documents 28 KB for the whole message and wraps what it is given, so 20 KB are used. */
const MOST_BYTES = 20 * 1024;

const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
const linkRun = (text: string, url: string) => run(text, { selectAction: { type: 'Action.OpenUrl', url } });
const block = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });

/** The limit of a message that a template wrote: it leaves room for the note of a test. */
const MOST_TEMPLATED = 18 * 1024;

function templatedBlock(pieces: readonly MessagePiece[]): object {
  const lines = textLines(pieces).filter((line) => line.length > 0);
  const items = lines.map((line) =>
    block(...line.map(({ text, isLink }) => (isLink ? linkRun(text, text) : run(text)))),
  );
  checkFits(sizeOf(items), MOST_TEMPLATED, 'bytes');
  return { type: 'Container', separator: true, items };
}

const sizeOf = (part: object): number => Buffer.byteLength(JSON.stringify(part)) + 1;

function summaryBlock({ rule, title, text, url, rateUrl, pieces }: ChatSummary): object {
  if (pieces !== undefined) return templatedBlock(pieces);
  const link = linkOf(url);
  const rows = [
    block(run(rule, { weight: 'Bolder' })),
    ...(title === '' ? [] : [block(run(title))]),
    ...(text === '' ? [] : [block(run(text))]),
    ...(link === undefined ? [] : [block(linkRun(link, link))]),
    ...(rateUrl === undefined ? [] : [block(linkRun('Rate it', rateUrl))]),
  ];
  return { type: 'Container', separator: true, items: rows };
}

export const teamsMessage: WriteChat = ({ summaries, note }) => {
  const head = headOf(summaries, note);
  const taken = takeFitting(summaries.map(summaryBlock), sizeOf, MOST_BYTES - sizeOf(head) - sizeOf(messageOf([])));
  return { text: JSON.stringify(messageOf([...head, ...taken])), told: taken.length };
};

function headOf(summaries: readonly ChatSummary[], note: string | undefined): object[] {
  if (note === undefined && summaries[0]?.pieces !== undefined) return [];
  return [block(run(note === undefined ? headline(summaries, 300) : cutText(note, LONGEST_CHAT_NOTE)))];
}

const messageOf = (body: readonly object[]): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body,
      },
    },
  ],
});
