/** Messages for a room of Matrix: as text and as HTML, both with the same words. No user is mentioned, whatever a post says. */
import { cutText } from '../../../wakes/summary.ts';
import { escapedHtml } from '../../escaped-html.ts';
import { htmlText } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import { type ChatSummary, checkFits, LONGEST_CHAT_NOTE, linkOf, takeFitting, type WriteChat } from './chat.ts';

/** An event has at most 65,536 bytes with everything that servers add to it. */
const MOST_BYTES = 48 * 1024;
/** The limit of a message that a template wrote: it leaves room for the note of a test. */
const MOST_TEMPLATED = 44 * 1024;

interface Part {
  readonly plain: string;
  readonly html: string;
}

const textPart = (text: string): Part => ({ plain: text, html: escapedHtml(text) });
const linkPart = (url: string, name: string): Part => ({
  plain: name === url ? url : `${name}: ${url}`,
  html: `<a href="${escapedHtml(url)}">${escapedHtml(name)}</a>`,
});

function templatedPart(pieces: readonly MessagePiece[]): Part {
  const { html, plain } = htmlText(pieces);
  const part = { plain, html: `<p>${html.replaceAll('\n', '<br>')}</p>` };
  checkFits(sizeOf(part), MOST_TEMPLATED, 'bytes');
  return part;
}

function summaryPart({ rule, title, text, url, rateUrl, pieces }: ChatSummary): Part {
  if (pieces !== undefined) return templatedPart(pieces);
  const link = linkOf(url);
  const lines = [
    { plain: rule, html: `<b>${escapedHtml(rule)}</b>` },
    ...(title === '' ? [] : [textPart(title)]),
    ...(text === '' ? [] : [textPart(text)]),
    ...(link === undefined ? [] : [linkPart(link, link)]),
    ...(rateUrl === undefined ? [] : [linkPart(rateUrl, 'Rate it')]),
  ];
  return {
    plain: lines.map(({ plain }) => plain).join('\n'),
    html: `<p>${lines.map(({ html }) => html.replaceAll('\n', '<br>')).join('<br>')}</p>`,
  };
}

/** Both forms are in the event, as JSON. */
const sizeOf = ({ plain, html }: Part): number => Buffer.byteLength(JSON.stringify([plain, html])) + 4;

export const matrixMessage: WriteChat = ({ summaries, note }) => {
  const head = note === undefined ? [] : [noteOf(cutText(note, LONGEST_CHAT_NOTE))];
  const taken = takeFitting(
    summaries.map(summaryPart),
    sizeOf,
    MOST_BYTES - head.reduce((sum, one) => sum + sizeOf(one), 0),
  );
  const parts = [...head, ...taken];
  const message = {
    msgtype: 'm.text',
    body: parts.map(({ plain }) => plain).join('\n\n'),
    format: 'org.matrix.custom.html',
    formatted_body: parts.map(({ html }) => html).join(''),
    // Given and empty: clients then look for no name in the text.
    'm.mentions': {},
  };
  return { text: JSON.stringify(message), told: taken.length };
};

const noteOf = (note: string): Part => ({ plain: note, html: `<p>${escapedHtml(note).replaceAll('\n', '<br>')}</p>` });
