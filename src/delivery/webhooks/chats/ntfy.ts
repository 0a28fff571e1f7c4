/** Messages as ntfy publishes them. They are plain text there: nothing in them is markup. */
import { cutText } from '../../../wakes/summary.ts';
import { unmarkedText } from '../../templates/channel-text.ts';
import type { MessagePiece } from '../../templates/template.ts';
import {
  type ChatContent,
  type ChatSummary,
  checkFits,
  headline,
  LONGEST_CHAT_NOTE,
  linkOf,
  takeFitting,
  type WriteChat,
} from './chat.ts';

/** A longer message becomes a file that people would have to open. */
const MOST_BYTES = 4_096;
/** The limit of a message that a template wrote: it leaves room for the note of a test. */
const MOST_TEMPLATED = 4_000;
/** ntfy takes titles of 1,024 bytes, which 200 characters never exceed. */
const LONGEST_TITLE = 200;
const BETWEEN = '\n\n';

interface Manner {
  readonly title: string;
  readonly priority: number;
  /** ntfy shows these as pictures. */
  readonly tags: readonly string[];
}

/** Priorities go from 1 to 5; 3 is the usual one. */
const MANNERS: Readonly<Record<ChatContent['kind'], Manner>> = {
  matches: { title: '', priority: 3, tags: [] },
  test: { title: 'Test from Sluice', priority: 3, tags: [] },
  digest: { title: 'Digest from Sluice', priority: 2, tags: ['newspaper'] },
  operational: { title: 'Notice from Sluice', priority: 4, tags: ['warning'] },
  alert: { title: 'Alert from Sluice', priority: 4, tags: ['bell'] },
  head: { title: 'Log of certificates', priority: 2, tags: ['scroll'] },
};

function templatedText(pieces: readonly MessagePiece[]): string {
  const text = unmarkedText(pieces);
  checkFits(Buffer.byteLength(text), MOST_TEMPLATED, 'bytes');
  return text;
}

const usualText = ({ rule, title, text, url, rateUrl }: ChatSummary): string =>
  [rule, title, text, linkOf(url) ?? '', rateUrl === undefined ? '' : `Rate it: ${rateUrl}`]
    .filter((line) => line !== '')
    .join('\n');

const textOf = (one: ChatSummary): string => (one.pieces === undefined ? usualText(one) : templatedText(one.pieces));

export const ntfyMessage: WriteChat = ({ kind, summaries, note }) => {
  const head = note === undefined ? [] : [cutText(note, LONGEST_CHAT_NOTE / 2)];
  const sizeOf = (part: string) => Buffer.byteLength(part) + BETWEEN.length;
  const room = MOST_BYTES - head.reduce((sum, part) => sum + sizeOf(part), 0);
  const taken = takeFitting(summaries.map(textOf), sizeOf, room);
  const { title, priority, tags } = MANNERS[kind];
  const click = taken.length === 1 ? linkOf(summaries[0]?.url) : undefined;
  const message = {
    title: title === '' ? headline(summaries.slice(0, taken.length), LONGEST_TITLE) : title,
    message: [...head, ...taken].join(BETWEEN),
    priority,
    tags,
    ...(click !== undefined && { click }),
  };
  return { text: JSON.stringify(message), told: taken.length };
};
