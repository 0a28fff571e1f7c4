/** Clients at the other end of standard input and output, in this process: the official ones, on the newest revision and an older one. */
import { type Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { clientOf, NEWEST } from '../../test/mcp/clients.ts';
import { until } from '../../test/stages/receiver.ts';
import { openService } from '../../test/stages/service.ts';
import { CHANNEL_METHOD, type ChannelNote } from './channel.ts';
import { LLMS_URI, matchesUri } from './resource-updates.ts';
import { serveAgentStdio } from './stdio.ts';

const OLDER = '2025-11-25';

/** A server for one end of a line, with a rule for each of these words. */
async function stage(words: readonly string[], { hasChannel = false, isReader = false } = {}) {
  const test = await openService();
  const caller = await test.caller('alice');
  const reader = { ...caller, key: { ...caller.key, scope: 'read' as const } };
  const uris: string[] = [];
  for (const word of words) {
    const rule = { name: word, intent: '', platforms: ['x'], overrides: { x: word } };
    uris.push(matchesUri((await test.call(caller, 'createRule', rule)).rule_id));
  }
  const notes: ChannelNote[] = [{ agent: 'channel-1' }];
  const { clock, matchSignals } = test.service.context;
  const channel = {
    owner: caller,
    // It rests for a while behind each push.
    clock: { ...clock, sleep: () => new Promise<void>(setImmediate) },
    notes: { read: async () => notes.at(-1)!, write: async (note: ChannelNote) => void notes.push(note) },
    complain: () => {},
  };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const agents = { context: test.service.context, llmsText: () => '# Sluice' };
  const served = serveAgentStdio(agents, isReader ? reader : caller, hasChannel ? channel : undefined, far);
  return {
    test,
    caller,
    near,
    uris: uris as [string, string],
    notes,
    post: (text: string) => test.post(caller, text),
    watching: () => matchSignals.watching,
    subscriptions: async () => (await test.call(caller, 'listSubscriptions')).subscriptions.map(({ status }) => status),
    close: () => served[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
}

/** A client that notes which resources it is told of. */
async function connect(near: InMemoryTransport, revision: string) {
  const client = clientOf(revision);
  await client.connect(near);
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
  return { client, told };
}

describe('an older client on standard input', () => {
  it('is told of each resource that it subscribed to, until it takes that back', async () => {
    await using on = await stage(['storm', 'flood']);
    const { client, told } = await connect(on.near, OLDER);
    const [storms, floods] = on.uris;
    await client.subscribeResource({ uri: storms });
    await client.subscribeResource({ uri: floods });
    await on.post('a storm');
    await until(() => told.length === 1);
    await client.readResource({ uri: storms });
    await client.unsubscribeResource({ uri: storms });
    expect(await on.subscriptions()).toEqual(['ended', 'active']);
    await on.post('a storm and a flood');
    await until(() => told.length === 2);
    expect(told).toEqual([storms, floods]);
  });

  it('hears of a resource once, also when it subscribes to it again', async () => {
    await using on = await stage(['storm', 'flood']);
    const { client, told } = await connect(on.near, OLDER);
    const [storms, floods] = on.uris;
    for (let times = 0; times < 3; times++) await client.subscribeResource({ uri: storms });
    await client.subscribeResource({ uri: floods });
    await on.post('a storm');
    await on.post('a flood');
    await until(() => told.includes(floods));
    expect(told).toEqual([storms, floods]);
  });

  it('has no subscription when it takes it back at once', async () => {
    await using on = await stage(['storm']);
    const { client } = await connect(on.near, OLDER);
    const [uri] = on.uris;
    await Promise.all([client.subscribeResource({ uri }), client.unsubscribeResource({ uri })]);
    await until(() => on.watching() === 0);
    expect(await on.subscriptions()).toEqual(['ended']);
  });

  it('is told what is wrong with a subscription, and of our own mistakes no more than that', async () => {
    await using on = await stage(['storm']);
    const { client } = await connect(on.near, OLDER);
    const refusalOf = (uri: string) => client.subscribeResource({ uri }).catch(({ message }: Error) => message);
    expect(await refusalOf('sluice://rules/none')).toContain('There is no such resource.');
    expect(await refusalOf(matchesUri('rule_0'))).toContain('no such rule');
    Object.assign(on.test.store, { rule: () => Promise.reject(new Error('a secret of the store')) });
    expect(await refusalOf(on.uris[0])).toMatch(/Something went wrong on our side\.$/);
    expect(on.test.logged).toContain('error a subscription failed');
  });

  it('leaves nothing behind when we stop', async () => {
    await using on = await stage(['storm']);
    const { client } = await connect(on.near, OLDER);
    await client.subscribeResource({ uri: on.uris[0] });
    expect(on.watching()).toBeGreaterThan(0);
    const closed = new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }));
    await on.close();
    await closed;
    await until(() => on.watching() === 0);
    expect(on.test.logged).toEqual([]);
  });

  it('hears no more once its key is revoked, and the log says so', async () => {
    await using on = await stage(['storm']);
    const { client, told } = await connect(on.near, OLDER);
    await client.subscribeResource({ uri: on.uris[0] });
    const { account, key } = on.caller;
    await on.test.store.revokeKey(account.id, key.id);
    await on.test.post(await on.test.caller('alice'), 'a storm');
    await until(() => on.watching() === 0);
    expect([told, on.test.logged]).toEqual([[], ['warn a subscription ended']]);
  });
});

