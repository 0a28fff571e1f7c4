/** The description of what is sent: two independent judges, and what is really sent against its schemas. */
import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import {
  alertFrame,
  coverageFrame,
  dataOf,
  digestFrame,
  type EndReason,
  endFrame,
  gapFrame,
  matchFrame,
} from '../../src/delivery/live/frames.ts';
import type { CloudFormat } from '../../src/delivery/webhooks/cloud-events.ts';
import { digestBody } from '../../src/delivery/webhooks/digests.ts';
import { eventBody } from '../../src/delivery/webhooks/events.ts';
import { alertBody, deliveryBody, noticeBody, testBody } from '../../src/delivery/webhooks/formats.ts';
import { alertDeliveries, noticeDeliveries } from '../../src/delivery/webhooks/notices.ts';
import { WIRES } from '../../src/delivery/webhooks/wires.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import type { Match } from '../../src/domain/match.ts';
import type { Alert } from '../../src/domain/rule.ts';
import type { EventSubscription, Notice } from '../../src/domain/webhook.ts';
import { asyncApi } from '../../src/http/asyncapi.ts';
import { eventData, eventDigest } from '../../src/mcp/events/wire.ts';
import { assessmentToJson } from '../../src/service/coverage/coverage.ts';
import { matchText } from '../../src/service/reader/reader.ts';
import { EVENT_TYPES } from '../../src/service/webhooks/event-types.ts';
import { digestOfItems, heldItem } from '../../src/wakes/digest.ts';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { problemsBySchema, schemaJudge } from './schemas.ts';

const document = { ...(await asyncApi('0.0.0')), servers: { here: { host: 'sluice.test', protocol: 'https' } } };
const described = document as unknown as {
  channels: Record<string, { messages: Record<string, object> }>;
  components: {
    messages: Record<
      string,
      {
        name: string;
        payload: { $ref: string };
        headers: object;
        contentType: string;
        examples: { payload: unknown }[];
      }
    >;
    schemas: Record<string, object>;
  };
};
const judge = schemaJudge(described);
const schemaOf = (message: string): string =>
  described.components.messages[message]!.payload.$ref.slice('#/components/schemas/'.length);
const problems = (message: string, value: unknown): string[] => judge.problems(schemaOf(message), value);

describe('the AsyncAPI document', () => {
  it('has no problem in the eyes of the AsyncAPI parser', async () => {
    const { diagnostics, document: parsed } = await new Parser().parse(JSON.stringify(document));
    expect(diagnostics.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([]);
    expect(parsed?.channels().all()).toHaveLength(4);
  });

  it('has no problem in the eyes of redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  it('is served, with the address by which the reader came', async () => {
    await using app = await startApp();
    const { statusCode, body } = await app.http.inject({ url: '/asyncapi.json', headers: { host: 'sluice.test:81' } });
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      asyncapi: '3.1.0',
      servers: { here: { host: 'sluice.test:81', protocol: 'http' } },
    });
  });

  it.each(Object.keys(described.components.messages))('has an example of %s that its schema accepts', (name) => {
    const [example] = described.components.messages[name]!.examples;
    expect(problems(name, example!.payload)).toEqual([]);
    expect(problems(name, {})).not.toEqual([]);
  });

  it('names each schema that it has', () => {
    const used = JSON.stringify(document);
    const unused = Object.keys(described.components.schemas).filter(
      (name) => !used.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });
});

