/** The polling trigger, built and run as n8n runs it, against a server. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { type App, OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { type BuiltNodes, buildNodes, type Json } from './built-nodes.ts';
import { type Run, type RunOptions, runOf } from './stage.ts';

const DAY = 86_400_000;

let nodes: BuiltNodes;
beforeAll(() => {
  nodes = buildNodes();
});
afterAll(() => nodes[Symbol.dispose]());

interface Stage extends AsyncDisposable {
  readonly app: App;
  readonly url: string;
  readonly ruleId: string;
  readonly otherRuleId: string;
  /** Posts that match the rule, by their ids. */
  post(...ids: number[]): Promise<void>;
  push(...posts: { id: number; text: string }[]): Promise<void>;
  /** One poll: the ids of the posts it hands over, and null as n8n gets it. */
  poll(options?: Partial<RunOptions>): Promise<string[] | null>;
  readonly last: Run;
  readonly client: ReturnType<typeof createClient>;
  /** The data that n8n keeps in memory, and the text that it has stored. */
  kept: Json;
  stored: string;
  /** n8n is stopped and started again. */
  restart(): void;
}

async function stage(): Promise<Stage> {
  const app = await startApp({ rateLimit: 100_000 });
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const client = createClient({ url, key: OPERATOR_KEY });
  const rule = (name: string, text: string) =>
    client.rules.create({ name, intent: '', platforms: ['x'], overrides: { x: text } });
  const { rule_id: ruleId } = await rule('Lava', 'lava');
  const { rule_id: otherRuleId } = await rule('Storms', 'storm');
  let last = runOf(nodes, { url });
  const stand: Stage = {
    app,
    url,
    client,
    ruleId,
    otherRuleId,
    kept: {},
    stored: '{}',
    get last() {
      return last;
    },
    async push(...posts) {
      const lines = posts.map(({ id, text }) => `${JSON.stringify({ data: { id: String(id), text } })}\n`);
      await client.events.push({ platform: 'x', lines: lines.join('') });
    },
    post: (...ids) => stand.push(...ids.map((id) => ({ id, text: `Lava flow number ${id} ${'word'.repeat(id % 7)}` }))),
    async poll(options = {}) {
      last = runOf(nodes, { url, kept: stand.kept, parameters: { ruleId }, ...options });
      const handed = await nodes.node('SluiceTrigger').poll.call(last.context);
      // n8n stores what is kept when a poll hands something over.
      if (handed !== null) stand.stored = JSON.stringify(stand.kept);
      return handed?.[0]?.map(({ json }) => json['platform_post_id'] as string) ?? null;
    },
    restart() {
      stand.kept = JSON.parse(stand.stored) as Json;
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
  return stand;
}

/** Activation: the first poll only finds its place, and n8n stores it. */
async function activate(stand: Stage, options: Partial<RunOptions> = {}): Promise<void> {
  expect(await stand.poll(options)).toBe(null);
  stand.stored = JSON.stringify(stand.kept);
}

const failure = (poll: Promise<unknown>) =>
  poll.then(
    () => expect.unreachable('the poll went well'),
    (error: Error & { httpCode: string | null; description: string }) => ({
      kind: error.constructor.name,
      message: error.message,
      httpCode: error.httpCode,
      description: error.description,
    }),
  );

describe('the trigger', () => {
  it('begins with the matches after its activation and hands each over once, oldest first', async () => {
    await using stand = await stage();
    await stand.post(1, 2);
    await activate(stand);
    await stand.post(3, 4);
    expect(await stand.poll()).toEqual(['3', '4']);
    await stand.post(5);
    expect(await stand.poll()).toEqual(['5']);
    expect(await stand.poll()).toBe(null);
    await stand.post(6);
    expect(await stand.poll()).toEqual(['6']);
  });

  it('asks one question when there is nothing new, and opens no stream', async () => {
    await using stand = await stage();
    await stand.post(1);
    await activate(stand);
    expect(await stand.poll()).toBe(null);
    expect(stand.last.requests).toEqual(['/matches']);
  });

  it('hands over the whole match', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1);
    const run = runOf(nodes, { url: stand.url, kept: stand.kept, parameters: { ruleId: stand.ruleId } });
    const handed = await nodes.node('SluiceTrigger').poll.call(run.context);
    const { matches } = await stand.client.matches.list({});
    expect(handed).toEqual([[{ json: JSON.parse(JSON.stringify(matches[0])) as Json }]]);
  });

  it('hands the same matches over again when n8n stopped before it stored the place, and none twice when it had', async () => {
    await using stand = await stage();
    await activate(stand);
    const atActivation = stand.stored;
    await stand.post(1, 2);
    expect(await stand.poll()).toEqual(['1', '2']);
    stand.stored = atActivation;
    stand.restart();
    expect(await stand.poll()).toEqual(['1', '2']);
    stand.restart();
    await stand.post(3);
    expect(await stand.poll()).toEqual(['3']);
  });

  it('reads as many matches as it may in a poll, and goes on there with the next, also after a restart', async () => {
    await using stand = await stage();
    await activate(stand);
    const ids = Array.from({ length: 120 }, (_, index) => index + 1);
    await stand.post(...ids);
    const found: string[] = [];
    const parameters = { ruleId: stand.ruleId, most: 50 };
    for (let handed = await stand.poll({ parameters }); handed !== null; handed = await stand.poll({ parameters })) {
      expect(handed.length).toBeLessThanOrEqual(50);
      found.push(...handed);
      stand.restart();
    }
    expect(found).toEqual(ids.map(String));
  });

  it('reads more matches than a page of the server has', async () => {
    await using stand = await stage();
    await activate(stand);
    const ids = Array.from({ length: 450 }, (_, index) => index + 1);
    await stand.post(...ids);
    expect(await stand.poll()).toEqual(ids.map(String));
  });

  it('ends a poll at 8 MiB of text, because n8n holds all of it in memory', async () => {
    await using stand = await stage();
    await activate(stand);
    const text = `lava ${'x'.repeat(1_000_000)}`;
    for (const ids of [
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
    ])
      await stand.push(...ids.map((id) => ({ id, text })));
    expect(await stand.poll()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(await stand.poll()).toEqual(['10']);
  });

  it('hands over what all rules match, each rule by itself, or only one platform', async () => {
    await using stand = await stage();
    const all = { parameters: {}, kept: {} };
    const pages = { parameters: { platform: 'firehose' }, kept: {}, workflow: 'pages' };
    await stand.poll(all);
    await stand.poll(pages);
    await stand.push({ id: 1, text: 'a storm' }, { id: 2, text: 'lava and storm' });
    expect(await stand.poll(all)).toEqual(['1', '2', '2']);
    expect(await stand.poll(pages)).toBe(null);
  });

  it('begins anew when another rule is chosen: a place belongs to what was asked for', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.push({ id: 1, text: 'lava' }, { id: 2, text: 'storm' });
    const parameters = { ruleId: stand.otherRuleId };
    expect(await stand.poll({ parameters })).toBe(null);
    await stand.push({ id: 3, text: 'storm over land' });
    expect(await stand.poll({ parameters })).toEqual(['3']);
  });

  it('starts with each story once, and reads on behind the matches that tell the same', async () => {
    await using stand = await stage();
    const parameters = { ruleId: stand.ruleId, event: 'story' };
    await activate(stand, { parameters });
    const told = 'Lava reached the harbour of the old town this morning, people left their houses';
    await stand.push({ id: 1, text: told }, { id: 2, text: told });
    expect(await stand.poll({ parameters })).toEqual(['1']);
    await stand.push({ id: 3, text: told });
    expect(await stand.poll({ parameters })).toBe(null);
    expect(await stand.poll({ parameters })).toBe(null);
    expect(stand.last.requests).toEqual(['/matches']);
  });

  it('hands nothing over twice when n8n begins a poll while the last one runs', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1, 2);
    let second: string[] | null | undefined;
    const first = await stand.poll({
      onRequest: async (path) => {
        if (path === '/matches/stream') second = await stand.poll();
      },
    });
    expect([first, second]).toEqual([['1', '2'], null]);
  });

  it('comes to an end when the newest match is erased while it reads', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1, 2);
    const handed = await stand.poll({
      onRequest: async (path) => {
        if (path === '/matches/stream') await stand.client.matches.delete({ platform: 'x', platform_post_id: '2' });
      },
      // The server then sends a heartbeat, which ends the poll.
      onStream: (stream) => {
        stream.on('data', () => stand.app.clock.forward(20_000));
        return stream;
      },
    });
    expect(handed).toEqual(['1']);
    expect(await stand.poll()).toBe(null);
  });

  it('goes on with the oldest match that is kept when its place was removed, and says so', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1, 2);
    stand.app.clock.forward(40 * DAY);
    await stand.post(3, 4);
    while ((await stand.app.store.removeSlice(stand.app.clock.now())).more);
    expect(await stand.poll()).toEqual(['3', '4']);
    expect(stand.last.warnings).toEqual([expect.stringContaining('has removed matches')]);
    expect(await stand.poll()).toBe(null);
  });

  it('keeps its place fresh while nothing matches, so that it is never older than what is kept', async () => {
    await using stand = await stage();
    await stand.post(1);
    await activate(stand);
    await stand.push({ id: 2, text: 'storm' });
    expect(await stand.poll()).toBe(null);
    stand.app.clock.forward(40 * DAY);
    await stand.post(3);
    while ((await stand.app.store.removeSlice(stand.app.clock.now())).more);
    expect(await stand.poll()).toEqual(['3']);
    expect(stand.last.warnings).toEqual([]);
  });

  it('begins with new matches when the credential is of another account, and says so', async () => {
    await using stand = await stage();
    await activate(stand, { parameters: {} });
    const key = await stand.app.newAccount('other');
    const other = createClient({ url: stand.url, key });
    await other.rules.create({ name: 'n', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
    const push = (id: number) =>
      other.events.push({ platform: 'x', lines: `${JSON.stringify({ data: { id: String(id), text: 'lava' } })}\n` });
    await push(1);
    expect(await stand.poll({ parameters: {}, key })).toBe(null);
    expect(stand.last.warnings).toEqual([expect.stringContaining('another account or server')]);
    await push(2);
    expect(await stand.poll({ parameters: {}, key })).toEqual(['2']);
  });
});

