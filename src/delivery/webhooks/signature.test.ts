import * as fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedJson } from '../../../test/stages/shared-data.ts';
import { newWebhookSecret, signedHeaders } from './signature.ts';

const AT = new Date();

/** Two libraries that others wrote. */
const JUDGES = {
  standardwebhooks: (secret: string, body: string, headers: Record<string, string>) =>
    new StandardWebhook(secret).verify(body, headers),
  svix: (secret: string, body: string, headers: Record<string, string>) =>
    new SvixWebhook(secret).verify(body, headers),
};
/** The libraries' own words. */
const REFUSED = /signature|timestamp|headers/i;
const delivery = fc.record({ id: fc.stringMatching(/^dlv_[0-9a-z]{26}$/), body: fc.json() });

describe.each(Object.entries(JUDGES))('signatures in the eyes of %s', (_, verify) => {
  it('are right for every delivery', () => {
    const secret = newWebhookSecret();
    fc.assert(
      fc.property(delivery, ({ id, body }) => {
        expect(() => verify(secret, body, signedHeaders([secret], { id, at: AT, body }))).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });

  it('are right with either secret while one takes over from the other', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const headers = signedHeaders(secrets, { id: 'dlv_1', at: AT, body: '{}' });
    for (const secret of secrets) expect(() => verify(secret, '{}', headers)).not.toThrow();
    expect(() => verify(newWebhookSecret(), '{}', headers)).toThrow(REFUSED);
  });

  it('are wrong once anything is changed', () => {
    const secret = newWebhookSecret();
    const change = fc.constantFrom('body', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'key');
    fc.assert(
      fc.property(delivery, change, fc.nat(), ({ id, body }, what, place) => {
        const headers = signedHeaders([secret], { id, at: AT, body });
        const other = (text: string) => {
          const index = place % text.length;
          const letter = text[index] === '7' ? '8' : '7';
          return text.slice(0, index) + letter + text.slice(index + 1);
        };
        const changed = what in headers ? { ...headers, [what]: other(headers[what]!) } : headers;
        const key = what === 'key' ? newWebhookSecret() : secret;
        // The last letter of base64 may differ in bits that mean nothing.
        fc.pre(what !== 'webhook-signature' || place % headers[what]!.length < headers[what]!.length - 2);
        expect(() => verify(key, what === 'body' ? `${body} ` : body, changed)).toThrow(REFUSED);
      }),
      { numRuns: 1_000 },
    );
  });
});

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly 'webhook-id'?: string;
  readonly 'webhook-timestamp'?: string;
  readonly 'webhook-signature'?: string;
  readonly payload: string;
}

describe.runIf(hasSharedData)('shared: standard webhooks vectors', () => {
  const vectors = hasSharedData ? sharedJson<Vector[]>('conformance/webhooks/standard-webhooks-vectors.json') : [];
  it.each(vectors.filter(({ valid }) => valid))('$name is what we would have sent', (vector) => {
    const at = new Date(Number(vector['webhook-timestamp']) * 1_000);
    const headers = signedHeaders([vector.secret], { id: vector['webhook-id']!, at, body: vector.payload });
    expect(vector['webhook-signature']!.split(' ')).toContain(headers['webhook-signature']);
  });
});
