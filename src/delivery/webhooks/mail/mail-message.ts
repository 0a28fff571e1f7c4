/**
 * Matches as an e-mail: the same words as text and as HTML. Text by strangers makes no markup and no link; links lead to the
 * events themselves. The frozen body is the subject and both parts.
 */
import { type ChangedRow, changedLines } from '../../../domain/changed-rows.ts';
import { cutText, unlinked } from '../../../wakes/summary.ts';
import { escapedHtml } from '../../escaped-html.ts';
import { htmlText } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import {
  type ChatContent,
  type ChatSummary,
  checkFits,
  headline,
  linkOf,
  takeFitting,
  type WriteChat,
} from '../chats/chat.ts';

export interface MailParts {
  readonly subject: string;
  readonly text: string;
  /** The content of the page's `body`. */
  readonly html: string;
  /** It tells of matches, so its reader can acknowledge it. */
  readonly isWake?: true;
}

/** Mail programs cut longer messages. */
const MOST_BYTES = 90 * 1024;
/** The limit of a message that a template wrote: it leaves room for the note of a test. */
const MOST_TEMPLATED = 80 * 1024;
const LONGEST_SUBJECT = 150;
/** A mail shows so many changed rows of a page. */
const MOST_ROWS = 20;
const LONGEST_CELL = 500;
const CELL = ' align="left" valign="top" width="50%"';

const SUBJECTS: Readonly<Record<Exclude<ChatContent['kind'], 'matches'>, string>> = {
  test: 'Test from Sluice',
  digest: 'Digest from Sluice',
  operational: 'Notice from Sluice',
  alert: 'Alert from Sluice',
  head: 'Log of certificates',
};

interface Part {
  readonly text: string;
  readonly html: string;
}

const line = (text: string, tag = 'span'): Part => {
  const safe = unlinked(text);
  return { text: safe, html: `<${tag}>${escapedHtml(safe)}</${tag}>` };
};
const link = (url: string, name: string): Part => ({
  text: name === url ? url : `${name}: ${url}`,
  html: `<a href="${escapedHtml(url)}" rel="noopener noreferrer nofollow">${escapedHtml(name)}</a>`,
});

/** Old and new beside each other; as text, a line each. */
function diffPart(rows: readonly ChangedRow[]): Part {
  const shown = rows.slice(0, MOST_ROWS).map(({ before, after }) => ({ before: cellOf(before), after: cellOf(after) }));
  const rest = rows.length === shown.length ? [] : [`${rows.length - shown.length} more changes are at the page.`];
  const cell = (text: string | undefined) => `<td${CELL}>${escapedHtml(text ?? '')}</td>`;
  const body = shown.map(({ before, after }) => `<tr>${cell(before)}${cell(after)}</tr>`).join('');
  return {
    text: [...changedLines(shown), ...rest].join('\n'),
    html: `<table><tr><th${CELL}>Before</th><th${CELL}>Now</th></tr>${body}</table>${rest.map(escapedHtml).join('')}`,
  };
}

const cellOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : unlinked(cutText(text, LONGEST_CELL));

function templatedPart(pieces: readonly MessagePiece[]): Part {
  const { html, plain } = htmlText(pieces);
  const part = { text: plain, html: `<p>${html.replaceAll('\n', '<br>')}</p>` };
  checkFits(sizeOf(part), MOST_TEMPLATED, 'bytes');
  return part;
}

const sizeOf = ({ text, html }: Part): number => Buffer.byteLength(text) + Buffer.byteLength(html);

function summaryPart({ rule, title, text, url, rateUrl, rows = [], pieces }: ChatSummary): Part {
  if (pieces !== undefined) return templatedPart(pieces);
  const address = linkOf(url);
  const lines = [
    line(rule, 'b'),
    ...(title === '' ? [] : [line(title)]),
    // The rows have the same text, and what stood there before.
    ...(text === '' || rows.length > 0 ? [] : [line(text)]),
    ...(rows.length === 0 ? [] : [diffPart(rows)]),
    ...(address === undefined ? [] : [link(address, address)]),
    ...(rateUrl === undefined ? [] : [link(rateUrl, 'Rate it')]),
  ];
  // A paragraph ends where a table begins.
  const tag = rows.length === 0 ? 'p' : 'div';
  return {
    text: lines.map((one) => one.text).join('\n'),
    html: `<${tag}>${lines.map(({ html }) => html).join('<br>')}</${tag}>`,
  };
}

export const mailMessage: WriteChat = ({ kind, summaries, note }) => {
  const taken = takeFitting(summaries.map(summaryPart), sizeOf, MOST_BYTES);
  const parts = [...(note === undefined ? [] : [line(note, 'p')]), ...taken];
  const told = summaries.slice(0, taken.length);
  const mail: MailParts = {
    // A header is one line, whatever a rule is named.
    subject: (kind === 'matches' ? headline(told, LONGEST_SUBJECT) : SUBJECTS[kind]).replaceAll(/\s+/g, ' '),
    text: parts.map(({ text }) => text).join('\n\n'),
    html: parts.map(({ html }) => html).join('\n'),
    ...((kind === 'matches' || kind === 'digest') && { isWake: true }),
  };
  return { text: JSON.stringify(mail), told: taken.length };
};