describe('a client of the newest revision on standard input', () => {
  const listen = async (client: Client, ...uris: string[]) => client.listen({ resourceSubscriptions: uris });

  it('is told of all resources that it listens to, until it ends that', async () => {
    await using on = await stage(['storm', 'flood']);
    const { client, told } = await connect(on.near, NEWEST);
    const subscription = await listen(client, ...on.uris, LLMS_URI);
    await on.post('a storm and a flood');
    await until(() => told.length === 2);
    expect(told.toSorted()).toEqual(on.uris.toSorted());
    await subscription.close();
    await until(() => on.watching() === 0);
  });

  it('is refused in words when one of them is not there', async () => {
    await using on = await stage(['storm']);
    const { client } = await connect(on.near, NEWEST);
    await expect(listen(client, on.uris[0], matchesUri('rule_0'))).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('no such rule') as string,
    });
    expect(on.watching()).toBe(0);
  });
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'one that writes lines', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends messages as they are, and answers what comes back for the last of them. */
async function answerTo(
  near: InMemoryTransport,
  ...messages: readonly { method: string; params?: object; id?: number }[]
) {
  const answers: Record<string, unknown>[] = [];
  Object.assign(near, { onmessage: (message: object) => void answers.push({ ...message }) });
  await near.start();
  for (const { params, ...message } of messages)
    await near.send({ jsonrpc: '2.0', ...message, params: { ...params, _meta: MODERN } });
  const last = () => answers.find(({ id }) => id === messages.at(-1)!.id);
  await until(() => last() !== undefined);
  return last()!;
}

it('passes messages on in their order, so that what takes a subscription back ends it', async () => {
  await using on = await stage(['storm']);
  await answerTo(
    on.near,
    { id: 1, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: on.uris } } },
    { method: 'notifications/cancelled', params: { requestId: 1 } },
    { id: 2, method: 'tools/list' },
  );
  await until(() => on.watching() === 0);
});

it.each([
  [{ name: 7 }, '`params.name` (expected string, received number)'],
  [{ name: 'watch_for', arguments: [] }, '`params.arguments` (expected record, received array)'],
  [
    { name: 'watch_for', arguments: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 7])) },
    '`params.arguments.a` (expected string, received number), `params.arguments.b` (expected string, received number), `params.arguments.c` (expected string, received number) and 1 more',
  ],
  [
    { name: 'watch_for', arguments: { a: 7, b: 7, c: 7 } },
    '`params.arguments.a` (expected string, received number), `params.arguments.b` (expected string, received number), `params.arguments.c` (expected string, received number)',
  ],
  [
    { name: 'watch_for', arguments: { ['x'.repeat(300)]: 7 } },
    `\`params.arguments.${'x'.repeat(183)}\` (expected string, received number)`,
  ],
])('says in a sentence what is wrong with parameters (%#)', async (params, wrong) => {
  await using on = await stage([]);
  const { error } = await answerTo(on.near, { id: 1, method: 'prompts/get', params });
  expect(error).toEqual({ code: -32_602, message: `These parameters are wrong: ${wrong}.` });
});

