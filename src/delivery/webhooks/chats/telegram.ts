/**
 * Messages as a bot of Telegram sends them. Text is escaped as HTML, so that none of it becomes markup, and an `@` is kept
 * apart from the name after it, so that no post mentions a member of the group.
 */
import { cutText } from '../../../wakes/summary.ts';
import { escapedHtml } from '../../escaped-html.ts';
import { htmlText } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import { type ChatSummary, checkFits, LONGEST_CHAT_NOTE, linkOf, takeFitting, type WriteChat } from './chat.ts';

/** Telegram takes 4,096 characters after it has read the markup. */
const MOST_CHARACTERS = 4_096;
/** The limit of a message that a template wrote: it leaves room for the note of a test. */
const MOST_TEMPLATED = 4_000;
const WORD_JOINER = '\u2060';
const BETWEEN = '\n\n';

/** `shown`: how many characters are left of it once the markup is read. */
interface Part {
  readonly html: string;
  readonly shown: number;
}

const unmentioned = (text: string): string => text.replaceAll('@', `@${WORD_JOINER}`);

function textPart(text: string, tag?: string): Part {
  const safe = unmentioned(text);
  return { html: tag === undefined ? escapedHtml(safe) : `<${tag}>${escapedHtml(safe)}</${tag}>`, shown: safe.length };
}

/** An address keeps its `@`: it must still lead to where it leads. */
const linkPart = (url: string, name: string): Part => ({
  html: `<a href="${escapedHtml(url)}">${escapedHtml(name)}</a>`,
  shown: name.length,
});

function templatedPart(pieces: readonly MessagePiece[]): Part {
  const { html, plain } = htmlText(pieces);
  checkFits(plain.length, MOST_TEMPLATED, 'characters');
  return { html, shown: plain.length };
}

function summaryPart({ rule, title, text, url, rateUrl, pieces }: ChatSummary): Part {
  if (pieces !== undefined) return templatedPart(pieces);
  const link = linkOf(url);
  const lines = [
    textPart(rule, 'b'),
    ...(title === '' ? [] : [textPart(title)]),
    ...(text === '' ? [] : [textPart(text)]),
    ...(link === undefined ? [] : [linkPart(link, link)]),
    ...(rateUrl === undefined ? [] : [linkPart(rateUrl, 'Rate it')]),
  ];
  return {
    html: lines.map(({ html }) => html).join('\n'),
    shown: lines.reduce((sum, { shown }) => sum + shown + 1, -1),
  };
}

export const telegramMessage: WriteChat = ({ summaries, note }) => {
  const head = note === undefined ? [] : [textPart(cutText(note, LONGEST_CHAT_NOTE))];
  const room = MOST_CHARACTERS - head.reduce((sum, { shown }) => sum + shown + BETWEEN.length, 0);
  const taken = takeFitting(summaries.map(summaryPart), ({ shown }) => shown + BETWEEN.length, room);
  const text = [...head, ...taken].map(({ html }) => html).join(BETWEEN);
  const message = { text, parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
  return { text: JSON.stringify(message), told: taken.length };
};
