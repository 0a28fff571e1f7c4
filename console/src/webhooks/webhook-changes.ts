/** The form of a webhook: what it holds, and what a person has changed in it. Pure. */
import { hashKey } from '@tanstack/react-query';
import type { Platform, Webhook } from '../data/queries.ts';
import { type Notices, noticesToSave } from './notice-terms.ts';
import { isWritten } from './receivers.ts';

export interface Choice {
  /** Empty: the stored one stays. */
  readonly url: string;
  readonly description: string;
  /** Null: all rules. */
  readonly rule_ids: string[] | null;
  readonly platforms: Platform[] | null;
  readonly format: Webhook['format'];
  /** It is undefined if none is given, or the stored one stays. */
  readonly credential?: string;
  readonly batch: { every: string } | null;
  /** Null: every match wakes the receiver. */
  readonly wake: Webhook['wake'];
  /** Null: messages are written in the usual way. */
  readonly template: string | null;
  readonly events: Webhook['events'];
  /** Null: all notices that there usually are, at once. */
  readonly notices: Notices | null;
}

/** A list shows only the host of an address, which is none to be edited. */
export const choiceOf = (webhook: Webhook): Choice => ({
  ...webhook,
  url: '',
  template: webhook.template ?? null,
  notices: webhook.notices ?? null,
});

/** The choice without what its format and its events do not need. */
export function choiceToSave(choice: Choice): Choice {
  const { url, description, credential = '', rule_ids, platforms, format, batch, wake, template, events } = choice;
  return {
    url: url.trim(),
    description: description.trim(),
    ...(credential !== '' && { credential }),
    rule_ids,
    platforms,
    format,
    batch,
    wake,
    template: isWritten(format) ? template : null,
    events,
    notices: noticesToSave(choice),
  };
}

/** Only what differs from the webhook that the form was opened with: what others have changed of the rest meanwhile stays. */
export function webhookChanges(opened: Webhook, choice: Choice): Partial<Choice> {
  const before = choiceToSave(choiceOf(opened));
  // The hash of a value is the same in whichever order its fields are.
  const differs = (name: keyof Choice) => hashKey([before[name]]) !== hashKey([choice[name]]);
  const names = (Object.keys(choice) as (keyof Choice)[]).filter(
    // Each format has a usual pace, which the server takes where none is chosen.
    (name) => differs(name) || (name === 'batch' && differs('format')),
  );
  return Object.fromEntries(names.map((name) => [name, choice[name]]));
}
