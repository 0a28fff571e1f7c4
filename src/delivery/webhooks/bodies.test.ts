/** The bodies of every kind of delivery for the receivers that are programs: JSON, CloudEvents, sinks and objects. */
import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { Alert } from '../../domain/rule.ts';
import type { Notice, Webhook } from '../../domain/webhook.ts';
import { alertBody, deliveryBody, type Encode, MAX_BODY_BYTES, noticeBody, testBody } from './formats.ts';
import { readRecords, recordsText } from './sinks/records.ts';

const at = new Date('2026-11-15T08:30:00.123Z');
const match = (id: string): Match => ({
  id,
  createdAt: at,
  position: 1,
  platform: 'x',
  platformPostId: '7',
  ruleId: 'rule_1',
  ruleName: 'Lava',
  ruleVersion: 1,
  payload: {},
  highlights: [],
});
const encode: Encode = Object.assign(({ id }: Match) => JSON.stringify({ id }), { server: 'https://sluice.example//' });
const hook = (format: Webhook['format'], url = 'https://a.example/') => ({
  id: 'hook_1',
  format,
  url,
  wake: undefined,
});
const NATS = 'nats://a.example/s';
const cloud = (id: string, type = 'match.created') => ({
  specversion: '1.0',
  id,
  source: '/rules/rule_1',
  type: `sluice.${type}`,
  time: '2026-11-15T08:30:00.123Z',
  subject: 'x/7',
  datacontenttype: 'application/json',
  dataschema: 'https://sluice.example/schemas/Match.json',
  data: { id },
});

