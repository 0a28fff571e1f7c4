/** Bodies of deliveries: our own JSON, CloudEvents, or a message as a chat takes it. */
import type { CertificateHead } from '../../domain/certificate.ts';
import { changedRows } from '../../domain/changed-rows.ts';
import type { Match } from '../../domain/match.ts';
import type { Alert } from '../../domain/rule.ts';
import type { Notice, Webhook, WebhookFormat } from '../../domain/webhook.ts';
import { summaryOf } from '../../wakes/summary.ts';
import { alertToJson, describeAlert } from '../alert-text.ts';
import { fieldsOfMatch } from '../templates/fields.ts';
import type { MessageTemplate } from '../templates/template.ts';
import { type ChatSummary, withTemplate } from './chats/chat.ts';
import { CHATS } from './chats/chats.ts';
import {
  alertEvent,
  type CloudEvent,
  cloudBody,
  headEvent,
  isCloudFormat,
  matchEvent,
  noticeEvent,
} from './cloud-events.ts';
import { isObjectFormat, objectLines } from './objects/object-body.ts';
import { CLOUD_EVENT, matchRecord, PLAIN_JSON, recordsText, type SinkRecord } from './sinks/records.ts';
import { isSink } from './sinks/sink-address.ts';
import { isWakeFormat, wakeBody } from './wake-body.ts';

/** The most bytes of a JSON body, unless it holds a single match that is larger. */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Writes one match as JSON. `rateUrl`: the page where a person can rate it, for chats; no address that rates by being opened.
 * `server`: our public address.
 */
export type Encode = ((match: Match) => string) & {
  readonly rateUrl?: (match: Match) => string;
  readonly server?: string | undefined;
  /** The `data` of an event about a match: text by strangers is in an envelope. Wakes have it. */
  readonly eventData?: (match: Match, options: { readonly brief: boolean }) => object;
};

const chatSummary = (
  match: Match,
  { rateUrl }: Encode,
  template: MessageTemplate | undefined,
  because: readonly string[] = [],
): ChatSummary => ({
  ...summaryOf(match),
  rateUrl: rateUrl?.(match),
  rows: changedRows(match.payload),
  ...(template && { pieces: template.write(fieldsOfMatch(match, { rateUrl: rateUrl?.(match), because })) }),
});

export interface DeliveryBody {
  readonly text: string;
  /** How many of the matches, from the first on, are in the body. */
  readonly matches: number;
  /** Why it is not as its owner wanted it. */
  readonly note?: string | undefined;
}

type Formatted = Pick<Webhook, 'id' | 'format' | 'template'> & Partial<Pick<Webhook, 'url'>>;

/** Bytes that are written for one kind of receiver are nothing for another. */
export const receiverKind = ({ format, url }: Pick<Webhook, 'format' | 'url'>): string =>
  isSink(url) ? `${format} records` : format;

/** Why the bytes of a delivery are nothing for its webhook; undefined when they are for it, or nobody noted what they are for. */
export const madeForOther = (webhook: Pick<Webhook, 'format' | 'url'>, madeFor?: string): string | undefined =>
  madeFor === undefined || madeFor === receiverKind(webhook)
    ? undefined
    : `It was written as ${madeFor}, and the webhook now takes ${receiverKind(webhook)}.`;

export function deliveryBody(
  webhook: Formatted & Pick<Webhook, 'wake'>,
  matches: readonly Match[],
  encode: Encode,
  because: readonly string[] = [],
): DeliveryBody {
  const { format, id, url, wake, template } = webhook;
  if (isSink(url)) {
    const texts = taking(matches, encode);
    return {
      text: recordsText(texts.map((data, index) => sinkMatch(format, matches[index]!, data, encode))),
      matches: texts.length,
    };
  }
  const writeChat = CHATS[format];
  if (writeChat !== undefined) {
    const summaries = (by: MessageTemplate | undefined) => matches.map((one) => chatSummary(one, encode, by, because));
    const { text, told, note } = withTemplate(template, (by) =>
      writeChat({ kind: 'matches', summaries: summaries(by) }),
    );
    return { text, matches: told, note };
  }
  if (isWakeFormat(format)) return { text: wakeBody(webhook, matches, encode), matches: matches.length };
  if (isObjectFormat(format)) return objectLines(matches, encode);
  if (isCloudFormat(format)) {
    const events = taking(matches, encode).map((data, index) => matchEvent(matches[index]!, data));
    const sent = format === 'cloudevents-batch' ? events : events.slice(0, 1);
    return { text: cloudBody(format, sent, encode.server), matches: sent.length };
  }
  // Agents get single matches, which `events.ts` writes.
  const reasons = because.length === 0 ? '' : `"because":${JSON.stringify(because.join('; '))},`;
  return jsonBody('matches', id, matches, encode, wake === undefined ? '' : `"wake":true,${reasons}`);
}

