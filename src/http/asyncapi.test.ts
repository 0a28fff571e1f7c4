/** The AsyncAPI document: what a receiver made from it listens to, checks and reads. */
import { describe, expect, it } from 'vitest';
import { asyncApi, dataSchemas } from './asyncapi.ts';

interface Message {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly contentType: string;
  readonly headers: { type: string; required?: string[]; properties: Record<string, object> };
  readonly payload: { readonly $ref: string };
  readonly examples: readonly { readonly payload: unknown }[];
}

const { channels, operations, components, ...head } = (await asyncApi('1.2.3')) as unknown as {
  info: { description: string };
  channels: Record<string, { address?: string; messages: Record<string, object> }>;
  operations: Record<string, object>;
  components: {
    securitySchemes: object;
    schemas: Record<string, object>;
    messages: Record<string, Message>;
  };
};

const SENT = {
  matchStream: ['StreamMatch', 'StreamGap', 'StreamAlert', 'StreamCoverage', 'StreamDigest', 'StreamEnd'],
  webhook: [
    'DeliveryMatches',
    'DeliveryTest',
    'DeliveryDigest',
    'DeliveryOperational',
    'DeliveryAlert',
    'DeliveryHead',
  ],
  cloudEvents: [
    'CloudEventMatch',
    'CloudEventDigest',
    'CloudEventOperational',
    'CloudEventAlert',
    'CloudEventHead',
    'CloudEventBatchEvents',
    'CloudEventBinaryMatch',
    'CloudEventBinaryDigest',
    'CloudEventBinaryOperational',
    'CloudEventBinaryAlert',
    'CloudEventBinaryHead',
  ],
  agentEvents: [
    'AgentMatchCreated',
    'AgentStoryCreated',
    'AgentAlertRaised',
    'AgentGapOpened',
    'AgentVerification',
    'AgentGap',
  ],
};

it('says which program it describes, and how who listens is known', () => {
  expect(head).toMatchObject({
    asyncapi: '3.1.0',
    id: 'urn:sluice:messages',
    defaultContentType: 'application/json',
    info: {
      title: 'Sluice',
      version: '1',
      description: expect.stringContaining('program version 1.2.3'),
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      tags: [{ name: 'matches' }],
    },
  });
  expect(components.securitySchemes).toMatchObject({
    key: { type: 'http', scheme: 'bearer' },
    signature: { type: 'httpApiKey', in: 'header', name: 'webhook-signature' },
  });
});

it.each(Object.entries(SENT))('the channel %s has its messages', (channel, names) => {
  expect(channels[channel]!.messages).toEqual(
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
  );
  expect(Object.keys(components.messages)).toEqual(Object.values(SENT).flat());
});

it.each([
  ['streamMatches', 'matchStream', 'key', 'GET'],
  ['deliver', 'webhook', 'signature', 'POST'],
  ['deliverCloudEvents', 'cloudEvents', 'signature', 'POST'],
  ['tellAgent', 'agentEvents', 'signature', 'POST'],
] as const)('%s sends all of its channel', (name, channel, scheme, method) => {
  expect(operations[name]).toMatchObject({
    action: 'send',
    channel: { $ref: `#/channels/${channel}` },
    messages: SENT[channel].map((message) => ({ $ref: `#/channels/${channel}/messages/${message}` })),
    security: [{ $ref: `#/components/securitySchemes/${scheme}` }],
    bindings: { http: { method, bindingVersion: '0.3.0' } },
  });
});

it('the stream is at its address, and takes what the stream takes', () => {
  expect(channels['matchStream']!.address).toBe('/matches/stream');
  expect(operations['streamMatches']).toHaveProperty('bindings.http.query.properties.rule_id.type', 'string');
});

