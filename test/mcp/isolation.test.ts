/** Everything that belongs to one account is to another as if it were not there, in every tool and every resource. */
import { expect, it } from 'vitest';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { answered, olderOverHttp, overHttp } from './clients.ts';

it('shows a stranger nothing, and a foreign id as an unknown one', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  await using owner = await overHttp(url, undefined, OPERATOR_KEY);
  await using stranger = await overHttp(url, undefined, await app.newAccount('stranger'));
  const rule = { name: 'mine', intent: 'mine', platforms: ['x'], overrides: { x: 'comet' } };
  const created = await owner.call('create_rule', rule);
  const { rule_id } = answered<{ rule_id: string }>(created);
  const push = (key: string, id: string, text: string) =>
    app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id, text } }),
    });
  await push(OPERATOR_KEY, '1', 'a comet');
  const { matches, cursor } = answered<{ matches: { id: string }[]; cursor: string }>(
    await owner.call('list_matches', { rule_id }),
  );
  expect(matches).toHaveLength(1);

  const textOf = async (name: string, input: object) => (await stranger.call(name, input)).content[0]!.text;
  const unknownRule = `${rule_id.slice(0, -1)}${rule_id.endsWith('0') ? '1' : '0'}`;
  const unknownMatch = `${matches[0]!.id.slice(0, -1)}${matches[0]!.id.endsWith('0') ? '1' : '0'}`;
  for (const name of ['list_matches', 'wait_for_matches', 'list_rules', 'delete_rule']) {
    expect(await textOf(name, { rule_id })).toBe(await textOf(name, { rule_id: unknownRule }));
    expect(await textOf(name, { rule_id })).toMatch(/^not_found/);
  }
  expect(await textOf('explain_match', { match_id: matches[0]!.id })).toBe(
    await textOf('explain_match', { match_id: unknownMatch }),
  );
  expect(await textOf('wait_for_matches', { cursor, wait_seconds: 0 })).toMatch(/^invalid_argument/);
  expect(answered(await stranger.call('list_matches'))).toMatchObject({ matches: [] });
  expect((await owner.call('list_rules', { rule_id })).isError).not.toBe(true);
});

it('lists the matches of every rule of the account, and of no other, page by page', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const key = await app.newAccount('stranger');
  const create = async (secret: string): Promise<string> => {
    const headers = { authorization: `Bearer ${secret}` };
    const payload = { name: 'r', intent: '', platforms: ['firehose'], overrides: { firehose: 'comet' } };
    const made = await app.http.inject({ method: 'POST', url: '/api.CreateRule', headers, payload });
    return `sluice://rules/${made.json().rule_id}/matches`;
  };
  const own: string[] = [];
  for (let count = 0; count < 201; count++) own.push(await create(key));
  await create(OPERATOR_KEY);
  const all = ['sluice://syntax/x', 'sluice://syntax/firehose', 'sluice://llms.txt', ...own];
  const urisOf = ({ resources }: { resources: { uri: string }[] }) => resources.map(({ uri }) => uri);

  await using older = await olderOverHttp(url, key);
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
    const page = await older.client.listResources(cursor === undefined ? {} : { cursor });
    pages.push(urisOf(page));
    cursor = page.nextCursor;
  }
  expect([pages.map(({ length }) => length), pages.flat()]).toEqual([[103, 100, 1], all]);
  const unknown = { code: -32_602, message: expect.stringContaining('no page with this cursor') };
  await expect(older.client.listResources({ cursor: 'made-up' })).rejects.toMatchObject(unknown);
  // The newest client asks for the further pages by itself.
  await using newest = await overHttp(url, undefined, key);
  expect(urisOf(await newest.client.listResources())).toEqual(all);
});

it('tells a subscriber of the matches of its own account alone', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const key = await app.newAccount('stranger');
  await using owner = await overHttp(url, undefined, OPERATOR_KEY);
  await using stranger = await overHttp(url, undefined, key);
  const rule = { name: 'r', intent: '', platforms: ['x'], overrides: { x: 'comet' } };
  const uriOf = async (agent: typeof owner) => {
    const { rule_id } = answered<{ rule_id: string }>(await agent.call('create_rule', rule));
    return `sluice://rules/${rule_id}/matches`;
  };
  const [foreign, own] = [await uriOf(owner), await uriOf(stranger)];
  const { client } = stranger;
  if (!('listen' in client)) throw new Error('the newest client can listen');
  const first = Promise.withResolvers<string>();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => first.resolve(params.uri));
  await expect(client.listen({ resourceSubscriptions: [foreign, own] })).rejects.toThrow('no such rule');
  const subscription = await client.listen({ resourceSubscriptions: [own] });
  for (const secret of [OPERATOR_KEY, key]) {
    await app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id: '1', text: 'a comet' } }),
    });
  }
  expect(await first.promise).toBe(own);
  await subscription.close();
});

it('gives a key ten subscriptions, also when twenty clients ask at once, and another key its own', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  await using agents = new AsyncDisposableStack();
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => agents.use(await overHttp(url, undefined, OPERATOR_KEY)).client),
  );
  const outcomes = await Promise.allSettled(
    clients.map(async (client) => {
      if ('listen' in client) await client.listen({ resourceSubscriptions: ['sluice://llms.txt'] });
    }),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10);
  expect(String((refused[0] as PromiseRejectedResult).reason)).toContain('10 open subscriptions');
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const made = await app.http.inject({ method: 'POST', url: '/api.CreateKey', headers, payload: { name: 'another' } });
  const another = agents.use(await overHttp(url, undefined, made.json().key)).client;
  if (!('listen' in another)) throw new Error('the newest client can listen');
  await another.listen({ resourceSubscriptions: ['sluice://llms.txt'] });
});
