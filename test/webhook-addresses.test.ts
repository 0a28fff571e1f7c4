/**
 * The address of a webhook is a password to whoever knows it. Webhooks with a secret in every part of their addresses fail
 * against a receiver that repeats what it was asked for; then everything is read that a key can read, and what is written about
 * them: no surface has the secret.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES, readRoute } from '../src/http/routes.ts';
import { type OperationName, operations } from '../src/service/operations.ts';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';
import { type Collector, openCollector } from './stages/collector.ts';
import { openReceiver, type Receiver, until } from './stages/receiver.ts';

const SECRET = 'hidden-mark';
const AGENT = { headers: { accept: 'application/json, text/event-stream' } };
const FORMATS = ['json', 'cloudevents', 'slack', 'discord'] as const;

let collector: Collector;
let repeating: Receiver;
let watching: Receiver;
let server: Started;
let readKey: string;
/** The lines that the server wrote to its output. */
const log: string[] = [];
const created: Record<string, unknown>[] = [];

beforeAll(async () => {
  collector = await openCollector();
  repeating = await openReceiver((response, { path }) => void response.writeHead(404).end(`Cannot POST ${path}`));
  watching = await openReceiver();
  server = await startServer({
    SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
    SLUICE_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  for (const stream of [server.process.stdout!, server.process.stderr!])
    stream.on('data', (part: Buffer) => void log.push(part.toString()));
  const call = async (name: string, input: object) => (await server.call('POST', `/api.${name}`, input)).body;
  readKey = (await call('CreateKey', { name: 'reads', scope: 'read' }))['key'] as string;
  await call('CreateRule', { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
  await call('CreateWebhook', { url: `${watching.url}/in`, events: ['operational'] });
  for (const format of FORMATS) {
    const url = `${repeating.url}/services/${SECRET}-path/in?token=${SECRET}-query&x=1`;
    created.push(await call('CreateWebhook', { url, format }));
  }
  const { webhook_id } = created[0]!;
  await call('UpdateWebhook', { webhook_id, description: 'Newsroom' });
  await call('TestWebhook', { webhook_id });
  await server.push('x', [{ data: { id: '1', text: 'lava' } }]);
  await until(async () => repeating.received.length > FORMATS.length && watching.received.length >= FORMATS.length);
});

afterAll(async () => {
  for (const one of [server, collector, repeating, watching]) await one[Symbol.asyncDispose]();
});

const expectNone = (text: string, isThere: string): void => {
  expect(text).toContain(isThere);
  expect(text).not.toContain(SECRET);
};

describe('the secret of an address', () => {
  it('is told to whoever creates the webhook, and goes to its receiver', () => {
    for (const { url } of created) expect(url).toContain(SECRET);
    expect(repeating.received.every(({ path }) => path.includes(SECRET))).toBe(true);
  });

  it.each(['read', 'full'])('is in no list that a %s key is shown', async (scope) => {
    const key = scope === 'read' ? readKey : KEY;
    const ask = async (name: string, input: object = {}) =>
      (await server.call('POST', `/api.${name}`, input, { key })).text;
    const webhook_id = created[0]!['webhook_id'] as string;
    expectNone(await ask('ListWebhooks'), `${repeating.url}/***`);
    expectNone(await ask('ListDeliveries'), 'Cannot POST /***/***/in?***=***');
    expectNone(await ask('WebhookStats', { webhook_id }), 'failed');
  });

  it('is in no answer of any operation that needs no input', async () => {
    for (const name of Object.keys(operations) as OperationName[]) {
      if (operations[name].access !== 'read') continue;
      const { methods, path } = readRoute(ROUTES[name]);
      const { text } = await server.call(methods[0]!, path, methods[0] === 'GET' ? undefined : {});
      expect([name, text.includes(SECRET)]).toEqual([name, false]);
    }
  });

  it('is not in the audit log, which says that there is an address', async () => {
    expectNone((await server.call('POST', '/api.ListChanges', {})).text, `${repeating.url}/***`);
  });

  it('is not in what other webhooks are told of its failure', () => {
    expectNone(JSON.stringify(watching.received), `${repeating.url}/***`);
  });

  it('is in no metric, trace and line of the log', async () => {
    expectNone((await server.call('GET', '/metrics')).text, 'sluice_');
    await until(async () => collector.text.join('').includes('REDACTED'));
    expectNone(collector.text.join(''), new URL(repeating.url).port);
    expect(log.join('')).not.toContain(SECRET);
  });

  it('is in no export and no feed', async () => {
    const { body } = await server.call('POST', '/api.CreateFeed', { name: 'Lava' });
    const feed = (body['urls'] as Record<string, string>)['atom']!;
    expectNone((await server.call('GET', feed)).text, 'lava');
    for (const format of ['ndjson', 'csv'])
      expectNone((await server.call('GET', `/export?format=${format}`)).text, 'lava');
  });

  it('is told to no agent', async () => {
    const call = (name: string) =>
      server.call(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
        AGENT,
      );
    expectNone((await call('status')).text, 'result');
    expectNone((await call('list_matches')).text, 'lava');
  });

  it('is not shown on the command line, where an update without an address keeps it', async () => {
    const sluice = async (...args: string[]) =>
      (await run(args, { SLUICE_URL: server.url, SLUICE_API_KEY: KEY })).stdout;
    const id = created[0]!['webhook_id'] as string;
    expectNone(await sluice('webhooks', 'list'), `${repeating.url}/***`);
    expectNone(await sluice('webhooks', 'deliveries'), 'pending');
    expectNone(await sluice('webhooks', 'update', id, '--description', 'Another', '--json'), `${repeating.url}/***`);
    expectNone(
      await sluice('webhooks', 'update', id, '--url', `${repeating.url}/***`, '--json'),
      `${repeating.url}/***`,
    );
    repeating.received.length = 0;
    await sluice('webhooks', 'test', id);
    expect(repeating.received.map(({ path }) => path)).toEqual([expect.stringContaining(SECRET)]);
  });
});