describe('a session', () => {
  it('that only reads is told what it cannot do, and what to do instead', async () => {
    await using on = await stage(['storm'], { isReader: true });
    const { client } = await connect(on.near, NEWEST);
    const told = client.getInstructions();
    expect(told).toMatch(
      /To follow a rule of list_rules: .*there is no create_rule, update_rule, delete_rule, rate_match/,
    );
    expect(told).not.toMatch(/To watch:|limited to some rules/);
    const { messages } = await client.getPrompt({ name: 'watch_for', arguments: { intent: 'lava' } });
    expect(messages).toMatchObject([
      {
        role: 'user',
        content: { text: expect.stringMatching(/x \(posts\).*:\n\nlava\n\n1\. .*only reads/s) as string },
      },
    ]);
    const refused = await client.callTool({ name: 'create_rule', arguments: {} });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('This key only reads, and create_rule needs one of scope') as string }],
    });
  });

  it('that may do all is told how to watch, and lacks nothing', async () => {
    await using on = await stage(['storm']);
    const { client } = await connect(on.near, NEWEST);
    expect(client.getInstructions()).toMatch(/To watch: platform_syntax, check_rule until ready, create_rule, then/);
    expect(client.getInstructions()).not.toMatch(/only reads|there is no|limited/);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([
      {
        uriTemplate: 'sluice://rules/{rule_id}/matches',
        description: 'The newest matches of a rule. Subscribe to hear of new ones.',
        mimeType: 'application/json',
      },
    ]);
    const { contents: pages } = await client.readResource({ uri: LLMS_URI });
    expect(pages).toEqual([{ uri: LLMS_URI, mimeType: 'text/plain', text: '# Sluice' }]);
    const { contents } = await client.readResource({ uri: 'sluice://syntax/x' });
    expect(contents).toMatchObject([
      {
        uri: 'sluice://syntax/x',
        mimeType: 'application/json',
        text: expect.stringMatching(/^\{"platforms":\{"x":.*-is:retweet/s) as string,
      },
    ]);
  });
});

describe('a channel on standard input and output', () => {
  it('pushes what matches into the session of an older client, and notes what it has read', async () => {
    await using on = await stage(['storm'], { hasChannel: true });
    const { client } = await connect(on.near, OLDER);
    expect(client.getServerCapabilities()?.experimental).toEqual({ 'claude/channel': {} });
    expect(client.getInstructions()).toContain('<channel source="sluice"');
    const pushed = Promise.withResolvers<{ content: string; meta: Record<string, string> }>();
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === CHANNEL_METHOD) pushed.resolve(params as never);
    };
    const pinged = Promise.withResolvers<void>();
    const read = Promise.withResolvers<object>();
    client.setRequestHandler('ping', () => {
      pinged.resolve();
      return read.promise;
    });
    await until(() => on.watching() > 0);
    await on.post('a storm');
    const { content, meta } = await pushed.promise;
    expect(JSON.parse(content)).toMatchObject({ match: { match_id: meta['match_id'], platform: 'x' } });
    await pinged.promise;
    await client.listTools();
    expect(on.notes.at(-1)).toEqual({ agent: 'channel-1' });
    read.resolve({});
    await until(() => on.notes.at(-1)!.read === meta['wake_id']);
    // It waits for the next one until the client goes.
    await until(() => on.watching() > 0);
    await on.near.close();
    await until(() => on.watching() === 0);
  });

  it.each([
    [OLDER, false],
    [NEWEST, true],
  ])('is not there on revision %s when it is wanted: %s', async (revision, hasChannel) => {
    await using on = await stage(['storm'], { hasChannel });
    const { client } = await connect(on.near, revision);
    expect(client.getServerCapabilities()?.experimental).toBeUndefined();
    expect(client.getInstructions()).not.toContain('<channel');
  });
});
