/** Webhooks from the command line: made, tested, delivered to and looked into, with a receiver that checks signatures. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyWebhook, type WebhookBody, WebhookError } from '../packages/client/src/index.ts';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';
import { openReceiver, until } from './stages/receiver.ts';

let server: Started;
let receiver: Receiver;
beforeAll(async () => {
  server = await startServer({ SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' });
  receiver = await listen();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const sluice = (...args: string[]) => run(args, { SLUICE_URL: server.url, SLUICE_API_KEY: KEY });
async function json<Value>(...args: string[]): Promise<Value> {
  const ran = await sluice(...args, '--json');
  if (ran.stdout === '') throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as Value;
}

it('makes one, tries it, and shows what was delivered', async () => {
  await json('rules', 'create', '--name', 'Lava', '--x', 'lava');
  const made = await json<{ webhook_id: string; secret: string }>(
    'webhooks',
    'create',
    receiver.url,
    '--rule',
    'Lava',
    '--platform',
    'x',
  );
  receiver.secret = made.secret;
  expect(await json('webhooks', 'test', made.webhook_id)).toMatchObject({ delivered: true });
  expect(await receiver.next()).toMatchObject({ type: 'test', webhook_id: made.webhook_id });

  await server.push('x', [{ data: { id: '1', text: 'lava' } }]);
  expect(await receiver.next()).toMatchObject({
    type: 'matches',
    matches: [{ rule_name: 'Lava', platform_post_id: '1', payload: { data: { text: 'lava' } } }],
  });
  const listed = (await sluice('webhooks', 'list')).stdout;
  expect(listed).toContain(`${new URL(receiver.url).origin}/***`);
  for (const hidden of [made.secret, receiver.url]) expect(listed).not.toContain(hidden);
  const { deliveries } = await json<{ deliveries: { id: string }[] }>('webhooks', 'deliveries', made.webhook_id);
  expect(deliveries).toHaveLength(1);
  expect((await sluice('webhooks', 'deliveries')).stdout).toContain(deliveries[0]!.id);
  await json('webhooks', 'redeliver', made.webhook_id, '--delivery', deliveries[0]!.id);
  expect(await receiver.next()).toMatchObject({ matches: [{ platform_post_id: '1' }] });

  const rotated = await json<{ secret: string }>('webhooks', 'update', made.webhook_id, '--rotate-secret');
  expect(rotated.secret).not.toBe(made.secret);
  receiver.secret = rotated.secret;
  expect(await json('webhooks', 'update', made.webhook_id, '--pause', '--description', 'mine')).toMatchObject({
    status: 'paused',
    description: 'mine',
  });
  await server.push('x', [{ data: { id: '2', text: 'lava' } }]);
  expect(await json('webhooks', 'update', made.webhook_id, '--resume', '--all')).toMatchObject({
    status: 'active',
    rule_ids: null,
    sources: null,
  });
  expect(await receiver.next()).toMatchObject({ matches: [{ platform_post_id: '2' }] });
  expect(await json('webhooks', 'delete', made.webhook_id)).toEqual({ deleted: made.webhook_id });
  expect((await sluice('webhooks', 'list')).stdout).toContain('There are no webhooks yet');
});

it('ends with the right status when it goes wrong', async () => {
  const nowhere = await json<{ webhook_id: string }>('webhooks', 'create', 'http://127.0.0.1:9/');
  expect(await sluice('webhooks', 'test', nowhere.webhook_id)).toMatchObject({ code: 1, stderr: '' });
  for (const [args, code] of [
    [['create', 'no url'], 1],
    [['create', receiver.url, '--format', 'fax'], 2],
    [['create', receiver.url, '--rule', 'Nothing'], 1],
    [['update', nowhere.webhook_id], 2],
    [['update', nowhere.webhook_id, '--pause', '--resume'], 2],
    [['redeliver', nowhere.webhook_id], 2],
    [['delete', 'hook_nothing'], 1],
  ] as const) {
    const ran = await sluice('webhooks', ...args);
    expect([args, ran.code, ran.stderr.startsWith('error: ')]).toEqual([args, code, true]);
  }
});

it('lists what an agent subscribed to, shows its log, and ends it', async () => {
  await using events = await openReceiver((response, { body }) => {
    const { challenge } = JSON.parse(body) as { challenge?: string };
    response.end(JSON.stringify({ challenge }));
  });
  const { rule_id } = await json<{ rule_id: string }>('rules', 'create', '--name', 'Ash', '--x', 'ash');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const delivery = { mode: 'webhook', url: `${events.url}/in?k=hidden`, secret };
  const params = { name: 'match.created', arguments: { rule_id }, delivery };
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  await server.call(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'events/subscribe', params },
    { key: KEY, headers },
  );
  const { body: made } = await server.call('POST', '/api.ListSubscriptions', {});
  const { id } = (made['subscriptions'] as { id: string }[])[0]!;
  const listed = (await sluice('subscriptions', 'list')).stdout;
  expect(listed).toContain('match.created');
  expect(listed).not.toContain('hidden');
  await server.push('x', [{ data: { id: '7', text: 'ash' } }]);
  await until(() => events.received.length === 2);
  expect((await sluice('subscriptions', 'log', id)).stdout).toContain('evt_');
  expect((await sluice('subscriptions', 'end', id)).stdout).toBe(`The subscription ${id} has ended.\n`);
  const { body: ended } = await server.call('POST', '/api.ListSubscriptions', {});
  expect(ended['subscriptions']).toMatchObject([{ id, status: 'ended', reason: 'A person ended it.' }]);
});

it('lists wakes, acknowledges one, and runs a command for each wake of an agent', async () => {
  await json('rules', 'create', '--name', 'Basalt', '--x', 'basalt');
  await json('webhooks', 'create', 'wake:cli', '--rule', 'Basalt', '--format', 'wake');
  await server.push('x', [{ data: { id: '70', text: 'basalt' } }]);
  expect((await sluice('wakes', 'list')).stdout).toContain('cli has not asked since');
  const { body } = await server.call('POST', '/api.NextWake', { agent: 'cli' });
  const { id } = body['wake'] as { id: string };
  expect((await sluice('wakes', 'list')).stdout).toMatch(new RegExp(`${id}.*offered`));
  expect((await sluice('wakes', 'ack', id)).stdout).toBe(`The wake ${id} is acknowledged.\n`);
  expect((await sluice('wakes', 'ack', id)).stdout).toBe(`The wake ${id} was acknowledged before.\n`);
  expect(await json('wakes', 'ack', id)).toEqual({ first: false });
  expect((await sluice('wakes', 'ack', 'dlv_none')).stderr).toContain('There is no such wake');
  expect((await sluice('wakes', 'run', '--agent', 'No Name', '--', 'true')).code).toBe(1);
});

interface Receiver extends AsyncDisposable {
  readonly url: string;
  secret: string;
  /** The next delivery whose signature is right. */
  next(): Promise<WebhookBody>;
}