describe('matches', () => {
  const two = [match('m1'), match('m2')];

  it('are a list in JSON, which says that it wakes where there is a contract', () => {
    expect(deliveryBody(hook('json'), two, encode)).toEqual({
      text: '{"type":"matches","webhook_id":"hook_1","matches":[{"id":"m1"},{"id":"m2"}]}',
      matches: 2,
    });
    expect(deliveryBody({ ...hook('json'), wake: { per: 'story' } }, two, encode).text).toBe(
      '{"type":"matches","webhook_id":"hook_1","wake":true,"matches":[{"id":"m1"},{"id":"m2"}]}',
    );
  });

  it('are one CloudEvent, or a list of them', () => {
    const one = deliveryBody(hook('cloudevents'), two, encode);
    expect([JSON.parse(one.text), one.matches]).toEqual([cloud('m1'), 1]);
    const batch = deliveryBody(hook('cloudevents-batch'), two, encode);
    expect([JSON.parse(batch.text), batch.matches]).toEqual([[cloud('m1'), cloud('m2')], 2]);
    const binary = deliveryBody(hook('cloudevents-binary'), two, encode);
    const { data, ...attributes } = cloud('m1');
    expect(binary.text.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([attributes, data]);
  });

  it('are a record each for a sink, with the rule as the key', () => {
    const plain = deliveryBody(hook('json', NATS), two, encode);
    expect([readRecords(plain.text), plain.matches]).toEqual([
      ['m1', 'm2'].map((id) => ({
        id,
        key: 'rule_1',
        type: 'match',
        contentType: 'application/json',
        value: JSON.stringify({ id }),
      })),
      2,
    ]);
    const [record] = readRecords(deliveryBody(hook('cloudevents', NATS), two, encode).text);
    expect(record).toMatchObject({ contentType: 'application/cloudevents+json; charset=utf-8', type: 'match' });
    expect(JSON.parse(record!.value)).toEqual(cloud('m1'));
  });

  it('are lines for an object', () => {
    expect(deliveryBody(hook('ndjson', 's3://bucket'), two, encode)).toEqual({
      text: '{"id":"m1"}\n{"id":"m2"}\n',
      matches: 2,
    });
  });

  it('fill a body to 256 KiB and no further, brackets and commas counted', () => {
    const head = '{"type":"matches","webhook_id":"hook_1","matches":['.length + 2;
    const wide = (size: number) => 'x'.repeat(size);
    const sizes = (first: number, second: number) =>
      deliveryBody(hook('json'), two, ({ id }) => wide(id === 'm1' ? first : second)).matches;
    const half = 100_000;
    const rest = MAX_BODY_BYTES - head - half - 1;
    expect([sizes(half, rest), sizes(half, rest + 1), sizes(MAX_BODY_BYTES, 1)]).toEqual([2, 1, 1]);
    const sink = (second: number) =>
      deliveryBody(hook('json', NATS), two, ({ id }) => wide(id === 'm1' ? half : second)).matches;
    expect([sink(MAX_BODY_BYTES - half - 1), sink(MAX_BODY_BYTES - half)]).toEqual([2, 1]);
  });
});

describe('a test', () => {
  const body = (format: Webhook['format'], url?: string) => testBody(hook(format, url), match('m1'), encode);

  it('is marked as one for every receiver, and writes no match into a bucket', () => {
    expect(body('json')).toBe('{"type":"test","webhook_id":"hook_1","matches":[{"id":"m1"}]}');
    expect(JSON.parse(body('cloudevents'))).toEqual(cloud('m1', 'webhook.test'));
    expect(JSON.parse(body('wake'))).toMatchObject({ test: true, matches: 1 });
    expect(readRecords(body('json', NATS))).toMatchObject([{ id: 'm1', type: 'test', value: '{"id":"m1"}' }]);
    expect(JSON.parse(readRecords(body('cloudevents', NATS))[0]!.value)).toMatchObject({ type: 'sluice.webhook.test' });
    expect([body('ndjson', 's3://bucket'), body('parquet', 's3://bucket')]).toEqual(['', '']);
  });
});

describe('a notice', () => {
  const failing: Notice = { type: 'webhook_failing', at, message: 'It fails.', subject: { webhookId: 'hook_2' } };
  const spent: Notice = { type: 'budget_spent', at, message: 'Spent.', subject: { platform: 'x' } };
  const json = {
    type: 'operational',
    webhook_id: 'hook_1',
    matches: [],
    event: {
      type: 'webhook_failing',
      at: '2026-11-15T08:30:00.123Z',
      message: 'It fails.',
      about: { webhook_id: 'hook_2' },
    },
  };

  it('is JSON of its own type, with what it is about', () => {
    expect(JSON.parse(noticeBody(hook('json'), failing))).toEqual(json);
    expect(JSON.parse(noticeBody(hook('json'), spent))).toMatchObject({ event: { about: { platform: 'x' } } });
  });

  it('is a CloudEvent, with the schema where our address is known', () => {
    const event = {
      specversion: '1.0',
      id: `webhook_failing-${at.getTime()}`,
      source: '/webhooks/hook_2',
      type: 'sluice.webhook.failing',
      time: '2026-11-15T08:30:00.123Z',
      datacontenttype: 'application/json',
      data: json,
    };
    expect(JSON.parse(noticeBody(hook('cloudevents'), failing))).toEqual(event);
    expect(JSON.parse(noticeBody(hook('cloudevents'), spent, 'https://sluice.example'))).toMatchObject({
      source: '/platforms/x',
      type: 'sluice.budget.spent',
      dataschema: 'https://sluice.example/schemas/DeliveryOperational.json',
    });
  });

  it('is a record for a sink, with the webhook as the key and an id that names it', () => {
    expect(readRecords(noticeBody(hook('json', NATS), failing))).toEqual([
      {
        id: `/webhooks/hook_2/webhook_failing-${at.getTime()}`,
        key: 'hook_1',
        type: 'operational',
        contentType: 'application/json',
        value: JSON.stringify(json),
      },
    ]);
    const [record] = readRecords(noticeBody(hook('cloudevents', NATS), failing));
    expect(record!.contentType).toBe('application/cloudevents+json; charset=utf-8');
    expect(JSON.parse(record!.value)).toMatchObject({ specversion: '1.0', data: json });
  });
});

describe('an alert', () => {
  const alert: Alert = {
    id: 'alert_1',
    accountId: 'acct_1',
    ruleId: 'rule_1',
    ruleName: 'Lava',
    platform: 'x',
    kind: 'surge',
    from: at,
    to: undefined,
    rate: 9,
    usualRate: 1,
  };
  const to = new Date('2026-11-15T10:00:00.000Z');

  it('is JSON with the alert, and a CloudEvent that tells its beginning from its end', () => {
    expect(JSON.parse(alertBody(hook('json'), alert))).toMatchObject({
      type: 'alert',
      webhook_id: 'hook_1',
      matches: [],
      alert: { id: 'alert_1', to: null },
    });
    expect(JSON.parse(alertBody(hook('cloudevents'), alert))).toMatchObject({
      id: 'alert_1',
      source: '/rules/rule_1',
      type: 'sluice.alert.raised',
      time: '2026-11-15T08:30:00.123Z',
      subject: 'x/surge',
    });
    expect(JSON.parse(alertBody(hook('cloudevents'), { ...alert, to }, 'https://sluice.example'))).toMatchObject({
      id: 'alert_1-ended',
      type: 'sluice.alert.ended',
      time: '2026-11-15T10:00:00.000Z',
      dataschema: 'https://sluice.example/schemas/DeliveryAlert.json',
    });
    expect(readRecords(alertBody(hook('json', NATS), alert))).toMatchObject([
      { id: '/rules/rule_1/alert_1', key: 'hook_1', type: 'alert' },
    ]);
  });
});

it('records come out as they went in', () => {
  const records = [1, 2].map((n) => ({
    id: `m${n}`,
    key: 'rule_1',
    type: 'match' as const,
    contentType: 'application/json',
    value: `{"n":${n},"text":"a\\nb"}`,
  }));
  expect(readRecords(recordsText(records))).toEqual(records);
  expect(recordsText(records).split('\n')).toHaveLength(4);
  // A body for another kind of receiver is one line.
  expect(() => readRecords('{"type":"matches"}')).toThrow('another kind of receiver');
});
