/** The node with the actions, built and run as n8n runs it, against a server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import { type App, OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { type BuiltNodes, buildNodes, type Item, type Json } from './built-nodes.ts';
import { type RunOptions, runOf } from './stage.ts';

let nodes: BuiltNodes;
let app: App;
let url: string;
beforeAll(async () => {
  nodes = buildNodes();
  app = await startApp({ rateLimit: 100_000 });
  url = await app.http.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  nodes[Symbol.dispose]();
});

/** An account of its own, and the node with its key. */
async function account(name: string) {
  const key = await app.newAccount(name);
  const client = createClient({ url, key });
  const run = async (parameters: Json | Json[], options: Partial<RunOptions> = {}): Promise<Item[]> => {
    const items = [parameters].flat().map(() => ({ json: {} }));
    const { context } = runOf(nodes, { url, key, parameters, items, ...options });
    const [found] = await nodes.node('Sluice').execute.call(context);
    return found!;
  };
  return {
    key,
    client,
    run,
    /** The one item that comes out. */
    one: async (parameters: Json, options: Partial<RunOptions> = {}): Promise<Json> => {
      const found = await run(parameters, options);
      expect(found.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
      return found[0]!.json;
    },
    rule: async (text = 'lava') =>
      (await client.rules.create({ name: 'Lava', intent: '', platforms: ['x'], overrides: { x: text } })).rule_id,
  };
}

const post = (id: number, text = `lava ${id}`) => ({ data: { id: String(id), text } });
const push = (event: object) => ({ resource: 'event', operation: 'push', eventPlatform: 'x', event });

const failure = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable('the run went well'),
    (error: Error & { httpCode?: string; description?: string; context: Json }) => ({
      kind: error.constructor.name,
      message: error.message,
      httpCode: error.httpCode,
      description: error.description,
      itemIndex: error.context['itemIndex'],
    }),
  );

