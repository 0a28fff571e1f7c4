/** The addresses that may receive events: they are public, prove that they want them, and are asked within limits. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_AGENT_SUBSCRIPTIONS, MAX_CHALLENGES } from '../../src/service/limits.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { type EventsStage, eventsStage } from './stage.ts';
import { newSecret, openStrictReceiver } from './strict-receiver.ts';

const closing: Server[] = [];
afterEach(() => {
  for (const server of closing.splice(0)) server.close();
});

const rules = new WeakMap<EventsStage, Promise<string>>();

const ask = async (stage: EventsStage, url: string, change: object = {}) => {
  const rule = rules.get(stage) ?? stage.rule('storm');
  rules.set(stage, rule);
  const ruleId = await rule;
  const delivery = { mode: 'webhook', url, secret: newSecret() };
  return stage.rpc('events/subscribe', {
    name: 'match.created',
    arguments: { rule_id: ruleId },
    delivery,
    ...change,
  });
};

const listed = async (stage: EventsStage) => (await stage.call('ListSubscriptions'))['subscriptions'];

describe('the proof of a receiver', () => {
  const answers: [string, (response: ServerResponse, challenge: string) => void, string][] = [
    ['a wrong challenge', (response) => void response.end('{"challenge":"guessed"}'), 'challenge_failed'],
    ['no challenge', (response) => void response.end('{}'), 'challenge_failed'],
    ['no JSON', (response, challenge) => void response.end(challenge), 'challenge_failed'],
    [
      'a body that is too long',
      (response, challenge) => void response.end(JSON.stringify({ challenge, padding: 'x'.repeat(20_000) })),
      'challenge_failed',
    ],
    [
      'a redirect',
      (response) => void response.writeHead(307, { location: 'https://client.test/elsewhere' }).end(),
      'challenge_failed',
    ],
    ['404', (response, challenge) => void response.writeHead(404).end(JSON.stringify({ challenge })), 'http_4xx'],
    ['500', (response) => void response.writeHead(500).end('stack trace of theirs'), 'http_5xx'],
  ];
  it.each(answers)('fails with %s, and nothing is stored or told', async (_, answer, reason) => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const secret = newSecret();
    receiver.secrets.set('', [secret]);
    receiver.challenge = answer;
    const refused = await ask(stage, receiver.url, { delivery: { mode: 'webhook', url: receiver.url, secret } });
    expect(refused.error).toMatchObject({ code: -32_015, data: { reason } });
    expect(JSON.stringify(refused)).not.toContain('theirs');
    expect([await listed(stage), receiver.log.length]).toEqual([[], 1]);
  });

  it('fails when nothing listens, when the certificate is not trusted, and when no answer comes in time', async () => {
    await using stage = await eventsStage();
    const silent = createServer((socket) => socket.on('error', () => {}));
    closing.push(silent);
    await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
    const { port } = silent.address() as { port: number };
    await using receiver = await openStrictReceiver();
    const unknownName = receiver.url.replace('client.test', 'stranger.test');
    expect((await ask(stage, unknownName)).error).toMatchObject({ code: -32_015, data: { reason: 'tls_error' } });
    const connected = new Promise<void>((resolve) => silent.once('connection', () => resolve()));
    const waiting = ask(stage, `http://127.0.0.1:${port}/`);
    await connected;
    stage.clock.forward(8_000);
    expect((await waiting).error).toMatchObject({ code: -32_015, data: { reason: 'timeout' } });
    const closed = new Promise((resolve) => silent.close(resolve));
    closing.pop();
    await closed;
    const refused = await ask(stage, `http://127.0.0.1:${port}/`);
    expect(refused.error).toMatchObject({ code: -32_015, data: { reason: 'connection_refused' } });
  });

  it('is asked of one host a limited number of times a minute', async () => {
    await using stage = await eventsStage();
    let last: Awaited<ReturnType<typeof ask>> | undefined;
    // Minutes are counted by the clock: the tries begin with one, so that none of them falls into the next.
    stage.clock.forward(60_000 - (stage.clock.now().getTime() % 60_000));
    // Nothing listens on the port: a proof costs no more than a refused connection.
    for (let tries = 0; tries <= MAX_CHALLENGES; tries++) last = await ask(stage, `http://127.0.0.1:1/${tries}`);
    expect(last?.error).toMatchObject({ code: -32_013, data: { limit: 'challenges', max: MAX_CHALLENGES } });
    stage.clock.forward(60_000);
    expect((await ask(stage, 'http://127.0.0.1:1/')).error?.code).toBe(-32_015);
  });
});

describe('an address', () => {
  let shared: Promise<EventsStage>;
  beforeAll(() => {
    shared = eventsStage(publicOnly);
  });
  afterAll(async () => (await shared)[Symbol.asyncDispose]());
  const publicOnly: Partial<OutletOptions> = {
    allowPrivate: false,
    resolve: (hostname, _, callback) =>
      callback(null, [{ address: hostname === 'metadata.example' ? '169.254.169.254' : '10.0.0.1', family: 4 }]),
  };
  it.each([
    ['http://hooks.example/', 'plain HTTP'],
    ['https://169.254.169.254/latest', 'an address of a machine'],
    ['https://10.0.0.1/', 'a private address'],
    ['https://localhost/', 'this machine'],
    ['https://user:secret@hooks.example/', 'credentials'],
    ['https://hooks.example/#here', 'a fragment'],
    ['https://hooks.example:22/', 'another port'],
    ['not a url', 'no URL'],
    [`https://hooks.example/${'x'.repeat(2_048)}`, 'too many characters'],
  ])('is refused: %.60s (%s)', async (url) => {
    const stage = await shared;
    expect((await ask(stage, url)).error?.code).toBe(-32_602);
  });

  it.each(['https://metadata.example/', 'https://inside.example/'])(
    'whose name resolves to one that is not public is never connected to: %s',
    async (url) => {
      const refused = await ask(await shared, url);
      expect(refused.error).toMatchObject({ code: -32_015, data: { reason: 'connection_refused' } });
    },
  );
});

describe('a request that is not right', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  const url = 'http://127.0.0.1:1/';
  let shared: Promise<EventsStage>;
  beforeAll(() => {
    shared = eventsStage();
  });
  afterAll(async () => (await shared)[Symbol.asyncDispose]());
  it.each<[string, object, number]>([
    ['an unknown event', { name: 'rule.created' }, -32_011],
    ['an argument that does not exist', { arguments: { rule_id: 'r', color: 'red' } }, -32_602],
    ['a mode that is not offered', { delivery: { mode: 'push', url, secret: secretOf(32) } }, -32_014],
    ['a secret without its prefix', { delivery: { mode: 'webhook', url, secret: 'abc' } }, -32_602],
    ['a secret that is too short', { delivery: { mode: 'webhook', url, secret: secretOf(23) } }, -32_602],
    ['a secret that is too long', { delivery: { mode: 'webhook', url, secret: secretOf(65) } }, -32_602],
    ['no delivery', { delivery: undefined }, -32_602],
    ['a made-up cursor', { cursor: 'bm90IG91cnM' }, -32_602],
    ['arguments that are too long', { arguments: { rule_id: 'x'.repeat(20_000) } }, -32_602],
  ])('is refused: %s', async (_, change, code) => {
    expect((await ask(await shared, url, change)).error?.code).toBe(code);
  });

  it('is refused beyond the subscriptions that one agent may have, until one has ended', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const secret = newSecret();
    receiver.secrets.set('', [secret]);
    const ruleId = await stage.rule('storm');
    const wish = (count: number) => ({
      name: 'match.created',
      arguments: { rule_id: ruleId },
      delivery: { mode: 'webhook', url: `${receiver.url}&n=${count}`, secret },
    });
    // The first is made by a request; the others are copies of it.
    expect((await stage.rpc('events/subscribe', wish(0))).error).toBeUndefined();
    const { store } = stage.oauth.app;
    const { id: accountId } = (await store.account('default'))!;
    const [first] = await store.subscriptions(accountId);
    for (let number = 1; number < MAX_AGENT_SUBSCRIPTIONS; number++) {
      const copy = { ...first!, id: `hook_${number}`, subscription: { ...first!.subscription!, id: `sub_${number}` } };
      await store.saveSubscription(copy, { ofAccount: 1_000, ofOwner: 1_000, ended: 10 });
    }
    const more = () => stage.rpc('events/subscribe', wish(MAX_AGENT_SUBSCRIPTIONS));
    expect((await more()).error).toMatchObject({ code: -32_013, data: { limit: 'subscriptions', max: 100 } });
    expect((await stage.rpc('events/subscribe', wish(0))).error).toBeUndefined();
    await stage.call('EndSubscription', { subscription_id: 'sub_1' });
    expect((await more()).error).toBeUndefined();
  });
});