describe('a message', () => {
  it('has the body of the shape that it holds, by the name that the shape has', () => {
    const bodyOf = (name: string) => components.messages[name]!.payload.$ref.replace('#/components/schemas/', '');
    expect(['StreamMatch', 'StreamCoverage', 'StreamEnd'].map(bodyOf)).toEqual(['Match', 'Assessment', 'StreamEnd']);
    expect(['DeliveryAlert', 'CloudEventAlert', 'CloudEventBinaryAlert', 'CloudEventBinaryMatch'].map(bodyOf)).toEqual([
      'DeliveryAlert',
      'CloudEventAlert',
      'DeliveryAlert',
      'Match',
    ]);
    for (const name of Object.keys(components.messages)) expect(components.schemas).toHaveProperty(bodyOf(name));
    expect(components.schemas).not.toHaveProperty('Rule');
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['Highlight', 'DigestStory', 'OperationalEvent']),
    );
  });

  it('has its own name, a title, a sentence about it and one example', () => {
    expect(components.messages['AgentStoryCreated']).toMatchObject({ name: 'story.created', title: 'StoryCreated' });
    for (const { summary, examples } of Object.values(components.messages)) {
      expect(summary).toMatch(/\.$/);
      expect(examples).toHaveLength(1);
    }
  });

  it.each([
    ['StreamMatch', 'application/json'],
    ['DeliveryMatches', 'application/json'],
    ['CloudEventMatch', 'application/cloudevents+json'],
    ['CloudEventBatchEvents', 'application/cloudevents-batch+json'],
    ['CloudEventBinaryMatch', 'application/json'],
  ])('%s is sent as %s', (name, type) => expect(components.messages[name]!.contentType).toBe(type));

  it('on the stream has the name of the event and perhaps a cursor', () => {
    const { headers } = components.messages['StreamGap']!;
    expect(headers).toMatchObject({
      type: 'object',
      properties: { event: { type: 'string' }, id: { type: 'string' } },
    });
    expect(headers.required).toBeUndefined();
  });

  it('to a receiver is signed', () => {
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    for (const name of [...SENT.webhook, ...SENT.cloudEvents, ...SENT.agentEvents]) {
      const { headers } = components.messages[name]!;
      expect(headers.type).toBe('object');
      expect(headers.required!.slice(0, 3)).toEqual(signed);
      for (const one of signed) expect(headers.properties[one]).toMatchObject({ type: 'string' });
    }
    expect(components.messages['AgentGap']!.headers.properties).toHaveProperty('x-mcp-subscription-id.type', 'string');
  });

  it('in binary mode has the attributes of its event as headers', () => {
    const { required, properties } = components.messages['CloudEventBinaryMatch']!.headers;
    expect(required!.slice(3)).toEqual(['ce-specversion', 'ce-id', 'ce-source', 'ce-type', 'ce-time']);
    expect(properties).toMatchObject({
      'ce-specversion': { type: 'string', const: '1.0' },
      'ce-id': { type: 'string' },
      'ce-source': { type: 'string' },
      'ce-type': { type: 'string' },
      'ce-time': { type: 'string', format: 'date-time' },
      'ce-subject': { type: 'string' },
      'ce-dataschema': { type: 'string', format: 'uri' },
    });
  });
});

describe('an example', () => {
  const exampleOf = (name: string) => components.messages[name]!.examples[0]!.payload;

  /** The paths of texts and lists that are empty. */
  function emptyIn(value: unknown, path: string): string[] {
    if (value === '' || value === undefined || (Array.isArray(value) && value.length === 0)) return [path];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inside]) => emptyIn(inside, `${path}.${key}`));
  }

  it.each(Object.values(SENT).flat())('of %s shows what every field may hold', (name) => {
    // A delivery of another kind has no matches, a complete time no reasons, and a story may have no links.
    const known = /\.(matches|links|reasons)$/;
    expect(emptyIn(exampleOf(name), name).filter((path) => !known.test(path))).toEqual([]);
  });

  it('of a delivery has matches where it brings some', () => {
    for (const name of ['DeliveryMatches', 'DeliveryTest'])
      expect(exampleOf(name)).toMatchObject({ matches: [exampleOf('StreamMatch')] });
    expect(exampleOf('DeliveryAlert')).toMatchObject({ type: 'alert', matches: [], alert: exampleOf('StreamAlert') });
    expect(exampleOf('DeliveryDigest')).toMatchObject({ wake: false, digest: exampleOf('StreamDigest') });
  });

  it('of a gap is of one that is still open and that nothing has filled', () => {
    expect(exampleOf('StreamGap')).toMatchObject({ to: null, recovered: false, source: 'bluesky' });
    expect(exampleOf('AgentGapOpened')).not.toHaveProperty('data.source');
    expect(exampleOf('AgentGapOpened')).not.toHaveProperty('data.recovered');
  });

  it.each([
    ['CloudEventMatch', 'sluice.match.created', 'Match', 'StreamMatch'],
    ['CloudEventDigest', 'sluice.digest.written', 'DeliveryDigest', 'DeliveryDigest'],
    ['CloudEventOperational', 'sluice.webhook.failing', 'DeliveryOperational', 'DeliveryOperational'],
    ['CloudEventAlert', 'sluice.alert.raised', 'DeliveryAlert', 'DeliveryAlert'],
    ['CloudEventHead', 'sluice.head.signed', 'DeliveryHead', 'DeliveryHead'],
  ])('of %s holds what the receiver of other formats gets', (name, type, schema, data) => {
    expect(exampleOf(name)).toMatchObject({
      type,
      dataschema: `https://sluice.example.org/schemas/${schema}.json`,
      data: exampleOf(data),
    });
    expect(exampleOf(name.replace('CloudEvent', 'CloudEventBinary'))).toEqual(exampleOf(data));
  });

  it.each([
    ['AgentMatchCreated', 'match.created'],
    ['AgentStoryCreated', 'story.created'],
    ['AgentAlertRaised', 'alert.raised'],
    ['AgentGapOpened', 'gap.opened'],
  ])('of %s names its event', (name, event) => expect(exampleOf(name)).toMatchObject({ name: event }));
});

describe('a schema by itself', () => {
  const schemas = dataSchemas();

  it('is there for every name in the document', () => {
    expect([...schemas.keys()]).toEqual(Object.keys(components.schemas));
  });

  it('has all that it refers to, and nothing else', () => {
    const digest = schemas.get('Digest')!;
    expect(digest).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Digest',
      $ref: '#/$defs/Digest',
    });
    expect(Object.keys(digest['$defs'] as object)).toEqual(['Digest', 'DigestStory']);
    // A schema has those that it refers to through others, too.
    expect(Object.keys(schemas.get('DeliveryDigest')!['$defs'] as object)).toContain('DigestStory');
    for (const schema of schemas.values()) expect(JSON.stringify(schema)).not.toContain('#/components/');
  });
});
