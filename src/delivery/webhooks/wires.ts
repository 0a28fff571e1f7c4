/** How the frozen body of each format goes over the wire: its address, its headers, and what the answer says of waiting. */
import type { WebhookFormat } from '../../domain/webhook.ts';
import { unmasked } from './addresses.ts';
import { binaryRequest } from './cloud-events.ts';
import { OBJECT_TYPES } from './objects/object-body.ts';
import type { WebhookRequest } from './transport.ts';

interface WireParts {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** The credential that the owner gave to sign in with. */
  readonly credential: string | undefined;
}

export interface Wire {
  /** Equal parts give equal requests, so that a repeat can be told from something new. */
  request(parts: WireParts): Pick<WebhookRequest, 'url' | 'method' | 'headers' | 'body'>;
  /** Signed as Standard Webhooks says. */
  readonly isSigned: boolean;
  /** Seconds that the receiver asks for in the text of its answer. */
  retryAfter?(response: string): number | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const plainJson: Wire = { isSigned: true, request: ({ url, body }) => ({ url, body, headers: JSON_TYPE }) };

const bearer = (credential: string | undefined): Record<string, string> =>
  credential === undefined ? {} : { authorization: `Bearer ${credential}` };

/** Puts fields before those of a JSON object that we wrote. */
const withFields = (fields: object, body: string): string => `${JSON.stringify(fields).slice(0, -1)},${body.slice(1)}`;

/** The frozen body of a wake, as its reader gets it. */
export const wakeText = (id: string, body: string): string => withFields({ wake_id: id }, body);

/** The chat is in the address that the owner gave. It goes into the message, where the rest is. */
const telegram: Wire = {
  isSigned: false,
  request({ url, body, credential = '' }) {
    const { origin, pathname, searchParams } = new URL(url);
    const chat = Object.fromEntries(searchParams);
    return { url: `${origin}${unmasked(pathname, credential)}`, body: withFields(chat, body), headers: JSON_TYPE };
  },
  retryAfter: (response) => secondsIn(response, /"retry_after"\s*:\s*(\d{1,9})/),
};

/** A message is published at the server's root; the last part of the address is the topic. */
const ntfy: Wire = {
  isSigned: false,
  request({ url, body, credential }) {
    const { origin, pathname } = new URL(url);
    const end = pathname.lastIndexOf('/');
    const topic = decodeURIComponent(pathname.slice(end + 1));
    return {
      url: `${origin}${pathname.slice(0, end + 1)}`,
      body: withFields({ topic }, body),
      headers: { ...JSON_TYPE, ...bearer(credential) },
    };
  },
};

/** A wake names the delivery itself, because its reader acknowledges it by that. */
const wake: Wire = {
  isSigned: true,
  request: ({ url, id, body }) => ({ url, body: wakeText(id, body), headers: JSON_TYPE }),
};

/** A push notification of A2A 1.0: an update of a task that goes on, with the wake as the data of its message. */
const a2a: Wire = {
  isSigned: true,
  request({ url, id, body, credential }) {
    const data = JSON.parse(wakeText(id, body)) as { readonly webhook_id: string; readonly at: string };
    const [task, context] = [{ taskId: data.webhook_id }, { contextId: data.webhook_id }];
    const message = {
      messageId: id,
      ...context,
      ...task,
      role: 'ROLE_AGENT',
      parts: [{ data, mediaType: 'application/json' }],
    };
    const status = { state: 'TASK_STATE_WORKING', message, timestamp: data.at };
    return {
      url,
      body: JSON.stringify({ statusUpdate: { ...task, ...context, status } }),
      headers: {
        'content-type': 'application/a2a+json',
        ...(credential !== undefined && { 'x-a2a-notification-token': credential }),
      },
    };
  },
};

const teams: Wire = {
  isSigned: false,
  request: ({ url, body, credential = '' }) => ({ url: unmasked(url, credential), body, headers: JSON_TYPE }),
};

/** The id of the delivery is the id of the transaction: a repeat is the same event. */
const matrix: Wire = {
  isSigned: false,
  request: ({ url, id, body, credential }) => ({
    url: `${url.replace(/\/$/, '')}/${encodeURIComponent(id)}`,
    method: 'PUT',
    body,
    headers: { ...JSON_TYPE, ...bearer(credential) },
  }),
  retryAfter(response) {
    const milliseconds = secondsIn(response, /"retry_after_ms"\s*:\s*(\d{1,12})/);
    return milliseconds === undefined ? undefined : milliseconds / 1_000;
  },
};

/** The answer may be cut, so it is not read as a whole. */
function secondsIn(response: string, form: RegExp): number | undefined {
  const [, found] = form.exec(response) ?? [];
  return found === undefined ? undefined : Number(found);
}

const cloudEvents = (type: string): Wire => ({
  isSigned: true,
  request: ({ url, body }) => ({ url, body, headers: { 'content-type': `${type}; charset=utf-8` } }),
});

/** The transport makes the object, and signs it. */
const objects = (type: string): Wire => ({
  isSigned: false,
  request: ({ url, body }) => ({ url, body, headers: { 'content-type': type } }),
});

export const WIRES: Readonly<Record<WebhookFormat, Wire>> = {
  json: plainJson,
  slack: plainJson,
  discord: plainJson,
  telegram,
  ntfy,
  teams,
  matrix,
  cloudevents: cloudEvents('application/cloudevents+json'),
  'cloudevents-batch': cloudEvents('application/cloudevents-batch+json'),
  'cloudevents-binary': { isSigned: true, request: ({ url, body }) => ({ url, ...binaryRequest(body) }) },
  email: { isSigned: false, request: ({ url, body }) => ({ url, body, headers: {} }) },
  ndjson: objects(OBJECT_TYPES.ndjson),
  parquet: objects(OBJECT_TYPES.parquet),
  mcp: plainJson,
  wake,
  a2a,
};
