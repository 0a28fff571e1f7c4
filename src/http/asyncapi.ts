/**
 * The AsyncAPI 3 document: what Sluice sends by itself. Its schemas are made from the shapes that the operations have, and
 * a test holds what is really sent to them.
 */

import { streamInput } from '../service/matches/open-stream.ts';
import { DELIVERIES, MESSAGE_PARTS } from '../service/webhooks/message-shapes.ts';
import { KINDS, type MessageKind } from './asyncapi-kinds.ts';
import { answerSchemas, type JsonObject, requestSchema, schemaRef } from './json-schemas.ts';
import { DOCUMENT_PART, makeDocument } from './openapi.ts';
import { NAMED_SHAPES } from './schema-names.ts';
import { MATCH_STREAM_PATH } from './stream.ts';

const capital = (name: string): string =>
  name
    .split('.')
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('');
const messageName = ({ name: kind }: MessageKind, name: string): string => `${kind}${capital(name)}`;

/** Without `servers`: those depend on how the reader reached us. */
export const asyncApi = (version: string): Promise<JsonObject> => makeDocument(describe(version));

function* describe(version: string): Generator<number, JsonObject> {
  const kinds: readonly MessageKind[] = Object.values(KINDS).flat();
  const schemas = schemasOf(kinds);
  yield DOCUMENT_PART;
  const messages = Object.assign({}, ...kinds.map(messagesOf)) as JsonObject;
  yield DOCUMENT_PART;
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
      schemas,
      messages,
    },
  };
}

/** The named shapes that messages hold, and the body of each message unless that has a name already. */
function schemasOf(kinds: readonly MessageKind[]): JsonObject {
  const bodies = kinds.flatMap((kind) =>
    Object.entries(kind.shapes).map(([name, shape]) => [bodyName(kind, name), shape] as const),
  );
  const all = answerSchemas({ ...Object.fromEntries(bodies), ...MESSAGE_PARTS, ...NAMED_SHAPES });
  const used = new Set(bodies.map(([name]) => name));
  for (const name of used) for (const inside of namesIn(all[name])) used.add(inside);
  return Object.fromEntries([...used].map((name) => [name, all[name]]));
}

/** The bodies of deliveries, which CloudEvents hold too. */
const SENT_ALSO_AS_DATA = Object.fromEntries(
  Object.entries(DELIVERIES).map(([name, shape]) => [`Delivery${capital(name)}`, shape]),
);

const NAME_OF: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ ...NAMED_SHAPES, ...MESSAGE_PARTS, ...SENT_ALSO_AS_DATA })
    .toReversed()
    .map(([name, shape]) => [shape, name]),
);

const bodyName = (kind: MessageKind, name: string): string => NAME_OF.get(kind.shapes[name]) ?? messageName(kind, name);

const messagesOf = (kind: MessageKind): JsonObject =>
  Object.fromEntries(
    Object.keys(kind.shapes).map((name) => [
      messageName(kind, name),
      {
        name,
        title: capital(name),
        summary: kind.about[name],
        contentType: kind.contentType ?? 'application/json',
        headers: kind.headers,
        payload: schemaRef(bodyName(kind, name)),
        examples: [{ name: 'example', payload: kind.examples[name] }],
      },
    ]),
  );

const messageRefs = (kinds: readonly MessageKind[]): JsonObject =>
  Object.fromEntries(
    kinds
      .flatMap((kind) => Object.keys(kind.shapes).map((name) => messageName(kind, name)))
      .map((name) => [name, { $ref: `#/components/messages/${name}` }]),
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
  cloudEvents: {
    title: 'The URL of a webhook that takes CloudEvents',
    description:
      'A POST to the URL that Create Webhook was given, for webhooks of the formats `cloudevents` (structured), `cloudevents-batch` and `cloudevents-binary`. NATS and Kafka get the structured form as records.',
    messages: messageRefs(KINDS.cloudEvents),
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
  deliverCloudEvents: sendOf('cloudEvents', {
    title: 'Deliver CloudEvents to a webhook',
    summary: 'CloudEvents 1.0, signed as Standard Webhooks says, and retried for three days.',
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

/** One of the schemas by itself, with what it refers to. */
export function dataSchemas(): ReadonlyMap<string, JsonObject> {
  const all = schemasOf(Object.values(KINDS).flat());
  return new Map(Object.keys(all).map((name) => [name, standingAlone(name, all)]));
}

function standingAlone(name: string, all: JsonObject): JsonObject {
  const used = new Set([name]);
  for (const one of used) for (const inside of namesIn(all[one])) used.add(inside);
  const definitions = Object.fromEntries([...used].map((one) => [one, all[one]]));
  const local = JSON.stringify(definitions).replaceAll('"#/components/schemas/', '"#/$defs/');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    $ref: `#/$defs/${name}`,
    $defs: JSON.parse(local) as JsonObject,
  };
}

const namesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