describe('a test run in the editor', () => {
  it('shows the newest match and moves no place', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1, 2);
    const before = structuredClone(stand.kept);
    expect(await stand.poll({ mode: 'manual' })).toEqual(['2']);
    expect(stand.kept).toEqual(before);
    stand.restart();
    expect(await stand.poll()).toEqual(['1', '2']);
  });

  it('says so when there is no match yet', async () => {
    await using stand = await stage();
    expect(await failure(stand.poll({ mode: 'manual' }))).toMatchObject({
      kind: 'NodeOperationError',
      message: 'There is no match to try the workflow with',
    });
  });

  it('offers the rules of the account by name', async () => {
    await using stand = await stage();
    await stand.client.rules.update({ rule_id: stand.ruleId, paused: true });
    const { context } = runOf(nodes, { url: stand.url });
    expect(await nodes.node('SluiceTrigger').methods.loadOptions['getRulesOrAll']!.call(context)).toEqual([
      { name: 'All Rules', value: '' },
      { name: 'Lava (paused)', value: stand.ruleId },
      { name: 'Storms', value: stand.otherRuleId },
    ]);
  });
});

describe('a poll that fails leaves the place as it is', () => {
  /** Fails once, with nothing lost: the next good poll has the match that came meanwhile. */
  async function failsOnce(stand: Stage, options: Partial<RunOptions>) {
    const before = structuredClone(stand.kept);
    const told = await failure(stand.poll(options));
    expect(stand.kept).toEqual(before);
    return told;
  }

  it('when the rule is deleted', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1);
    await stand.client.rules.delete({ rule_id: stand.ruleId });
    expect(await failsOnce(stand, {})).toEqual({
      kind: 'NodeApiError',
      message: 'There is no such rule.',
      httpCode: '404',
      description: 'Check the ID. A deleted rule can be restored for 7 days.',
    });
    await stand.client.rules.restore({ rule_id: stand.ruleId });
    expect(await stand.poll()).toEqual(['1']);
  });

  it('when the key is revoked', async () => {
    await using stand = await stage();
    await activate(stand);
    const { id: key_id, key } = await stand.client.keys.create({ name: 'n8n', scope: 'read' });
    await stand.post(1);
    await stand.client.keys.revoke({ key_id });
    expect(await failsOnce(stand, { key })).toMatchObject({
      kind: 'NodeApiError',
      httpCode: '401',
      description: expect.stringContaining('Enter a key that works'),
    });
    expect(await stand.poll()).toEqual(['1']);
  });

  it('when the key is revoked between the two questions of a poll', async () => {
    await using stand = await stage();
    await activate(stand);
    const { id: key_id, key } = await stand.client.keys.create({ name: 'n8n', scope: 'read' });
    await stand.post(1);
    const onRequest = async (path: string) => {
      if (path === '/matches/stream') await stand.client.keys.revoke({ key_id });
    };
    expect(await failsOnce(stand, { key, onRequest })).toMatchObject({ kind: 'NodeApiError', httpCode: '401' });
    expect(await stand.poll()).toEqual(['1']);
  });

  it('when the server is away', async () => {
    await using stand = await stage();
    await activate(stand);
    await using gone = await listen((_, response) => response.socket?.destroy());
    await stand.post(1);
    expect(await failsOnce(stand, { url: gone.url })).toMatchObject({
      kind: 'NodeApiError',
      message: `Sluice did not answer at ${gone.url}`,
      httpCode: null,
      description: expect.stringContaining('Check the address in the credential'),
    });
    expect(await stand.poll()).toEqual(['1']);
  });

  it('when the address is that of something else', async () => {
    await using stand = await stage();
    await activate(stand);
    await using other = await listen((_, response) => void response.writeHead(200).end('<h1>Hello</h1>'));
    expect(await failsOnce(stand, { url: other.url })).toMatchObject({
      kind: 'NodeApiError',
      message: 'The address answers with status 200, and not as a Sluice server does',
    });
  });

  it('when the address redirects, so that the key goes nowhere else', async () => {
    await using stand = await stage();
    await activate(stand);
    const seen: (string | undefined)[] = [];
    await using thief = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    await using moved = await listen((_, response) => void response.writeHead(308, { location: thief.url }).end());
    expect(await failsOnce(stand, { url: moved.url })).toMatchObject({
      httpCode: '308',
      description: `It redirects to ${thief.url}. Enter the address that answers itself in the credential.`,
    });
    expect(seen).toEqual([]);
  });

  it('hands over what came before a connection was cut, and the rest with the next poll', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1, 2, 3);
    expect(await stand.poll({ onStream: (stream) => cutAfter(stream, 2) })).toEqual(['1', '2']);
    expect(stand.last.warnings).toEqual(['The connection was lost after 2 matches. The next poll reads the rest.']);
    expect(await stand.poll()).toEqual(['3']);
  });

  it('when the connection is cut before the first match', async () => {
    await using stand = await stage();
    await activate(stand);
    await stand.post(1);
    expect(await failsOnce(stand, { onStream: (stream) => cutAfter(stream, 0) })).toMatchObject({
      kind: 'NodeApiError',
      message: 'The stream of matches was cut off',
    });
    expect(await stand.poll()).toEqual(['1']);
  });
});

/** The stream up to the middle of the match after this many. */
function cutAfter(stream: Readable, matches: number): Readable {
  return Readable.from(
    (async function* () {
      let text = '';
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString('utf8');
        const parts = text.split('event: match\n');
        if (parts.length < matches + 2) continue;
        yield Buffer.from(`${parts.slice(0, matches + 1).join('event: match\n')}event: match\nid: half`);
        throw new Error('socket hang up');
      }
    })(),
  );
}

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