describe('what is sent is as the AsyncAPI document says', () => {
  const at = new Date('2026-11-15T08:30:00.123Z');
  const match: Match = {
    id: 'match_1',
    createdAt: at,
    position: 1,
    platform: 'x',
    platformPostId: '1',
    ruleId: 'rule_1',
    ruleName: 'Volcano',
    ruleVersion: 1,
    payload: { data: { id: '1', text: 'Lava!' } },
    highlights: [{ field: 'data.text', start: 0, end: 4 }],
    storyId: 'st_1',
    storyFirst: true,
    source: 'push',
  };
  const alert: Alert = {
    id: 'alert_1',
    accountId: 'acct_1',
    ruleId: 'rule_1',
    ruleName: 'Volcano',
    platform: 'x',
    kind: 'surge',
    from: at,
    to: undefined,
    rate: 9,
    usualRate: 1.5,
  };
  const gap: Gap = {
    platform: 'x',
    from: at,
    to: undefined,
    cause: 'source_down:bluesky',
    recovered: false,
    source: 'bluesky',
    ruleId: 'rule_1',
  };
  const digest = digestOfItems([heldItem(match)]);
  const webhook = { id: 'hook_1', format: 'json', wake: undefined } as const;
  const dataIn = (frame: Buffer): unknown => JSON.parse(dataOf(frame));

  it('on a stream', () => {
    const assessed = assessmentToJson({ complete: false, from: undefined, through: undefined, reasons: ['no_feed'] });
    expect(problems('StreamMatch', dataIn(matchFrame('c', matchText(match))))).toEqual([]);
    expect(problems('StreamGap', dataIn(gapFrame('c', gap)))).toEqual([]);
    expect(problems('StreamAlert', dataIn(alertFrame('c', alert)))).toEqual([]);
    expect(problems('StreamCoverage', dataIn(coverageFrame(JSON.stringify(assessed))))).toEqual([]);
    expect(problems('StreamDigest', dataIn(digestFrame('c', JSON.stringify(digest))))).toEqual([]);
  });

  it.each(['too_slow', 'key_revoked', 'session_ended', 'rule_deleted', 'stopping'] satisfies EndReason[])(
    'when a stream ends because of %s',
    (reason) => {
      expect(problems('StreamEnd', dataIn(endFrame(reason)))).toEqual([]);
    },
  );

  it('to a webhook', () => {
    const wake = { per: 'story' } as const;
    for (const target of [webhook, { ...webhook, wake }])
      expect(problems('DeliveryMatches', JSON.parse(deliveryBody(target, [match], matchText).text))).toEqual([]);
    expect(problems('DeliveryTest', JSON.parse(testBody(webhook, match, matchText)))).toEqual([]);
    expect(problems('DeliveryAlert', JSON.parse(alertBody(webhook, alert)))).toEqual([]);
    expect(problems('DeliveryDigest', JSON.parse(digestBody(webhook, digest, 'dlv_1').text))).toEqual([]);
  });

  describe('to a webhook that takes CloudEvents', () => {
    const server = 'https://sluice.test';
    const encode = Object.assign((one: Match) => matchText(one), { server });
    const NOTICES: Notice['type'][] = [
      'webhook_failing',
      'webhook_disabled',
      'budget_near',
      'budget_spent',
      'budget_restored',
      'limit_near',
      'limit_reached',
      'limit_cleared',
      'token_refused',
      'rules_gone',
      'rules_back',
      'wake_expired',
    ];
    const sent = (format: CloudFormat): [kind: string, body: string][] => {
      const of = { ...webhook, format };
      return [
        ['Match', deliveryBody(of, [match], encode).text],
        ['Match', testBody(of, match, encode)],
        ['Digest', digestBody(of, digest, 'dlv_1', server).text],
        ['Alert', alertBody(of, alert, server)],
        ['Alert', alertBody(of, { ...alert, to: at }, server)],
        ...NOTICES.map((type): [string, string] => [
          'Operational',
          noticeBody(of, { type, at, message: 'm', subject: { webhookId: 'hook_2' } }, server),
        ]),
      ];
    };
    const requestOf = (format: CloudFormat, body: string) =>
      WIRES[format].request({ url: 'https://receiver.test/', id: 'dlv_1', body, credential: undefined });
    const typeOf = (message: string) => described.components.messages[message]!.contentType;

    it.each([
      ['cloudevents', 'CloudEvent'],
      ['cloudevents-batch', 'CloudEventBatchEvents'],
    ] as const)('in the format %s', (format, message) => {
      for (const [kind, frozen] of sent(format)) {
        const name = format === 'cloudevents' ? `${message}${kind}` : message;
        const { headers, body } = requestOf(format, frozen);
        expect(problems(name, JSON.parse(body))).toEqual([]);
        expect(headers['content-type']).toBe(`${typeOf(name)}; charset=utf-8`);
      }
    });

    it('in the format cloudevents-binary, headers and body', () => {
      for (const [kind, frozen] of sent('cloudevents-binary')) {
        const { headers, body } = requestOf('cloudevents-binary', frozen);
        const name = `CloudEventBinary${kind}`;
        expect(problems(name, JSON.parse(body))).toEqual([]);
        expect(headers['content-type']).toBe(typeOf(name));
        const signed = { 'webhook-id': 'dlv_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,a' };
        const schema = described.components.messages[name]!.headers;
        expect(problemsBySchema(schema, { ...headers, ...signed })).toEqual([]);
        expect(problemsBySchema(schema, signed)).not.toEqual([]);
        const known = Object.keys((schema as { properties: object }).properties);
        expect(Object.keys(headers).filter((header) => header.startsWith('ce-') && !known.includes(header))).toEqual(
          [],
        );
      }
    });

    it('with the address of a schema that the server has, and that accepts the data', async () => {
      await using app = await startApp({ publicUrl: server });
      for (const [, frozen] of sent('cloudevents')) {
        const event = JSON.parse(requestOf('cloudevents', frozen).body) as { dataschema: string; data: unknown };
        expect(event.dataschema).toMatch(/^https:\/\/sluice\.test\/schemas\/\w+\.json$/);
        const served = await app.http.inject({ url: new URL(event.dataschema).pathname });
        expect(served.headers['content-type']).toBe('application/schema+json; charset=utf-8');
        const schema = served.json<{ $id: string }>();
        expect(schema.$id).toBe(event.dataschema);
        expect(problemsBySchema(schema, event.data)).toEqual([]);
        expect(problemsBySchema(schema, {})).not.toEqual([]);
      }
      expect((await app.http.inject({ url: '/schemas/Nothing.json' })).statusCode).toBe(404);
      expect((await app.http.inject({ url: '/schemas/__proto__.json' })).statusCode).toBe(404);
    });

    it('as the service sends them, which knows its public address', async () => {
      const bodies: string[] = [];
      const answer = { statusCode: 200, error: undefined, response: '', overloaded: false, retryAfter: undefined };
      await using app = await startApp({
        publicUrl: `${server}/`,
        delivery: {
          publicUrl: `${server}/`,
          send: async ({ body }) => {
            bodies.push(body);
            return answer;
          },
        },
      });
      const call = (name: string, payload: object) =>
        app.http.inject({
          method: 'POST',
          url: `/api.${name}`,
          headers: { authorization: `Bearer ${OPERATOR_KEY}` },
          payload,
        });
      const made = await call('CreateWebhook', { url: 'https://receiver.test/', format: 'cloudevents' });
      const { webhook_id } = made.json<{ webhook_id: string }>();
      await call('TestWebhook', { webhook_id });
      const account = (await app.store.account('default'))!;
      expect(bodies.map((body) => (JSON.parse(body) as { dataschema: string }).dataschema)).toEqual([
        `${server}/schemas/Match.json`,
      ]);
      // Messages to the owner, and alerts, are stored as deliveries with the same address.
      const webhooks = (await app.store.webhooks(account.id)).map((one) => ({
        ...one,
        events: ['operational', 'alert'] as typeof one.events,
      }));
      const told = [
        ...noticeDeliveries(
          webhooks,
          { type: 'budget_spent', at, message: 'm', subject: { platform: 'x' } },
          at,
          server,
        ),
        ...alertDeliveries(webhooks, alert, at, server),
      ];
      expect(told.map(({ body }) => (JSON.parse(body) as { dataschema: string }).dataschema)).toEqual([
        `${server}/schemas/DeliveryOperational.json`,
        `${server}/schemas/DeliveryAlert.json`,
      ]);
    });

    it('without such an address where the server does not know its own', () => {
      const { text } = deliveryBody({ ...webhook, format: 'cloudevents' }, [match], matchText);
      expect(JSON.parse(text)).not.toHaveProperty('dataschema');
      expect(problems('CloudEventMatch', JSON.parse(text))).toEqual([]);
    });
  });

  it.each([
    'webhook_failing',
    'webhook_disabled',
    'budget_near',
    'budget_spent',
    'budget_restored',
    'limit_near',
    'limit_reached',
    'limit_cleared',
    'token_refused',
    'rules_gone',
    'rules_back',
    'wake_expired',
  ] satisfies Notice['type'][])('to a webhook of the operational event %s', (type) => {
    for (const subject of [
      { webhookId: 'hook_2' },
      { platform: 'x' } as const,
      { ruleId: 'rule_1' },
      { limit: 'stored_bytes' },
    ])
      expect(
        problems('DeliveryOperational', JSON.parse(noticeBody(webhook, { type, at, message: 'm', subject }))),
      ).toEqual([]);
  });

  it.each([false, true])('to an agent, brief: %s', (brief) => {
    for (const event of ['match.created', 'story.created'] as const) {
      const subscription = { event } as EventSubscription;
      for (const data of [eventData(match, { brief }), eventDigest(digest, match, { brief })]) {
        const body = eventBody(subscription, { id: 'evt_1', at, data, cursor: null });
        expect(
          problems(event === 'match.created' ? 'AgentMatchCreated' : 'AgentStoryCreated', JSON.parse(body)),
        ).toEqual([]);
      }
    }
  });

  it('for every event that an agent can subscribe to', () => {
    const sent = Object.values(described.components.messages).map(({ name }) => name);
    expect(EVENT_TYPES.map(({ name }) => name).filter((name) => !sent.includes(name))).toEqual([]);
  });
});
