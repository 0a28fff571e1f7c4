/**
 * CloudEvents 1.0. An event has the same id, time and bytes at every attempt and at every webhook: the id of a match is the id of
 * its event. In binary mode the attributes are headers and the body is the data alone.
 */
import { trimEnd } from '../../base/parse-url.ts';
import type { CertificateHead } from '../../domain/certificate.ts';
import type { Match } from '../../domain/match.ts';
import type { Alert } from '../../domain/rule.ts';
import { type Notice, SCHEMAS_PATH, type WebhookFormat } from '../../domain/webhook.ts';

export type CloudFormat = Extract<WebhookFormat, `cloudevents${string}`>;

export interface CloudAttributes {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject?: string;
  readonly dataschema?: string;
}

/** The schemas of what events hold, by the names that the AsyncAPI document has for them. */
type DataSchema = 'Match' | 'DeliveryDigest' | 'DeliveryOperational' | 'DeliveryAlert' | 'DeliveryHead';

export interface CloudEvent {
  readonly attributes: Omit<CloudAttributes, 'dataschema'>;
  readonly schema: DataSchema;
  /** JSON, as it is sent. */
  readonly data: string;
}

export const isCloudFormat = (format: WebhookFormat): format is CloudFormat => format.startsWith('cloudevents');

/** The frozen body. In binary mode it is two lines: the attributes, and the data. `server`: our public address, where it is known. */
export function cloudBody(format: CloudFormat, events: readonly CloudEvent[], server?: string): string {
  if (format === 'cloudevents-batch') return `[${events.map((event) => structured(event, server)).join(',')}]`;
  const [event] = events as [CloudEvent];
  const attributes = attributesOf(event, server);
  return format === 'cloudevents' ? structured(event, server) : `${JSON.stringify(attributes)}\n${event.data}`;
}

/** `dataschema` must be a whole address, so there is none where we do not know our own. */
const attributesOf = ({ attributes, schema }: CloudEvent, server: string | undefined) => ({
  specversion: '1.0',
  ...attributes,
  datacontenttype: 'application/json',
  ...(server !== undefined && { dataschema: `${trimEnd(server, '/')}${SCHEMAS_PATH}/${schema}.json` }),
});

/** The data is put in as it is: reading it and writing it again could change its numbers. */
const structured = (event: CloudEvent, server: string | undefined): string =>
  `${JSON.stringify(attributesOf(event, server)).slice(0, -1)},"data":${event.data}}`;

/** The headers and the body of a binary event. */
export function binaryRequest(frozen: string): { headers: Record<string, string>; body: string } {
  const end = frozen.indexOf('\n');
  const { datacontenttype, ...attributes } = JSON.parse(frozen.slice(0, end)) as Record<string, string>;
  return {
    headers: {
      'content-type': datacontenttype!,
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerValue(value)])),
    },
    body: frozen.slice(end + 1),
  };
}

/** All but visible ASCII is percent-encoded, and so are `"` and `%`, as the HTTP binding says. */
const headerValue = (value: string): string =>
  value
    .toWellFormed()
    .replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );

const PREFIX = 'sluice.';

export const matchEvent = (match: Match, data: string, isTest = false): CloudEvent => ({
  attributes: {
    id: match.id,
    source: `/rules/${match.ruleId}`,
    type: `${PREFIX}${isTest ? 'webhook.test' : 'match.created'}`,
    time: match.createdAt.toISOString(),
    subject: `${match.platform}/${match.platformPostId}`,
  },
  schema: 'Match',
  data,
});

function placeOf(subject: Notice['subject']): string {
  if ('webhookId' in subject) return `/webhooks/${subject.webhookId}`;
  if ('ruleId' in subject) return `/rules/${subject.ruleId}`;
  if ('limit' in subject) return `/limits/${subject.limit}`;
  return 'sourceId' in subject ? `/sources/${subject.sourceId}` : `/platforms/${subject.platform}`;
}

export const noticeEvent = ({ type, at, began, subject }: Notice, data: string): CloudEvent => {
  return {
    attributes: {
      id: `${type}-${(began ?? at).getTime()}`,
      source: placeOf(subject),
      type: `${PREFIX}${type.replace('_', '.')}`,
      time: at.toISOString(),
    },
    schema: 'DeliveryOperational',
    data,
  };
};

export const alertEvent = ({ id, ruleId, platform, kind, from, to }: Alert, data: string): CloudEvent => ({
  attributes: {
    id: to === undefined ? id : `${id}-ended`,
    source: `/rules/${ruleId}`,
    type: `${PREFIX}alert.${to === undefined ? 'raised' : 'ended'}`,
    time: (to ?? from).toISOString(),
    subject: `${platform}/${kind}`,
  },
  schema: 'DeliveryAlert',
  data,
});

/** One that is sent has a certificate, and so a time. */
export const headEvent = ({ size, at }: CertificateHead, data: string): CloudEvent => ({
  attributes: { id: `head-${size}`, source: '/certificates', type: `${PREFIX}head.signed`, time: at ?? '' },
  schema: 'DeliveryHead',
  data,
});

export const digestCloudEvent = (
  { webhookId, deliveryId, until }: { webhookId: string; deliveryId: string; until: string },
  data: string,
): CloudEvent => ({
  attributes: { id: deliveryId, source: `/webhooks/${webhookId}`, type: `${PREFIX}digest.written`, time: until },
  schema: 'DeliveryDigest',
  data,
});
