/** One example for each message of the AsyncAPI document. A test holds them to the schemas. */
import { SCHEMAS_PATH } from '../domain/webhook.ts';
import { operations } from '../service/operations.ts';

const [match] = operations.listMatches.example.output.matches;
const [alert] = operations.listAlerts.example.output.alerts;
const { platforms: _, gaps: __, ...coverage } = operations.listMatches.example.output.coverage;
const { head: exampleHead } = operations.certify.example.output.log;
const webhook_id = operations.createWebhook.example.output.webhook_id;

const gap = {
  platform: 'x',
  from: '2026-11-15T08:12:00.000Z',
  to: null,
  cause: 'source_down:bluesky',
  recovered: false,
  source: 'bluesky',
};

const digest = {
  since: '2026-11-15T00:00:00.000Z',
  until: '2026-11-16T00:00:00.000Z',
  match_count: 41,
  story_count: 2,
  stories: [
    {
      story_id: match!.story_id,
      title: 'The volcano is erupting again.',
      url: 'https://x.com/i/status/1989234567890123456',
      size: 40,
      first_at: '2026-11-15T08:30:00.123Z',
      last_at: '2026-11-15T21:10:00.456Z',
      platforms: ['x'],
      by: ['@volcanowatch'],
      rules: [{ id: match!.rule_id, name: match!.rule_name }],
      links: [],
      match_ids: [match!.id],
    },
  ],
};

export const STREAM_EXAMPLES = {
  match,
  gap,
  alert,
  coverage,
  digest,
  end: { reason: 'stopping', message: 'The server is stopping. Connect again with the last id; no match is lost.' },
};

const empty = { webhook_id, matches: [] };

export const DELIVERY_EXAMPLES = {
  matches: { type: 'matches', webhook_id, matches: [match] },
  test: { type: 'test', webhook_id, matches: [match] },
  digest: { type: 'digest', ...empty, wake: false, digest },
  operational: {
    type: 'operational',
    ...empty,
    event: {
      type: 'webhook_failing',
      at: '2026-11-15T08:30:00.123Z',
      message: 'The webhook has failed for an hour. Look at its deliveries.',
      about: { webhook_id },
    },
  },
  alert: { type: 'alert', ...empty, alert },
  head: { type: 'head', ...empty, head: exampleHead },
};

export const CLOUD_DATA_EXAMPLES = {
  match,
  digest: DELIVERY_EXAMPLES.digest,
  operational: DELIVERY_EXAMPLES.operational,
  alert: DELIVERY_EXAMPLES.alert,
  head: DELIVERY_EXAMPLES.head,
};

const cloudEvent = (type: string, schema: string, source: string, data: unknown) => ({
  specversion: '1.0',
  id: 'match_01k3zqb2v4n8s6d0f3h5j7k9m1',
  source,
  type: `sluice.${type}`,
  time: '2026-11-15T08:30:00.123Z',
  datacontenttype: 'application/json',
  dataschema: `https://sluice.example.org${SCHEMAS_PATH}/${schema}.json`,
  data,
});

const rule = `/rules/${match!.rule_id}`;

export const CLOUD_EXAMPLES = {
  match: cloudEvent('match.created', 'Match', rule, match),
  digest: cloudEvent('digest.written', 'DeliveryDigest', `/webhooks/${webhook_id}`, CLOUD_DATA_EXAMPLES.digest),
  operational: cloudEvent(
    'webhook.failing',
    'DeliveryOperational',
    `/webhooks/${webhook_id}`,
    CLOUD_DATA_EXAMPLES.operational,
  ),
  alert: cloudEvent('alert.raised', 'DeliveryAlert', rule, CLOUD_DATA_EXAMPLES.alert),
  head: cloudEvent('head.signed', 'DeliveryHead', '/certificates', CLOUD_DATA_EXAMPLES.head),
};

const envelope = (name: string, data: object) => ({
  eventId: 'evt_01k3zqb2v4n8s6d0f3h5j7k9m1',
  name,
  timestamp: '2026-11-15T08:30:00.123Z',
  data,
  cursor: 'Zr7uXc2dLe9sHn4T',
});

const told = { match_id: match!.id, rule_id: match!.rule_id, at: match!.created_at, platform: 'x' };
const { id: alert_id, ...raised } = alert!;
const { recovered: ___, source: ____, ...opened } = gap;

export const AGENT_EXAMPLES: Readonly<Record<string, unknown>> = {
  'match.created': envelope('match.created', told),
  'story.created': envelope('story.created', { ...told, story_id: match!.story_id }),
  'alert.raised': envelope('alert.raised', { alert_id, ...raised }),
  'gap.opened': envelope('gap.opened', opened),
  verification: { type: 'verification', challenge: 'b0d3xq0Z7TqkX2m1s9Zk4H6nQm8vW1aB' },
  gap: { type: 'gap', cursor: 'Zr7uXc2dLe9sHn4T' },
};
