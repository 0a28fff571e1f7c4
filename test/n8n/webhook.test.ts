/** The webhook trigger, built and run as n8n runs it: registered at a server, which delivers to it. */
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { systemClock } from '../../src/base/clock.ts';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { openReceiver, until } from '../stages/receiver.ts';
import { type BuiltNodes, buildNodes, type Json } from './built-nodes.ts';
import { runOf } from './stage.ts';

let nodes: BuiltNodes;
beforeAll(() => {
  nodes = buildNodes();
});
afterAll(() => nodes[Symbol.dispose]());

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A server, a rule, and an n8n whose workflow has the trigger. Time is real, because signatures carry it. */
async function stage() {
  const app = await startApp({ delivery: { allowPrivate: true }, clock: { ...systemClock, forward: () => {} } });
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const client = createClient({ url, key: OPERATOR_KEY });
  const { rule_id: ruleId } = await client.rules.create({
    name: 'Lava',
    intent: '',
    platforms: ['x'],
    overrides: { x: 'lava' },
  });
  const kept: Json = {};
  /** The posts that each start of the workflow began with. */
  const started: string[][] = [];
  /** Does what n8n does with a request to the address of the node. */
  async function receive({ headers, body }: Sent): Promise<{ status: number; text: string }> {
    const answer = { status: 200, text: '' };
    const response = {
      writeHead(status: number) {
        answer.status = status;
        return {
          end(text: string) {
            answer.text = text;
          },
        };
      },
    };
    const request = { headers, rawBody: Buffer.from(body) };
    const { context } = runOf(nodes, { url, kept, request, response });
    const { workflowData } = await nodes.node('SluiceWebhookTrigger').webhook.call(context);
    if (workflowData !== undefined)
      started.push(workflowData[0]!.map(({ json }) => json['platform_post_id'] as string));
    return answer;
  }
  const deliveries: Sent[] = [];
  const n8n = await openReceiver((response, received) => {
    const sent = { headers: received.headers as Record<string, string>, body: received.body };
    deliveries.push(sent);
    void receive(sent).then(({ status, text }) => response.writeHead(status).end(text));
  });
  const webhookUrl = `${n8n.url}/webhook/1`;
  const lifecycle = (method: 'checkExists' | 'create' | 'delete', parameters: Json = { ruleId }) =>
    nodes
      .node('SluiceWebhookTrigger')
      .webhookMethods.default[method].call(runOf(nodes, { url, kept, webhookUrl, parameters }).context);
  return {
    client,
    ruleId,
    kept,
    started,
    deliveries,
    receive,
    lifecycle,
    webhookUrl,
    /** Stores posts and lets the server send them. */
    async post(...ids: number[]) {
      const lines = ids.map((id) => `${JSON.stringify({ data: { id: String(id), text: `lava ${id}` } })}\n`).join('');
      const before = deliveries.length;
      await client.events.push({ platform: 'x', lines });
      await until(() => deliveries.length > before && app.context.dispatcher.inFlight === 0);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await n8n[Symbol.asyncDispose]();
    },
  };
}

