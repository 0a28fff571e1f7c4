/** Messages for people: matches or stories under a note, as one chat or another takes them. */
import type { ChangedRow } from '../../../domain/changed-rows.ts';
import type { Digest } from '../../../domain/wake.ts';
import { shortened } from '../../../wakes/digest.ts';
import { cutText, type Summary } from '../../../wakes/summary.ts';
import { fieldsOfDigest } from '../../templates/fields.ts';
import { isProblem, type MessagePiece, type MessageTemplate, parseTemplate } from '../../templates/template.ts';
import { TemplateFault } from '../../templates/template-problems.ts';

/** A match in a few words, with the page where a person can rate it, and what changed on a page that is watched. */
export interface ChatSummary extends Summary {
  readonly rateUrl?: string | undefined;
  readonly rows?: readonly ChangedRow[];
  /** The message that a template made of it, in place of the rest. */
  readonly pieces?: readonly MessagePiece[] | undefined;
}

export interface ChatContent {
  readonly kind: 'matches' | 'digest' | 'operational' | 'alert' | 'head' | 'test';
  readonly summaries: readonly ChatSummary[];
  readonly note?: string;
}

export interface ChatMessage {
  /** The frozen body. */
  readonly text: string;
  /** How many of the summaries, from the first on, are in it. */
  readonly told: number;
}

export type WriteChat = (content: ChatContent) => ChatMessage;

/** A longer address is left out: it would take the room of the text. */
const LONGEST_LINK = 1_000;

export const linkOf = (url: string | undefined): string | undefined =>
  url === undefined || url.length > LONGEST_LINK ? undefined : url;

const LONGEST_HEADLINE = 1_000;

export function headline(summaries: readonly Summary[], longest = LONGEST_HEADLINE): string {
  const rules = [...new Set(summaries.map(({ rule }) => rule))].join(', ');
  return cutText(`${summaries.length} new ${summaries.length === 1 ? 'match' : 'matches'}: ${rules}`, longest);
}

/** Notes are written by us, and name rules and addresses that others chose. */
export const LONGEST_CHAT_NOTE = 1_500;

/** Takes parts from the first on while their sizes fit. The first one is always taken, and fits by itself. */
export function takeFitting<Part>(parts: readonly Part[], sizeOf: (part: Part) => number, most: number): Part[] {
  const taken: Part[] = [];
  let size = 0;
  for (const part of parts) {
    size += sizeOf(part);
    if (size > most && taken.length > 0) break;
    taken.push(part);
  }
  return taken;
}

/** Throws where a message of a template is longer than its channel takes. */
export function checkFits(size: number, most: number, unit: 'characters' | 'bytes'): void {
  if (size > most) throw new TemplateFault(`The message has ${size} ${unit}; the channel takes ${most}.`);
}

// Messages of a webhook with a template: written by it, or in the usual way where it cannot write them.

/** `note`: why the template was not used. */
export interface TemplatedMessage extends ChatMessage {
  readonly note?: string;
}

/** `write` gets the template, or nothing to write in the usual way. A delivery is never lost to its template. */
export function withTemplate(
  text: string | undefined,
  write: (template: MessageTemplate | undefined) => ChatMessage,
): TemplatedMessage {
  if (text === undefined) return write(undefined);
  try {
    const template = parseTemplate(text);
    if (isProblem(template)) throw new TemplateFault(template.message);
    return write(template);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    return { ...write(undefined), note: `The template was not used, and the usual message was sent. ${error.message}` };
  }
}

/** With as many stories as fit. */
export function digestByTemplate(template: MessageTemplate, digest: Digest, write: WriteChat): ChatMessage {
  for (let most = digest.stories.length; ; most = Math.floor(most / 2)) {
    const pieces = template.write(fieldsOfDigest(shortened(digest, most)));
    try {
      return write({ kind: 'digest', summaries: [{ rule: '', title: '', text: '', url: undefined, pieces }] });
    } catch (error) {
      if (!(error instanceof TemplateFault) || most === 0) throw error;
    }
  }
}
