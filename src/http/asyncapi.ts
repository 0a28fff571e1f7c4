/**
 * The AsyncAPI 3 document: what Sluice sends by itself. Its schemas are made from the shapes that the operations have, and
 * a test holds what is really sent to them.
 */

import { EVENT_TYPES } from '../service/operations/event-types.ts';
import { AGENT_MESSAGES, DELIVERIES, MESSAGE_PARTS, STREAM_EVENTS } from '../service/operations/message-shapes.ts';
import { streamInput } from '../service/operations/open-stream.ts';
import { AGENT_EXAMPLES, DELIVERY_EXAMPLES, STREAM_EXAMPLES } from './asyncapi-examples.ts';
import { answerSchemas, type JsonObject, requestSchema, type Shapes, schemaRef } from './json-schemas.ts';
import { NAMED_SHAPES } from './schema-names.ts';
import { MATCH_STREAM_PATH } from './stream.ts';

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
};

const AGENT_ABOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(EVENT_TYPES.map(({ name, description }) => [name, description])),
  verification: 'The receiver proves that it wants the events, before anything else is sent to it.',
  gap: 'Events of the subscription may be missing. Only for receivers that asked for control messages.',
};

/** The messages of one channel. */
interface Kind {
  readonly name: string;
  readonly shapes: Shapes;
  readonly about: Readonly<Record<string, string>>;
  readonly examples: Readonly<Record<string, unknown>>;
  readonly headers: JsonObject;
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

const KINDS: Readonly<Record<'matchStream' | 'webhook' | 'agentEvents', Kind>> = {
  matchStream: {
    name: 'Stream',
    shapes: STREAM_EVENTS,
    about: STREAM_ABOUT,
    examples: STREAM_EXAMPLES,
    headers: {
      type: 'object',
      properties: { event: text('The name of the event.'), id: text('A cursor; absent where it does not move.') },
    },
  },
  webhook: {
    name: 'Delivery',
    shapes: DELIVERIES,
    about: DELIVERY_ABOUT,
    examples: DELIVERY_EXAMPLES,
    headers: SIGNED,
  },
  agentEvents: {
    name: 'Agent',
    shapes: AGENT_MESSAGES,
    about: AGENT_ABOUT,
    examples: AGENT_EXAMPLES,
    headers: {
      ...SIGNED,
      properties: { ...SIGNED.properties, 'x-mcp-subscription-id': text('The subscription that the event is for.') },
    },
  },
};

const capital = (name: string): string =>
  name
    .split('.')
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('');
const messageName = ({ name: kind }: Kind, name: string): string => `${kind}${capital(name)}`;

/** Without `servers`: those depend on how the reader reached us. */
export function asyncApi(version: string): JsonObject {
  const kinds = Object.values(KINDS);
  return {
    asyncapi: '3.1.0',
    id: 'urn:sluice:messages',
    info: {
      title: 'Sluice',
      version: '1',
      description: `What Sluice sends by itself: matches as server-sent events, deliveries to webhooks, and events for agents that subscribed with \`events/subscribe\` of MCP. The requests and answers are in the OpenAPI document, at \`/openapi.json\`. Within version 1 fields are added, never changed or removed. This is program version ${version}.`,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      tags: [{ name: 'matches', description: 'What was found.' }],
    },
    defaultContentType: 'application/json',
    channels: channels(),
    operations: sends(),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `Authorization: Bearer <API_KEY>`.' },
        signature: {
          type: 'httpApiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'Made with the secret of the webhook. Receivers check it.',
        },
      },
      schemas: schemasOf(kinds),
      messages: Object.assign({}, ...kinds.map(messagesOf)) as JsonObject,
    },
  };
}

/** The named shapes that messages hold, and the body of each message unless that has a name already. */
function schemasOf(kinds: readonly Kind[]): JsonObject {
  const bodies = kinds.flatMap((kind) =>
    Object.entries(kind.shapes).map(([name, shape]) => [bodyName(kind, name), shape] as const),
  );
  const all = answerSchemas({ ...Object.fromEntries(bodies), ...MESSAGE_PARTS, ...NAMED_SHAPES });
  const used = new Set(bodies.map(([name]) => name));
  for (const name of used)
    for (const [, inside] of JSON.stringify(all[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) used.add(inside!);
  return Object.fromEntries([...used].map((name) => [name, all[name]]));
}

function bodyName(kind: Kind, name: string): string {
  const shape = kind.shapes[name];
  const named = Object.entries({ ...NAMED_SHAPES, ...MESSAGE_PARTS }).find(([, one]) => one === shape);
  return named?.[0] ?? messageName(kind, name);
}

const messagesOf = (kind: Kind): JsonObject =>
  Object.fromEntries(
    Object.keys(kind.shapes).map((name) => [
      messageName(kind, name),
      {
        name,
        title: capital(name),
        summary: kind.about[name],
        contentType: 'application/json',
        headers: kind.headers,
        payload: schemaRef(bodyName(kind, name)),
        examples: [{ name: 'example', payload: kind.examples[name] }],
      },
    ]),
  );

const messageRefs = (kind: Kind): JsonObject =>
  Object.fromEntries(
    Object.keys(kind.shapes).map((name) => [
      messageName(kind, name),
      { $ref: `#/components/messages/${messageName(kind, name)}` },
    ]),
  );

const channels = (): JsonObject => ({
  matchStream: {
    address: MATCH_STREAM_PATH,
    title: 'The stream of matches',
    description: 'Server-sent events, without end. A heartbeat comes every 15 seconds when there is nothing else.',
    messages: messageRefs(KINDS.matchStream),
  },
  webhook: {
    title: 'The URL of a webhook',
    description: 'A POST to the URL that Create Webhook was given, for webhooks of format `json`.',
    messages: messageRefs(KINDS.webhook),
  },
  agentEvents: {
    title: 'The URL of an agent that subscribed',
    description: 'A POST to the URL that `events/subscribe` was given: one event in each.',
    messages: messageRefs(KINDS.agentEvents),
  },
});

const sendOf = (channel: keyof typeof KINDS, more: JsonObject): JsonObject => ({
  action: 'send',
  channel: { $ref: `#/channels/${channel}` },
  messages: Object.keys(messageRefs(KINDS[channel])).map((name) => ({
    $ref: `#/channels/${channel}/messages/${name}`,
  })),
  ...more,
});

const secured = (scheme: string) => [{ $ref: `#/components/securitySchemes/${scheme}` }];

const sends = (): JsonObject => ({
  streamMatches: sendOf('matchStream', {
    title: 'Stream matches',
    summary: 'Every match after a cursor, then new ones as they are stored.',
    security: secured('key'),
    bindings: { http: { method: 'GET', query: requestSchema(streamInput), bindingVersion: '0.3.0' } },
  }),
  deliver: sendOf('webhook', {
    title: 'Deliver to a webhook',
    summary: 'Signed as Standard Webhooks says, and retried for three days.',
    security: secured('signature'),
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  }),
  tellAgent: sendOf('agentEvents', {
    title: 'Tell an agent',
    summary: 'Signed as Standard Webhooks says; one event a delivery.',
    security: secured('signature'),
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  }),
});