async function listen(): Promise<Receiver> {
  const received: WebhookBody[] = [];
  let arrived = () => {};
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      received.push(
        await verifyWebhook({ secret: receiver.secret, headers: request.headers, body: await text(request) }),
      );
      response.writeHead(204).end();
      arrived();
    } catch (error) {
      response.writeHead(error instanceof WebhookError ? 401 : 500).end(String(error));
    }
  };
  const http = createServer((request, response) => void receive(request, response));
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook`,
    secret: '',
    async next() {
      while (received.length === 0) {
        await new Promise<void>((done) => {
          arrived = done;
        });
      }
      return received.shift()!;
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

it('makes one with a wake contract, shows what the contract has come to, and takes it away', async () => {
  await json('rules', 'create', '--name', 'Flood', '--x', 'flood');
  const wanted = ['--rule', 'Flood', '--wake', 'story', '--at-most', '1/day', '--min-relevance', '0.5'];
  const made = await json<{ webhook_id: string; wake: object }>('webhooks', 'create', receiver.url, ...wanted);
  expect(made.wake).toEqual({ per: 'story', at_most: '1/day', min_relevance: 0.5 });
  const { stdout } = await sluice('webhooks', 'list');
  expect(stdout).toMatch(
    /: wakes per story, at most 1\/day, relevance 0\.5 or more\. Since .* UTC: 0 wakes, 0 held, 0 stories\./,
  );
  expect(await json('webhooks', 'update', made.webhook_id, '--wake-always')).toMatchObject({ wake: null });
  const night = ['--quiet', '22:00-07:00@Europe/Berlin,fri,sat', '--digest', '08:00@UTC', '--digest-waiting', '20'];
  expect(await json('webhooks', 'update', made.webhook_id, ...night)).toMatchObject({
    wake: {
      quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin', days: ['fri', 'sat'] },
      digest: { at: '08:00', zone: 'UTC', when_waiting: 20 },
    },
  });
  expect((await sluice('webhooks', 'list')).stdout).toContain(
    'not from 22:00 to 07:00 in Europe/Berlin fri sat, digest at 08:00 in UTC, digest when 20 wait.',
  );
  const tried = await sluice('webhooks', 'rehearse', '--rule', 'Flood', '--quiet', '22:00-07:00@Europe/Berlin');
  expect([tried.code, tried.stdout]).toEqual([0, '0 matches: 0 wakes, 0 held for 0 digests.\n']);
  const unclear = await sluice('webhooks', 'update', made.webhook_id, '--quiet', 'nights');
  expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('22:00-07:00@Europe/Berlin')]);
  const wrong = await sluice('webhooks', 'create', receiver.url, '--min-relevance', 'high');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('a number from 0 to 1')]);
});

it('prints a digest of stored matches as Markdown, as HTML and as JSON', async () => {
  await json('rules', 'create', '--name', 'Quake', '--x', 'quake');
  await server.push('x', [{ data: { id: '71', text: 'quake [bank](https://evil.test) <b>' } }]);
  const markdown = (await sluice('digest', '--rule', 'Quake', '--since', '1h')).stdout;
  expect(markdown).toContain('# Digest\\: 1 match in 1 story');
  expect(markdown).toContain('](<https://x.com/i/status/71>)');
  expect(markdown).not.toContain('(https://evil.test)');
  const html = (await sluice('digest', '--rule', 'Quake', '--format', 'html')).stdout;
  expect(html).toContain('<a href="https://x.com/i/status/71"');
  expect(html).not.toContain('<b>');
  expect(await json('digest', '--rule', 'Quake')).toMatchObject({
    match_count: 1,
    stories: [{ size: 1, rules: [{ name: 'Quake' }] }],
  });
  expect((await sluice('digest', '--since', 'yesterday')).code).toBe(2);
});

it('silences matches for a time, lists what holds, and ends it', async () => {
  await json('rules', 'create', '--name', 'Drill', '--x', 'drill');
  const terms = ['--rule', 'Drill', '--author', '@bot', '--until', '2h', '--reason', 'A test of the alarm.'];
  const made = await json<{ silence_id: string }>('silences', 'add', ...terms);
  expect(made).toMatchObject({ author: '@bot', text: null, reason: 'A test of the alarm.' });
  const { stdout } = await sluice('silences', 'list');
  expect(stdout).toMatch(new RegExp(`${made.silence_id} .* by @bot .* A test of the alarm\\.`));
  expect((await sluice('silences', 'end', made.silence_id)).stdout).toContain('has ended');
  expect((await sluice('silences', 'list')).stdout).toContain('No silence holds.');
  const past = await sluice('silences', 'add', '--until', '2020-01-01', '--reason', 'x');
  expect([past.code, past.stderr]).toEqual([2, expect.stringContaining('future')]);
});

it('tries a template, gives it to a webhook and takes it away, and says which notices it wants', async () => {
  await json('rules', 'create', '--name', 'Hail', '--x', 'hail');
  await server.push('x', [{ data: { id: '81', text: 'hail <b>' } }]);
  const choices = ['--format', 'slack', '--template', '*{{ rule }}*: {{ text }}'];
  expect((await sluice('webhooks', 'preview', ...choices)).stdout).toBe('*Hail*: hail &lt;b&gt;\n');
  const wrong = await sluice('webhooks', 'preview', '--format', 'slack', '--template', '{{ autor }}');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('There is no field `autor`.')]);
  expect((await sluice('webhooks', 'preview', '--format', 'slack')).code).toBe(2);
  const notices = ['--event', 'operational', '--notice', 'limit', '--notice-quiet', '22:00-07:00@UTC'];
  const made = await json<{ webhook_id: string }>('webhooks', 'create', receiver.url, ...choices, ...notices);
  expect(made).toMatchObject({
    template: '*{{ rule }}*: {{ text }}',
    notices: { kinds: ['limit'], quiet: { from: '22:00', to: '07:00', zone: 'UTC' } },
  });
  const changed = await json('webhooks', 'update', made.webhook_id, '--no-template', '--notice-always');
  expect(changed).not.toHaveProperty('template');
  expect(changed).not.toHaveProperty('notices');
});
