/** The messages that Sluice sends by itself, by the channel that they go out on: their shapes, examples and headers. */
import { EVENT_TYPES } from '../service/webhooks/event-types.ts';
import {
  AGENT_MESSAGES,
  CLOUD_BATCH,
  CLOUD_DATA,
  CLOUD_EVENTS,
  DELIVERIES,
  STREAM_EVENTS,
} from '../service/webhooks/message-shapes.ts';
import {
  AGENT_EXAMPLES,
  CLOUD_DATA_EXAMPLES,
  CLOUD_EXAMPLES,
  DELIVERY_EXAMPLES,
  STREAM_EXAMPLES,
} from './asyncapi-examples.ts';
import type { JsonObject, Shapes } from './json-schemas.ts';

const STREAM_ABOUT: Readonly<Record<keyof typeof STREAM_EVENTS, string>> = {
  match: 'A match, as List Matches has it. Its id is the cursor to resume from.',
  gap: 'A time without coverage.',
  alert: 'A surge or silence of a watched rule began, grew or ended. Its id does not move the cursor.',
  coverage: 'How far the stream can be relied on: when it is opened, and with every heartbeat.',
  digest: 'What a wake contract held. Its id is the cursor after it.',
  end: 'Why the server ends the stream; the last event.',
};

const DELIVERY_ABOUT: Readonly<Record<keyof typeof DELIVERIES, string>> = {
  matches: 'New matches, up to 100.',
  test: 'What Test Webhook sends.',
  digest: 'What a wake contract held, at the end of its window.',
  operational: 'What the owner should know of the service itself.',
  alert: 'A surge or silence of a watched rule began or ended.',
  head: 'The log of certificates has a new head.',
};

const CLOUD_ABOUT: Readonly<Record<keyof typeof CLOUD_DATA, string>> = {
  match: 'A new match, or the invented one that Test Webhook sends.',
  digest: 'What a wake contract held, at the end of its window.',
  operational: 'What the owner should know of the service itself.',
  alert: 'A surge or silence of a watched rule began or ended.',
  head: 'The log of certificates has a new head.',
};

const AGENT_ABOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(EVENT_TYPES.map(({ name, description }) => [name, description])),
  verification: 'The receiver proves that it wants the events, before anything else is sent to it.',
  gap: 'Events of the subscription may be missing. Only for receivers that asked for control messages.',
};

/** Messages that are alike but for their bodies. */
export interface MessageKind {
  readonly name: string;
  readonly shapes: Shapes;
  readonly about: Readonly<Record<string, string>>;
  readonly examples: Readonly<Record<string, unknown>>;
  readonly headers: JsonObject;
  readonly contentType?: string;
}

const text = (description: string): JsonObject => ({ type: 'string', description });

const SIGNED = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': text('The delivery: the same for every attempt.'),
    'webhook-timestamp': text('The time of this attempt, in seconds.'),
    'webhook-signature': text(
      '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several with a blank between.',
    ),
  },
};

/** In binary mode the attributes of an event are headers, percent-encoded where HTTP does not carry a character. */
const CE_HEADERS = {
  ...SIGNED,
  required: [...SIGNED.required, 'ce-specversion', 'ce-id', 'ce-source', 'ce-type', 'ce-time'],
  properties: {
    ...SIGNED.properties,
    'ce-specversion': { type: 'string', const: '1.0' },
    'ce-id': text('With the source, the same for every attempt and every webhook.'),
    'ce-source': text('What it is about, as a path: a rule, a webhook or a platform.'),
    'ce-type': text('The same types as in structured mode.'),
    'ce-time': { type: 'string', format: 'date-time' },
    'ce-subject': text('Of a match: its platform and the id of its post.'),
    'ce-dataschema': { type: 'string', format: 'uri', description: 'The schema of the body.' },
  },
};

/** The messages of each channel. */
export const KINDS = {
  matchStream: [
    {
      name: 'Stream',
      shapes: STREAM_EVENTS,
      about: STREAM_ABOUT,
      examples: STREAM_EXAMPLES,
      headers: {
        type: 'object',
        properties: { event: text('The name of the event.'), id: text('A cursor; absent where it does not move.') },
      },
    },
  ],
  webhook: [
    {
      name: 'Delivery',
      shapes: DELIVERIES,
      about: DELIVERY_ABOUT,
      examples: DELIVERY_EXAMPLES,
      headers: SIGNED,
    },
  ],
  cloudEvents: [
    {
      name: 'CloudEvent',
      shapes: CLOUD_EVENTS,
      about: CLOUD_ABOUT,
      examples: CLOUD_EXAMPLES,
      headers: SIGNED,
      contentType: 'application/cloudevents+json',
    },
    {
      name: 'CloudEventBatch',
      shapes: CLOUD_BATCH,
      about: { events: 'Format `cloudevents-batch`: up to 100 matches, or one event of another kind.' },
      examples: { events: [CLOUD_EXAMPLES.match] },
      headers: SIGNED,
      contentType: 'application/cloudevents-batch+json',
    },
    {
      name: 'CloudEventBinary',
      shapes: CLOUD_DATA,
      about: CLOUD_ABOUT,
      examples: CLOUD_DATA_EXAMPLES,
      headers: CE_HEADERS,
    },
  ],
  agentEvents: [
    {
      name: 'Agent',
      shapes: AGENT_MESSAGES,
      about: AGENT_ABOUT,
      examples: AGENT_EXAMPLES,
      headers: {
        ...SIGNED,
        properties: { ...SIGNED.properties, 'x-mcp-subscription-id': text('The subscription that the event is for.') },
      },
    },
  ],
} satisfies Record<string, readonly MessageKind[]>;
