/** The AI SDK's client and receiver, of both protocol eras, and the official client beside it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMCPClient, experimental_createMCPEventWebhook } from '@ai-sdk/mcp';
import { describe, expect, it } from 'vitest';
import { overHttp } from '../mcp/clients.ts';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import { until } from '../stages/receiver.ts';
import { type EventsStage, eventsStage } from './stage.ts';

type WebhookOptions = Parameters<typeof experimental_createMCPEventWebhook>[0];
type Store = WebhookOptions['store'];
type Row = NonNullable<Awaited<ReturnType<Store['get']>>>;

/** Subscriptions as the client keeps them. */
function rowsInMemory(): { rows: Map<string, Row>; store: Store } {
  const rows = new Map<string, Row>();
  const store: Store = {
    get: async (key) => rows.get(key),
    getById: async (id) => [...rows.values()].find((row) => row.id === id),
    set: async (row) => void rows.set(row.key, row),
    update: async (key, patch) => void rows.set(key, { ...rows.get(key)!, ...patch }),
    delete: async (key) => void rows.delete(key),
  };
  return { rows, store };
}

/** The SDK's receiver on a socket, and its client. */
async function openSdk(stage: EventsStage, secret: string, { isOlder = false } = {}) {
  const { rows, store } = rowsInMemory();
  const events: { eventId: string; data: unknown }[] = [];
  const statuses: number[] = [];
  const troubles: string[] = [];
  let failing = 0;
  const take = experimental_createMCPEventWebhook({
    store,
    onEvent: async ({ event }) => {
      if (failing-- > 0) throw new Error('not now');
      events.push(event);
    },
    onError: (error) => void troubles.push(String(error)),
  });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void answer(request, Buffer.concat(parts), response));
  });
  async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const headers = new Headers(request.headers as Record<string, string>);
    const taken = await take(new Request(`${address}${request.url}`, { method: 'POST', headers, body }));
    statuses.push(taken.status);
    response.writeHead(taken.status, Object.fromEntries(taken.headers));
    response.end(Buffer.from(await taken.arrayBuffer()));
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await createMCPClient({
    transport: { type: 'http', url: `${stage.url}/mcp`, headers: { Authorization: `Bearer ${secret}` } },
    experimental_events: { store },
    ...(isOlder && { protocolVersionDiscovery: false }),
  });
  return {
    client,
    events,
    rows,
    statuses,
    troubles,
    failNext: (count: number) => {
      failing = count;
    },
    subscribe: (ruleId: string) =>
      client.experimental_events.subscribe({
        name: 'match.created',
        arguments: { rule_id: ruleId },
        delivery: { mode: 'webhook', url: `${address}/hook`, allowInsecureLocalhost: true },
        ttlMs: 3_600_000,
      }),
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

describe.each([
  ['the newest revision', false],
  ['the older handshake', true],
])('the AI SDK with %s', (_, isOlder) => {
  it('lists, subscribes, takes an event, fails once and gets it again, refreshes and leaves', async () => {
    await using stage = await eventsStage();
    const { access_token } = await stage.oauth.connect({ scopes: ['events'] });
    await using sdk = await openSdk(stage, access_token, { isOlder });
    const ruleId = await stage.rule('storm');
    const listed = await sdk.client.experimental_events.list();
    expect(JSON.stringify(listed)).toContain('match.created');
    const { id } = await sdk.subscribe(ruleId);
    stage.clock.forward(1_001);
    sdk.failNext(1);
    await stage.post('a storm');
    await until(() => sdk.events.length === 1);
    expect(sdk.statuses).toEqual([200, 503, 204]);
    const refreshed = await sdk.client.experimental_events.refresh({ id });
    expect(refreshed.id).toBe(id);
    stage.clock.forward(1_001);
    await stage.post('another storm');
    await until(() => sdk.events.length === 2);
    expect(new Set(sdk.events.map(({ eventId }) => eventId)).size).toBe(2);
    await sdk.client.experimental_events.unsubscribe({ id });
    const { subscriptions } = await stage.call('ListSubscriptions');
    expect(subscriptions).toMatchObject([{ id, status: 'ended', agent: 'Agent' }]);
    expect(sdk.troubles.filter((one) => !one.includes('not now'))).toEqual([]);
  });

  it('is told by its code that a rule is not one of its grant', async () => {
    await using stage = await eventsStage();
    const [own, other] = [await stage.rule('storm'), await stage.rule('wind')];
    const { access_token } = await stage.oauth.connect({ scopes: ['events'], rule_ids: [own] });
    await using sdk = await openSdk(stage, access_token, { isOlder });
    await expect(sdk.subscribe(other)).rejects.toMatchObject({ code: -32_012 });
  });
});

it('the official client sees its tools as before', async () => {
  await using stage = await eventsStage();
  await using agent = await overHttp(stage.url, undefined, OPERATOR_KEY);
  const { tools } = await (agent.client as { listTools(): Promise<{ tools: unknown[] }> }).listTools();
  expect(tools.length).toBeGreaterThan(5);
});
