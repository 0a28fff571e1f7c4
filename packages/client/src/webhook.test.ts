import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedJson } from '../../../test/stages/shared-data.ts';
import { verifyWebhook, WebhookError } from './webhook.ts';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly payload: string;
  readonly now: number;
}

describe.runIf(hasSharedData)('shared: webhook signatures', () => {
  const vectors = hasSharedData ? sharedJson<Vector[]>('conformance/webhooks/standard-webhooks-vectors.json') : [];

  it.each(vectors)('$name', async ({ valid, secret, payload, now, ...headers }) => {
    const judged = verifyWebhook({
      secret,
      headers,
      body: payload,
      now: new Date(now * 1_000),
    });
    const outcome = await judged.catch((error: unknown) => error);
    expect(outcome instanceof WebhookError ? undefined : outcome).toEqual(valid ? JSON.parse(payload) : undefined);
  });
});

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const BODY = '{"type":"matches","webhook_id":"hook_1","matches":[]}';
const NOW = new Date('2026-11-15T08:30:00Z');

const headersOf = (secret: string, body = BODY): Record<string, string> => ({
  'webhook-id': 'dlv_1',
  'webhook-timestamp': String(NOW.getTime() / 1_000),
  'webhook-signature': new Webhook(secret).sign('dlv_1', NOW, body),
});
const verify = (parts: Partial<Parameters<typeof verifyWebhook>[0]>) =>
  verifyWebhook({ secret: SECRET, headers: headersOf(SECRET), body: BODY, now: NOW, ...parts });

describe('verifyWebhook', () => {
  it('takes what another implementation has signed, as text or as bytes, with headers of any kind', async () => {
    const body = { type: 'matches', webhook_id: 'hook_1', matches: [] };
    expect(await verify({})).toEqual(body);
    expect(await verify({ body: new TextEncoder().encode(BODY), headers: new Headers(headersOf(SECRET)) })).toEqual(
      body,
    );
    const shouted = Object.entries(headersOf(SECRET)).map(([name, value]) => [name.toUpperCase(), [value]]);
    expect(await verify({ headers: Object.fromEntries(shouted) as Record<string, string[]> })).toEqual(body);
  });

  it('takes any of several secrets and any of several signatures, while one takes over from another', async () => {
    expect(await verify({ secret: [OTHER, SECRET] })).toMatchObject({ type: 'matches' });
    const both = {
      ...headersOf(SECRET),
      'webhook-signature': `${headersOf(OTHER)['webhook-signature']} ${headersOf(SECRET)['webhook-signature']}`,
    };
    expect(await verify({ headers: both })).toMatchObject({ type: 'matches' });
  });

  it.each([
    ['another body', { body: `${BODY} ` }],
    ['another secret', { secret: OTHER }],
    ['another id', { headers: { ...headersOf(SECRET), 'webhook-id': 'dlv_2' } }],
    ['a time ahead of ours', { now: new Date(NOW.getTime() - 301_000) }],
    ['a time that is none', { headers: { ...headersOf(SECRET), 'webhook-timestamp': 'now' } }],
    ['a signature that is no base64', { headers: { ...headersOf(SECRET), 'webhook-signature': 'v1,§' } }],
  ])('refuses %s', async (_, parts) => {
    await expect(verify(parts)).rejects.toThrow(WebhookError);
  });
});
