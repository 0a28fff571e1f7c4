/**
 * Messages as a workflow of Microsoft Teams takes them: an Adaptive Card. All text is in runs of rich text, which Teams
 * shows as they are; a plain text block would read Markdown in them.
 */
import { cutText } from '../../../wakes/summary.ts';
import { type ChatSummary, headline, LONGEST_CHAT_NOTE, linkOf, takeFitting, type WriteChat } from './chat.ts';

/** Teams documents 28 KB for the whole message and wraps what it is given, so 20 KB are used. */
const MOST_BYTES = 20 * 1024;

const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
const linkRun = (text: string, url: string) => run(text, { selectAction: { type: 'Action.OpenUrl', url } });
const block = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });

function summaryBlock({ rule, title, text, url, rateUrl }: ChatSummary): object {
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
  const sizeOf = (part: object) => Buffer.byteLength(JSON.stringify(part)) + 1;
  const head = block(run(note === undefined ? headline(summaries, 300) : cutText(note, LONGEST_CHAT_NOTE)));
  const taken = takeFitting(summaries.map(summaryBlock), sizeOf, MOST_BYTES - sizeOf(head) - sizeOf(messageOf([])));
  return { text: JSON.stringify(messageOf([head, ...taken])), told: taken.length };
};

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