/** The body of a test: like a delivery, and marked as a test. */
export function testBody({ id, format, url, template }: Formatted, sample: Match, encode: Encode): string {
  if (isSink(url)) return recordsText([sinkMatch(format, sample, encode(sample), encode, true)]);
  const note = 'This is a test from Sluice. Matches will look like this:';
  const writeChat = CHATS[format];
  if (writeChat !== undefined)
    return withTemplate(template, (by) =>
      writeChat({ kind: 'test', summaries: [chatSummary(sample, encode, by)], note }),
    ).text;
  if (isWakeFormat(format)) return wakeBody({ id, isTest: true }, [sample], encode);
  if (isObjectFormat(format)) return '';
  if (isCloudFormat(format)) return cloudBody(format, [matchEvent(sample, encode(sample), true)], encode.server);
  return jsonBody('test', id, [sample], encode).text;
}

/** The body of a notice: JSON of its own type, or a message for a chat. */
export function noticeBody(webhook: Formatted, notice: Notice, server?: string): string {
  const { type, at, message, subject } = notice;
  const event = { type, at: at.toISOString(), message, about: aboutOf(subject) };
  return tellingBody(webhook, {
    kind: 'operational',
    note: message,
    json: { event },
    asEvent: (data) => noticeEvent(notice, data),
    server,
  });
}

function aboutOf(subject: Notice['subject']): Record<string, string> {
  if ('webhookId' in subject) return { webhook_id: subject.webhookId };
  if ('ruleId' in subject) return { rule_id: subject.ruleId };
  if ('limit' in subject) return { limit: subject.limit };
  return 'sourceId' in subject ? { source_id: subject.sourceId } : { platform: subject.platform };
}

/** The body of an alert: JSON with the alert, or a sentence for a chat. */
export const alertBody = (webhook: Formatted, alert: Alert, server?: string): string =>
  tellingBody(webhook, {
    kind: 'alert',
    note: describeAlert(alert),
    json: { alert: alertToJson(alert) },
    asEvent: (data) => alertEvent(alert, data),
    server,
  });

/** The body of a head of the log of certificates. A chat has it as it was signed, so that its archive can be compared. */
export const headBody = (webhook: Formatted, head: CertificateHead, server?: string): string =>
  tellingBody(webhook, {
    kind: 'head',
    note: `Certificates in the log: ${head.size}. Its head: ${JSON.stringify(head)}`,
    json: { head },
    asEvent: (data) => headEvent(head, data),
    server,
  });

interface Telling {
  readonly kind: 'operational' | 'alert' | 'head';
  readonly note: string;
  readonly json: object;
  readonly asEvent: (data: string) => CloudEvent;
  readonly server: string | undefined;
}

function tellingBody({ id, format, url }: Formatted, { kind, note, json, asEvent, server }: Telling): string {
  const writeChat = CHATS[format];
  if (writeChat !== undefined) return writeChat({ kind, summaries: [], note }).text;
  // The list is there, so that a receiver that goes through matches finds none.
  const body = JSON.stringify({ type: kind, webhook_id: id, matches: [], ...json });
  if (isSink(url)) return recordsText([sinkEvent({ id, format }, kind, asEvent(body), server)]);
  return isCloudFormat(format) ? cloudBody(format, [asEvent(body)], server) : body;
}

const sinkMatch = (format: WebhookFormat, match: Match, data: string, { server }: Encode, isTest = false): SinkRecord =>
  matchRecord(match, isCloudFormat(format) ? cloudBody(format, [matchEvent(match, data, isTest)], server) : data, {
    type: isTest ? 'test' : 'match',
    contentType: isCloudFormat(format) ? CLOUD_EVENT : PLAIN_JSON,
  });

/** A record that is no match has the webhook as its key, so that it comes in order too. */
export const sinkEvent = (
  { id, format }: Pick<Webhook, 'id' | 'format'>,
  type: SinkRecord['type'],
  event: CloudEvent,
  server: string | undefined,
): SinkRecord => ({
  id: `${event.attributes.source}/${event.attributes.id}`,
  key: id,
  type,
  contentType: isCloudFormat(format) ? CLOUD_EVENT : PLAIN_JSON,
  value: isCloudFormat(format) ? cloudBody(format, [event], server) : event.data,
});

function jsonBody(
  type: 'matches' | 'test',
  webhookId: string,
  matches: readonly Match[],
  encode: Encode,
  more = '',
): DeliveryBody {
  const head = `{"type":${JSON.stringify(type)},"webhook_id":${JSON.stringify(webhookId)},${more}"matches":[`;
  const taken = taking(matches, encode, Buffer.byteLength(head) + 2);
  return { text: `${head}${taken.join(',')}]}`, matches: taken.length };
}

/** Matches as JSON, from the first on, while they fit into a body. */
function taking(matches: readonly Match[], encode: Encode, head = 0): string[] {
  const taken: string[] = [];
  let bytes = head;
  for (const match of matches) {
    const text = encode(match);
    bytes += Buffer.byteLength(text) + (taken.length === 0 ? 0 : 1);
    if (bytes > MAX_BODY_BYTES && taken.length > 0) break;
    taken.push(text);
  }
  return taken;
}
