/** Messages of a webhook with a template: written by it, or in the usual way where it cannot write them. */
import type { Digest } from '../../../domain/digest.ts';
import { shortened } from '../../../wakes/digest.ts';
import { fieldsOfDigest } from '../../templates/fields.ts';
import { isProblem, type MessageTemplate, parseTemplate } from '../../templates/template.ts';
import { TemplateFault } from '../../templates/template-problems.ts';
import type { ChatMessage, WriteChat } from './chat.ts';

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
