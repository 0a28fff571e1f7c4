/** The endpoint of X: what it answers to a challenge, to a delivery, and to whoever is not X. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type App, heldClock, startApp } from '../../test/stages/http-app.ts';
import { until } from '../../test/stages/receiver.ts';
import { inboxOf } from '../app/upstreams.ts';
import { xPlatform } from '../platforms/x/platform.ts';
import { StoreError } from '../store/error.ts';
import type { Store } from '../store/store.ts';

const PATH = '/upstreams/x';
const BODY = '{"data":{"id":"1","text":"a storm"}}';
const sign = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;

let app: App | undefined;
afterEach(async () => {
  await app?.http.close();
  await app?.[Symbol.asyncDispose]();
  app = undefined;
});

async function start({
  around = (store: Store) => store,
  rateLimit,
}: {
  around?: typeof same;
  rateLimit?: number;
} = {}) {
  const held = { secret: 'the secret' };
  const clock = heldClock();
  const started = await startApp({
    clock,
    store: around,
    ...(rateLimit !== undefined && { rateLimit }),
    x: (store) =>
      xPlatform({
        // Nobody is there: what is stored stays in the inbox.
        baseUrl: 'http://127.0.0.1:9',
        token: () => 'token',
        clock,
        random: () => 0,
        log: { info() {}, warn() {}, error() {} },
        count() {},
        level: 'enterprise',
        spillDir: '/nowhere',
        webhook: { url: `https://sluice.example${PATH}`, secret: () => held.secret, inbox: inboxOf(store) },
      }),
  });
  app = started;
  const deliver = (body: string, signature?: string) =>
    started.http.inject({
      method: 'POST',
      url: PATH,
      payload: body,
      headers: {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'x-twitter-webhooks-signature': signature }),
      },
    });
  const inbox = async () =>
    (await started.store.received('x', 0, 100)).map((row) =>
      'body' in row ? Buffer.from(row.body).toString() : row.cause,
    );
  return { ...started, held, deliver, inbox };
}

const same = (store: Store): Store => store;

describe('the webhook of X', () => {
  it('proves that it is ours, and signs nothing that could be a delivery', async () => {
    const { http } = await start();
    const asked = await http.inject(`${PATH}?crc_token=abc123`);
    expect([asked.statusCode, asked.json()]).toEqual([200, { response_token: sign('abc123', 'the secret') }]);
    for (const query of ['', '?crc_token=', `?crc_token=${encodeURIComponent(BODY)}`, '?crc_token=a&crc_token=b']) {
      const refused = await http.inject(`${PATH}${query}`);
      expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_argument']);
    }
  });

  it('stores what is signed before it answers 200', async () => {
    const { deliver, inbox } = await start();
    expect((await deliver(BODY, sign(BODY, 'the secret'))).statusCode).toBe(200);
    expect(await inbox()).toEqual([BODY]);
  });

  it.each(['1', 'null', 'true', '-1', 'garbage', '20261115'])(
    'takes no delivery whose signature could be asked for as a challenge: %s',
    async (body) => {
      const { http, deliver, inbox } = await start();
      const { response_token } = (await http.inject(`${PATH}?crc_token=${body}`)).json<{ response_token: string }>();
      expect((await deliver(body, response_token)).statusCode).toBe(401);
      expect(await inbox()).toEqual([]);
    },
  );

  it('stores nothing that is not signed with the secret of now', async () => {
    const { deliver, inbox, held } = await start();
    const signature = sign(BODY, 'the secret');
    for (const wrong of [undefined, '', 'sha256=AAAA', sign(`${BODY} `, 'the secret'), sign(BODY, 'another')]) {
      const answer = await deliver(BODY, wrong);
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated']);
    }
    held.secret = 'the next secret';
    expect((await deliver(BODY, signature)).statusCode).toBe(401);
    expect(await inbox()).toEqual([]);
  });

  it('counts wrong signatures as wrong secrets of their address, and refuses no right one', async () => {
    const { deliver } = await start({ rateLimit: 600 });
    const statuses = new Set<number>();
    for (let number = 0; number < 130; number++) statuses.add((await deliver(BODY, 'sha256=AAAA')).statusCode);
    expect([...statuses]).toEqual([401, 429]);
    expect((await deliver(BODY, sign(BODY, 'the secret'))).statusCode).toBe(200);
  });

  it('takes no more than a mebibyte', async () => {
    const { deliver, inbox } = await start();
    const long = JSON.stringify({ data: { id: '1', text: 'a'.repeat(1024 * 1024) } });
    expect((await deliver(long, sign(long, 'the secret'))).statusCode).toBe(413);
    expect(await inbox()).toEqual([]);
  });

  it('answers 503 when the store takes nothing, and notes the failure with what it takes next', async () => {
    let isAway = true;
    const putReceived: Store['putReceived'] = (...args) =>
      isAway ? Promise.reject(new StoreError('away', 'It is away.')) : real!.putReceived(...args);
    let real: Store | undefined;
    const { deliver, inbox } = await start({
      around: (store) => {
        real = store;
        return new Proxy(store, {
          get: (target, name: keyof Store) => (name === 'putReceived' ? putReceived : target[name]),
        });
      },
    });
    expect((await deliver(BODY, sign(BODY, 'the secret'))).statusCode).toBe(503);
    isAway = false;
    expect((await deliver(BODY, sign(BODY, 'the secret'))).statusCode).toBe(200);
    expect(await inbox()).toEqual(['refused', BODY]);
  });

  it('believes of a delivery that broke off only whoever has sent a signed one', async () => {
    const { http, inbox } = await start();
    const address = await http.listen({ port: 0, host: '127.0.0.1' });
    await cut(address);
    const headers = { 'x-twitter-webhooks-signature': sign(BODY, 'the secret'), 'content-type': 'application/json' };
    expect((await fetch(`${address}${PATH}`, { method: 'POST', body: BODY, headers })).status).toBe(200);
    expect(await inbox()).toEqual([BODY]);
    await cut(address);
    await until(async () => (await inbox()).length === 2);
    expect(await inbox()).toEqual([BODY, 'cut']);
  });
});

/** Sends the head of a delivery and half of its body. */
async function cut(address: string): Promise<void> {
  const { port } = new URL(address);
  await new Promise<void>((gone) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const head = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
      socket.write(`${head}{"data":`, () => setImmediate(() => socket.destroy()));
    });
    socket.once('close', () => gone());
  });
}