describe('rules', () => {
  it('are created, read, changed, paused, resumed, listed and deleted', async () => {
    const { one, run, client } = await account('rules');
    const { rule_id: ruleId } = (await one({
      resource: 'rule',
      operation: 'create',
      name: 'Volcanoes',
      intent: 'Tell me when a volcano erupts.',
      x: 'volcano',
      firehose: ' ',
    })) as { rule_id: string };
    const rule = (operation: string, more: Json = {}) => one({ resource: 'rule', operation, ruleId, ...more });
    expect(await rule('get')).toMatchObject({
      id: ruleId,
      name: 'Volcanoes',
      intent: 'Tell me when a volcano erupts.',
    });
    expect(await rule('pause')).toMatchObject({ paused: true });
    expect(await rule('resume')).toMatchObject({ paused: false });
    expect(await rule('update', { changes: { name: 'Eruptions', firehose: 'title:volcano' } })).toMatchObject({
      name: 'Eruptions',
      intent: 'Tell me when a volcano erupts.',
      platforms: { x: { translated_value: 'volcano' }, firehose: { translated_value: 'title:volcano' } },
    });
    expect(Object.keys((await rule('update', { changes: { firehose: '' } }))['platforms'] as object)).toEqual(['x']);
    await client.rules.create({ name: 'Second', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    const names = async (more: Json) =>
      (await run({ resource: 'rule', operation: 'getAll', ...more })).map(({ json }) => json['name']);
    expect(await names({ returnAll: true })).toEqual(['Eruptions', 'Second']);
    expect(await names({ returnAll: false, limit: 1 })).toEqual(['Eruptions']);
    expect(await rule('delete')).toHaveProperty('restorable_until');
    expect((await client.rules.list({})).rules.map(({ name }) => name)).toEqual(['Second']);
  });

  it('are previewed on recent events, without being created', async () => {
    const { one, client } = await account('previews');
    await client.events.push({ platform: 'x', lines: `${JSON.stringify(post(1))}\n` });
    const preview = { resource: 'rule', operation: 'preview', x: 'lava' };
    expect(await one(preview)).toMatchObject({ platforms: { x: { events: 1, matched: 1 } } });
    expect((await client.rules.list({})).rules).toEqual([]);
  });

  it('need a text, and the message says so', async () => {
    const { run } = await account('texts');
    expect(await failure(run({ resource: 'rule', operation: 'create', name: 'n', x: ' ' }))).toMatchObject({
      kind: 'NodeOperationError',
      message: 'The rule has no text',
    });
  });
});

describe('matches', () => {
  it('are listed with filters, over more than one page, rated and explained', async () => {
    const { one, run, client, rule } = await account('matches');
    const ruleId = await rule();
    const lines = Array.from({ length: 1_050 }, (_, index) => `${JSON.stringify(post(index + 1))}\n`).join('');
    await client.events.push({ platform: 'x', lines });
    const list = async (more: Json) => run({ resource: 'match', operation: 'getAll', ruleId, ...more });
    expect((await list({ returnAll: true })).length).toBe(1_050);
    const few = await list({ returnAll: false, limit: 3, filters: { text: 'LAVA 10' } });
    expect(few.map(({ json }) => json['platform_post_id'])).toEqual(['1050', '1049', '1048']);
    const matchId = few[0]!.json['id'] as string;
    expect(await one({ resource: 'match', operation: 'rate', matchId, rating: 'irrelevant' })).toEqual({
      match_id: matchId,
      rating: 'irrelevant',
    });
    const rated = await list({ returnAll: true, filters: { rating: 'irrelevant' } });
    expect(rated.map(({ json }) => json['id'])).toEqual([matchId]);
    await one({ resource: 'match', operation: 'rate', matchId, rating: 'none' });
    expect(await list({ returnAll: true, filters: { rating: 'irrelevant' } })).toEqual([]);
    expect(await one({ resource: 'match', operation: 'explain', matchId })).toMatchObject({ value: 'lava' });
  });

  it('are waited for: the next one ends the wait', async () => {
    const { one, client, rule } = await account('waits');
    const ruleId = await rule();
    const wait = { resource: 'match', operation: 'wait', ruleId, seconds: 3_600 };
    const found = await one(wait, {
      onStream: (stream) => {
        stream.once('data', () => void client.events.push({ platform: 'x', lines: JSON.stringify(post(1)) }));
        return stream;
      },
    });
    expect(found).toMatchObject({ platform_post_id: '1', rule_id: ruleId });
  });

  it('that do not come end the wait when its time is over', async () => {
    const { one } = await account('no match');
    expect(await one({ resource: 'match', operation: 'wait', seconds: 0.05 })).toEqual({ timed_out: true });
  });

  it('are no longer waited for when the execution is cancelled', async () => {
    const { run } = await account('cancelled');
    const stop = new AbortController();
    const waiting = run(
      { resource: 'match', operation: 'wait', seconds: 3_600 },
      {
        cancel: stop.signal,
        onStream: (stream) => {
          stream.once('data', () => stop.abort());
          return stream;
        },
      },
    );
    expect(await failure(waiting)).toMatchObject({ message: 'The wait was cancelled' });
  });
});

describe('events', () => {
  it('are pushed in one request for all items, and each item has its own answer', async () => {
    const { run, client, rule } = await account('push');
    await rule();
    const { context, requests } = runOf(nodes, {
      url,
      key: (await client.keys.create({ name: 'n8n', scope: 'full' })).key,
      parameters: [push(post(1)), push({ data: {} }), { ...push({}), event: JSON.stringify(post(3)) }],
      items: [{ json: {} }, { json: {} }, { json: {} }],
      continueOnFail: true,
    });
    const [items] = await nodes.node('Sluice').execute.call(context);
    expect(requests).toEqual(['/events']);
    expect(items!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
    expect(items!.map(({ json }) => json)).toEqual([
      { accepted: true },
      { error: expect.stringContaining('The line is refused') as string, remedy: expect.any(String) as string },
      { accepted: true },
    ]);
    const posts = (await client.matches.list({})).matches.map(({ platform_post_id }) => platform_post_id);
    expect(posts).toEqual(['3', '1']);
    expect(await run([push(post(1)), push(post(3))])).toHaveLength(2);
    expect((await client.matches.list({})).matches).toHaveLength(2);
  });

  it('that are refused end the run at their item, unless it is to go on', async () => {
    const { run } = await account('refused events');
    expect(await failure(run([push(post(1)), push({ data: {} })]))).toMatchObject({
      kind: 'NodeOperationError',
      itemIndex: 1,
    });
    expect(await failure(run([{ ...push({}), event: '[1]' }]))).toMatchObject({
      message: 'The event is not a JSON object',
    });
    expect(
      (await run([{ ...push({}), event: '{' }, push(post(2))], { continueOnFail: true })).map(({ json }) => json),
    ).toEqual([{ error: 'The event is not JSON' }, { accepted: true }]);
  });

  it('are sent by a thousand in a request, of one platform each', async () => {
    const { key } = await account('many');
    const parameters = Array.from({ length: 1_002 }, (_, index) => push(post(index + 1)));
    parameters.push({ ...push({ id: 'p', url: 'https://example.com/' }), eventPlatform: 'firehose' });
    const items = parameters.map(() => ({ json: {} }));
    const { context, requests } = runOf(nodes, { url, key, parameters, items, continueOnFail: true });
    const [found] = await nodes.node('Sluice').execute.call(context);
    expect(requests).toEqual(['/events', '/events', '/events']);
    expect(found!.map(({ pairedItem }) => pairedItem!.item)).toEqual([...items.keys()]);
  });
});

describe('what Sluice refuses', () => {
  it('is a NodeApiError with its message, and what to do next', async () => {
    const { run } = await account('refusals');
    const create = { resource: 'rule', operation: 'create', name: 'n', x: 'lava AND magma' };
    expect(await failure(run(create))).toEqual({
      kind: 'NodeApiError',
      message: expect.stringContaining('AND') as string,
      httpCode: '400',
      description: expect.stringMatching(/^overrides\.x: .* Try: lava magma$/) as string,
      itemIndex: 0,
    });
    const rate = { resource: 'match', operation: 'rate', rating: 'relevant', matchId: 'match_unknown' };
    expect(await failure(run(rate))).toMatchObject({ kind: 'NodeApiError', httpCode: '404' });
  });

  it('says which scope a key lacks', async () => {
    const { run, client } = await account('scopes');
    const { key } = await client.keys.create({ name: 'reader', scope: 'read' });
    const create = { resource: 'rule', operation: 'create', name: 'n', x: 'lava' };
    expect(await failure(run(create, { key }))).toMatchObject({
      httpCode: '403',
      description: 'Use a credential whose key has the scope that the message names.',
    });
  });

  it('says when to try again', async () => {
    await using limited = await startApp({ rateLimit: 1 });
    const at = await limited.http.listen({ host: '127.0.0.1', port: 0 });
    const { run } = await account('limits');
    const list = Array.from({ length: 5 }, () => ({ resource: 'rule', operation: 'getAll', returnAll: true }));
    expect(await failure(run(list, { url: at, key: OPERATOR_KEY }))).toMatchObject({
      httpCode: '429',
      description: expect.stringMatching(/^Try again in \d+ seconds, or poll less often\.$/) as string,
    });
  });

  it('is an item where the run is to go on, and the other items are done', async () => {
    const { run, rule } = await account('continues');
    const get = (ruleId: string) => ({ resource: 'rule', operation: 'get', ruleId });
    const known = await rule();
    const items = await run([get('rule_unknown'), get(known)], { continueOnFail: true });
    expect(items).toEqual([
      {
        json: { error: 'There is no such rule.', remedy: 'Check the ID. A deleted rule can be restored for 7 days.' },
        pairedItem: { item: 0 },
      },
      { json: expect.objectContaining({ id: known }) as Json, pairedItem: { item: 1 } },
    ]);
    expect(await failure(run([get(known), get('rule_unknown')]))).toMatchObject({ httpCode: '404', itemIndex: 1 });
  });
});