describe('the webhook trigger', () => {
  it('creates its webhook when the workflow is activated, gets matches, and deletes it when it is deactivated', async () => {
    await using stand = await stage();
    expect(await stand.lifecycle('checkExists')).toBe(false);
    expect(await stand.lifecycle('create')).toBe(true);
    expect(await stand.lifecycle('checkExists')).toBe(true);
    expect((await stand.client.webhooks.list({})).webhooks).toMatchObject([
      {
        url: `${new URL(stand.webhookUrl).origin}/***`,
        rule_ids: [stand.ruleId],
        platforms: null,
        description: expect.stringMatching(/^n8n: Volcanoes \([\w-]{12}\)$/),
      },
    ]);
    await stand.post(1, 2);
    await stand.post(3);
    expect(stand.started).toEqual([['1', '2'], ['3']]);
    expect(await stand.lifecycle('delete')).toBe(true);
    expect(stand.kept).toEqual({});
    expect((await stand.client.webhooks.list({})).webhooks).toEqual([]);
    expect(await stand.lifecycle('delete')).toBe(true);
  });

  it('replaces a webhook whose secret was lost, and deletes one that is gone already', async () => {
    await using stand = await stage();
    await stand.lifecycle('create');
    const [{ id: lost } = { id: '' }] = (await stand.client.webhooks.list({})).webhooks;
    delete stand.kept['secret'];
    expect(await stand.lifecycle('checkExists')).toBe(false);
    await stand.lifecycle('create', {});
    const { webhooks } = await stand.client.webhooks.list({});
    expect(webhooks).toMatchObject([{ rule_ids: null }]);
    expect(webhooks[0]!.id).not.toBe(lost);
    await stand.client.webhooks.delete({ webhook_id: webhooks[0]!.id });
    expect(await stand.lifecycle('checkExists')).toBe(false);
    expect(await stand.lifecycle('delete')).toBe(true);
  });

  it('leaves the webhooks of other workflows alone, and replaces its own when n8n has another address', async () => {
    await using stand = await stage();
    const other = await stand.client.webhooks.create({
      url: `${stand.webhookUrl}/other`,
      description: 'n8n: Volcanoes',
    });
    await stand.lifecycle('create');
    const mine = stand.kept['webhookId'];
    stand.kept['url'] = 'https://before.example/webhook/1';
    expect(await stand.lifecycle('checkExists')).toBe(false);
    await stand.lifecycle('create');
    const { webhooks } = await stand.client.webhooks.list({});
    expect(webhooks.map(({ id }) => id)).toEqual([other.webhook_id, stand.kept['webhookId']]);
    expect(stand.kept['webhookId']).not.toBe(mine);
  });

  it('removes what a crash left of it, though nothing is kept', async () => {
    await using stand = await stage();
    await stand.lifecycle('create');
    for (const name of Object.keys(stand.kept)) delete stand.kept[name];
    await stand.lifecycle('create');
    const { webhooks } = await stand.client.webhooks.list({});
    expect(webhooks.map(({ id }) => id)).toEqual([stand.kept['webhookId']]);
  });

  it('starts nothing for a test of the webhook, and accepts it', async () => {
    await using stand = await stage();
    await stand.lifecycle('create');
    const [webhook] = (await stand.client.webhooks.list({})).webhooks;
    expect(await stand.client.webhooks.test({ webhook_id: webhook!.id })).toMatchObject({ delivered: true });
    expect(stand.started).toEqual([]);
  });

  it('starts once with a delivery that comes again', async () => {
    await using stand = await stage();
    await stand.lifecycle('create');
    await stand.post(1);
    expect(await stand.receive(stand.deliveries[0]!)).toEqual({ status: 200, text: '' });
    expect(stand.started).toEqual([['1']]);
  });

  it('refuses what is not signed with its secret over these very bytes, of another time, or without headers', async () => {
    await using stand = await stage();
    await stand.lifecycle('create');
    await stand.post(1);
    const [{ headers, body } = { headers: {}, body: '' }] = stand.deliveries;
    const signed = (secret: string, at: Date): Sent => ({
      headers: {
        'webhook-id': 'dlv_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new StandardWebhook(secret).sign('dlv_1', at, body),
      },
      body,
    });
    const secret = stand.kept['secret'] as string;
    const now = new Date();
    const { 'webhook-signature': signature, ...unsigned } = headers;
    const refused = async (sent: Sent) => {
      const { status, text } = await stand.receive(sent);
      expect(status).toBe(401);
      return text;
    };
    expect(await refused({ headers, body: `${body} ` })).toBe('No signature is right.');
    expect(await refused({ headers: unsigned, body })).toBe('A header of the signature is missing.');
    expect(await refused({ headers: { ...headers, 'webhook-id': 'dlv_other' }, body })).toBe('No signature is right.');
    expect(await refused({ headers: { ...unsigned, 'webhook-signature': `v2,${signature!.slice(3)}` }, body })).toBe(
      'No signature is right.',
    );
    expect(await refused(signed('whsec_c29tZWJvZHkgZWxzZQ==', now))).toBe('No signature is right.');
    expect(await refused(signed(secret, new Date(now.getTime() - 3_600_000)))).toContain('five minutes');
    expect(stand.started).toEqual([['1']]);
    expect((await stand.receive(signed(secret, now))).status).toBe(200);
    expect(stand.started).toEqual([['1'], ['1']]);
  });

  it('refuses everything while no webhook is registered', async () => {
    await using stand = await stage();
    const answer = await stand.receive({ headers: {}, body: '{}' });
    expect(answer).toEqual({ status: 401, text: 'No webhook is registered.' });
  });
});
