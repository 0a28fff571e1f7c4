/** The X side as its reference describes it: shapes, statuses, headers, limits, fields. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { call, lavaSandbox, open, RULES, STREAM } from './reader.ts';

const change = (url: string, body: unknown, query = '') => call(url + RULES + query, { method: 'POST', body });
const add = (url: string, ...values: string[]) => change(url, { add: values.map((value) => ({ value })) });

describe('rules of X', () => {
  it('are added with 201, listed, counted and deleted', async () => {
    await using sandbox = await startSandbox({ clock: fakeClock() });
    const { status, headers, json } = await change(sandbox.url, {
      add: [{ value: 'puppy has:media', tag: 'puppies with media' }, { value: 'meme has:images' }],
    });
    const { data, meta } = json<{ data: { id: string; value: string; tag?: string }[]; meta: object }>();
    expect(status).toBe(201);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': '99',
      'x-access-level': 'read',
      'x-transaction-id': expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    });
    expect(data.map(({ value, tag }) => [value, tag])).toEqual([
      ['puppy has:media', 'puppies with media'],
      ['meme has:images', undefined],
    ]);
    for (const { id } of data) expect(id).toMatch(/^\d{19}$/);
    expect(meta).toEqual({
      sent: '2026-11-15T08:30:00.000Z',
      summary: { created: 2, not_created: 0, valid: 2, invalid: 0 },
    });
    expect((await call(sandbox.url + RULES)).json()).toEqual({
      data,
      meta: { sent: '2026-11-15T08:30:00.000Z', result_count: 2 },
    });
    expect((await call(`${sandbox.url}${RULES}?ids=${data[1]!.id}`)).json()).toMatchObject({ data: [data[1]] });
    expect((await call(`${sandbox.url}${RULES}/counts`)).json()).toEqual({
      data: {
        cap_per_client_app: '1000',
        cap_per_project: '1000',
        client_app_rules_count: { client_app_id: '12345678', rule_count: 2 },
        project_rules_count: '2',
        all_project_client_apps: [{ client_app_id: '12345678', rule_count: 2 }],
      },
    });
    const deleted = await change(sandbox.url, { delete: { ids: [data[0]!.id], values: ['meme has:images'] } });
    expect([deleted.status, deleted.json()]).toEqual([
      200,
      { meta: { sent: '2026-11-15T08:30:00.000Z', summary: { deleted: 2, not_deleted: 0 } } },
    ]);
    expect((await call(sandbox.url + RULES)).json()).toEqual({
      meta: { sent: '2026-11-15T08:30:00.000Z', result_count: 0 },
    });
  });

  it('come in pages, each with the token of the next', async () => {
    await using sandbox = await startSandbox();
    await add(sandbox.url, 'one', 'two', 'three', 'four', 'five');
    const values: string[] = [];
    for (let token: string | undefined = ''; token !== undefined; ) {
      const query: string = `?max_results=2${token && `&pagination_token=${token}`}`;
      const page = (await call(sandbox.url + RULES + query)).json<{
        data: { value: string }[];
        meta: { next_token?: string };
      }>();
      values.push(...page.data.map(({ value }) => value));
      token = page.meta.next_token;
      expect(token ?? '0'.repeat(16)).toMatch(/^[0-9a-v]{16}$/);
    }
    expect(values).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect((await call(`${sandbox.url}${RULES}?max_results=1001`)).status).toBe(400);
    expect((await call(`${sandbox.url}${RULES}?pagination_token=no`)).status).toBe(400);
  });

  it('are refused inside a 200, all of a request for one of them', async () => {
    await using sandbox = await startSandbox();
    const { status, json } = await add(sandbox.url, 'tea', '-lava');
    expect([status, json()]).toMatchObject([
      200,
      {
        meta: { summary: { created: 0, not_created: 2, valid: 1, invalid: 1 } },
        errors: [
          {
            value: '-lava',
            details: [
              'Rules must contain a non-negation term (at position 1)',
              'Rules must contain at least one positive, non-stopword clause (at position 1)',
            ],
            title: 'UnprocessableEntity',
            type: 'https://api.twitter.com/2/problems/invalid-rules',
          },
        ],
      },
    ]);
    expect(sandbox.rules('x')).toEqual([]);
  });

  it('are held once; the others of a request with a duplicate are created', async () => {
    await using sandbox = await startSandbox();
    const [lava] = (await add(sandbox.url, 'lava')).json<{ data: { id: string }[] }>().data;
    const { status, json } = await add(sandbox.url, 'lava', 'magma', 'magma', 'lava ');
    const magma = sandbox.rules('x').find(({ value }) => value === 'magma')!;
    expect([status, json()]).toMatchObject([
      201,
      {
        data: [{ value: 'magma' }, { value: 'lava ' }],
        meta: { summary: { created: 2, not_created: 2, valid: 2, invalid: 2 } },
        errors: [
          { value: 'lava', id: lava!.id, title: 'DuplicateRule' },
          { value: 'magma', id: magma.id, title: 'DuplicateRule' },
        ],
      },
    ]);
    expect((await add(sandbox.url, 'lava')).status).toBe(200);
  });

  it('are only judged in a dry run', async () => {
    await using sandbox = await startSandbox();
    const dry = await change(sandbox.url, { add: [{ value: 'lava' }] }, '?dry_run=true');
    expect([dry.status, dry.json()]).toMatchObject([
      201,
      { data: [{ value: 'lava' }], meta: { summary: { created: 1 } } },
    ]);
    expect(sandbox.rules('x')).toEqual([]);
    await add(sandbox.url, 'lava');
    const { json } = await change(sandbox.url, { delete: { values: ['lava'] } }, '?dry_run=true');
    expect(json()).toMatchObject({ meta: { summary: { deleted: 1 } } });
    expect(sandbox.rules('x')).toHaveLength(1);
    const all = await change(sandbox.url, {}, '?delete_all=true');
    expect(all.json()).toMatchObject({ meta: { summary: { deleted: 1, not_deleted: 0 } } });
    expect(sandbox.rules('x')).toEqual([]);
  });

  it('have a cap, and nothing of a request beyond it is kept', async () => {
    await using sandbox = await startSandbox({ xRules: 2 });
    const { status, json } = await add(sandbox.url, 'one', 'two', 'three');
    expect([status, json()]).toMatchObject([
      422,
      { title: 'RulesCapExceeded', type: 'https://api.twitter.com/2/problems/rule-cap' },
    ]);
    expect(sandbox.rules('x')).toEqual([]);
    expect((await add(sandbox.url, 'one', 'two')).status).toBe(201);
  });

  it('that do not exist cannot be deleted', async () => {
    await using sandbox = await startSandbox();
    const { status, json } = await change(sandbox.url, { delete: { ids: ['1'] } });
    expect([status, json()]).toMatchObject([
      200,
      {
        meta: { summary: { deleted: 0, not_deleted: 1 } },
        errors: [{ errors: [{ parameters: {}, message: 'Rule does not exist' }], title: 'Invalid Request' }],
      },
    ]);
  });

  it.each([
    ['{"add":[{"values":"puppy has:media"}]}', { 'add.value': [] }],
    ['{"add":[{"value":7}]}', { 'add.value': [] }],
    ['{"add":[{"value":"lava","colour":"red"}]}', { 'add.colour': [] }],
    ['{"add":[]}', { add: [] }],
    ['{"add":[{"value":"lava"}],"delete":{"ids":["1"]}}', { body: [] }],
    ['{}', { body: [] }],
    ['{"remove":[]}', { remove: [] }],
    ['{"delete":{"ids":[]}}', { 'delete.ids': [] }],
    ['lava', { body: [] }],
  ])('are not changed by %s', async (body, parameters) => {
    await using sandbox = await startSandbox();
    const { status, headers, json } = await change(sandbox.url, body);
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
    expect(json()).toMatchObject({
      errors: [{ parameters }],
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: 'https://api.twitter.com/2/problems/invalid-request',
    });
  });

  it('are longer, more, and judged by meaning on the higher levels', async () => {
    await using payg = await startSandbox();
    await using enterprise = await startSandbox({ xLevel: 'enterprise+embedding' });
    const long = `lava ${'x'.repeat(1_500)}`;
    expect((await add(payg.url, long)).json()).toMatchObject({
      errors: [{ details: [expect.stringMatching(/^Rule 'lava x/) as string] }],
    });
    expect((await add(payg.url, 'embedding:"ash cloud"')).json()).toMatchObject({
      errors: [
        {
          details: [
            expect.stringMatching(
              "Reference to invalid operator 'embedding'. Operator is not available in current product",
            ) as string,
          ],
        },
      ],
    });
    expect((await add(enterprise.url, long, 'embedding:"ash cloud" embedding_threshold:0.5')).status).toBe(201);
    const stream = await open(enterprise.url + STREAM);
    enterprise.post('x', { data: { id: '1', text: 'an ash plume' } });
    enterprise.post('x', { data: { id: '2', text: 'a plume' } });
    await stream.has('plume');
    expect(stream.records().map(({ matching_rules }) => matching_rules)).toEqual([
      [{ id: enterprise.rules('x')[1]!.id, embedding_similarity: 0.5, embedding_threshold: 0.5 }],
    ]);
    expect((await call(`${enterprise.url}${RULES}/counts`)).json()).toMatchObject({
      data: { cap_per_project: '25000' },
    });
  });
});

describe('callers of X', () => {
  it('need a bearer token, the right one where one is set', async () => {
    await using anyone = await startSandbox();
    await using one = await startSandbox({ xToken: 'AAAA%2F' });
    const { status, headers, json } = await call(anyone.url + RULES, { token: undefined });
    expect([status, json()]).toEqual([
      401,
      { type: 'about:blank', title: 'Unauthorized', detail: 'Unauthorized', status: 401 },
    ]);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-rate'))).toEqual([]);
    expect((await call(anyone.url + RULES, { token: 'whatever' })).status).toBe(200);
    expect((await call(one.url + RULES, { token: 'whatever' })).status).toBe(401);
    expect((await call(one.url + RULES, { token: 'AAAA%2F' })).status).toBe(200);
  });

  it('are held to their rate, until the window is over', async () => {
    const clock = fakeClock();
    await using sandbox = await startSandbox({ clock });
    for (let turn = 0; turn < 50; turn++) await call(sandbox.url + STREAM);
    const { status, headers, json } = await call(sandbox.url + STREAM);
    expect([status, json()]).toEqual([
      429,
      { title: 'Too Many Requests', detail: 'Too Many Requests', type: 'about:blank', status: 429 },
    ]);
    expect(headers).toMatchObject({
      'x-rate-limit-limit': '50',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(clock.now().getTime() / 1_000 + 900),
    });
    expect((await call(sandbox.url + RULES)).status).toBe(200);
    await clock.pass(900_000);
    expect((await call(sandbox.url + STREAM)).status).toBe(409);
    expect(sandbox.calls.filter((one) => one.status === 429)).toHaveLength(1);
  });

  it('hear 404 of what there is not', async () => {
    await using sandbox = await startSandbox();
    expect((await call(`${sandbox.url}/2/users/me`)).status).toBe(404);
    expect((await call(`${sandbox.url}/elsewhere`)).status).toBe(404);
  });
});

describe('the stream of X', () => {
  it('needs a rule', async () => {
    await using sandbox = await startSandbox();
    const { status, json } = await call(sandbox.url + STREAM);
    expect([status, json()]).toMatchObject([409, { connection_issue: 'RuleConfigurationIssue' }]);
  });

  it('brings each post once, with all its rules, in lines; and new rules without a new connection', async () => {
    await using sandbox = await lavaSandbox();
    const stream = await sandbox.x();
    expect(stream.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    const second = sandbox.addForeignRule('x', 'magma');
    sandbox.post('x', { data: { id: '1', text: 'lava\n& magma' } });
    sandbox.post('x', { data: { id: '2', text: 'tea' } });
    sandbox.post('x', { data: { id: '3', text: 'magma' } });
    await stream.has('"3"');
    expect(stream.text()).toBe(
      `{"data":{"edit_history_tweet_ids":["1"],"id":"1","text":"lava\\n& magma"},"matching_rules":[{"id":"${sandbox.rule.x.id}","tag":"volcano"},{"id":"${second.id}"}]}\r\n` +
        `{"data":{"edit_history_tweet_ids":["3"],"id":"3","text":"magma"},"matching_rules":[{"id":"${second.id}"}]}\r\n`,
    );
    expect(sandbox.sent.map(({ id, stream: number, ruleIds }) => [id, number, ruleIds.length])).toEqual([
      ['1', 1, 2],
      ['3', 1, 1],
    ]);
  });

  it('beats every twenty seconds', async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({ clock });
    const stream = await sandbox.x();
    await clock.pass(60_000);
    await until(() => stream.text() === '\r\n\r\n\r\n');
  });

  it('is packed for those who ask', async () => {
    await using sandbox = await lavaSandbox();
    const stream = await sandbox.x('', { headers: { 'accept-encoding': 'gzip' } });
    expect(stream.headers['content-encoding']).toBe('gzip');
    sandbox.posts('one', 'two');
    sandbox.throwFault('X5', { how: 'end' });
    await stream.over();
    expect(gunzipSync(stream.bytes()).toString().split('\r\n')).toHaveLength(3);
  });

  const PAYLOAD = {
    data: {
      id: '9',
      text: 'lava https://t.co/a',
      author_id: '7',
      lang: 'en',
      created_at: '2026-11-15T08:00:00.000Z',
      referenced_tweets: [{ type: 'quoted', id: '5' }],
      attachments: { media_keys: ['3_1'] },
      geo: { place_id: 'p1' },
    },
    includes: {
      users: [
        { id: '7', name: 'Ada', username: 'ada', verified: true, public_metrics: { tweet_count: 3 } },
        { id: '8', name: 'Bob', username: 'bob' },
      ],
      tweets: [{ id: '5', text: 'quoted', author_id: '8', lang: 'de' }],
      media: [{ media_key: '3_1', type: 'photo', url: 'https://pbs.example/1.jpg' }],
      places: [{ id: 'p1', full_name: 'Oslo, Norway', name: 'Oslo' }],
    },
  };

  it.each([
    ['nothing', '', { data: { id: '9', text: 'lava https://t.co/a', edit_history_tweet_ids: ['9'] } }],
    [
      'fields and who wrote it',
      '?tweet.fields=lang,author_id&expansions=author_id&user.fields=verified',
      {
        data: {
          id: '9',
          text: 'lava https://t.co/a',
          edit_history_tweet_ids: ['9'],
          author_id: '7',
          lang: 'en',
        },
        includes: { users: [{ id: '7', name: 'Ada', username: 'ada', verified: true }] },
      },
    ],
    [
      'what it quotes, and who wrote that',
      '?tweet.fields=lang&expansions=referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,geo.place_id',
      {
        data: { id: '9', text: 'lava https://t.co/a', edit_history_tweet_ids: ['9'], lang: 'en' },
        includes: {
          users: [{ id: '8', name: 'Bob', username: 'bob' }],
          tweets: [{ id: '5', text: 'quoted', lang: 'de' }],
          media: [{ media_key: '3_1', type: 'photo' }],
          places: [{ id: 'p1', full_name: 'Oslo, Norway' }],
        },
      },
    ],
    [
      'posts by their newer name',
      '?post.fields=referenced_posts&expansions=author_id,referenced_posts.id&user.fields=public_metrics',
      {
        data: {
          id: '9',
          text: 'lava https://t.co/a',
          edit_history_post_ids: ['9'],
          referenced_posts: [{ type: 'quoted', id: '5' }],
        },
        includes: {
          users: [{ id: '7', name: 'Ada', username: 'ada', public_metrics: { post_count: 3 } }],
          posts: [{ id: '5', text: 'quoted' }],
        },
      },
    ],
  ])('delivers what was asked for: %s', async (_, query, expected) => {
    await using sandbox = await lavaSandbox();
    const stream = await sandbox.x(query);
    sandbox.post('x', PAYLOAD);
    await until(() => stream.records().length === 1);
    const { matching_rules, ...message } = stream.records()[0]!;
    expect(matching_rules).toHaveLength(1);
    expect(message).toEqual(expected);
  });

  it.each([
    ['?tweet.fields=colour', 'tweet.fields'],
    ['?expansions=x', 'expansions'],
    ['?backfill_minutes=6', 'backfill_minutes'],
    ['?start_time=yesterday', 'start_time'],
    ['?start_time=2026-11-13T08:30:00Z', 'start_time'],
    ['?start_time=2026-11-15T08:00:00Z&end_time=2026-11-15T07:00:00Z', 'end_time'],
  ])('refuses %s', async (query, parameter) => {
    await using sandbox = await lavaSandbox({ clock: fakeClock(), xLevel: 'enterprise' });
    const { status, json } = await sandbox.call(STREAM + query);
    expect([status, json()]).toMatchObject([
      400,
      { errors: [{ parameters: { [parameter]: expect.anything() as object } }] },
    ]);
  });

  it('reaches back where the level allows it', async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({ clock, xLevel: 'enterprise' });
    const ids = sandbox.posts('zero');
    await clock.pass(150_000);
    ids.push(...sandbox.posts('one'));
    await clock.pass(100_000);
    const stream = await sandbox.x('?backfill_minutes=2');
    ids.push(...sandbox.posts('two'));
    await stream.has('two');
    expect(stream.records().map(({ data }) => data!.id)).toEqual(ids.slice(1));
    const job = await sandbox.x('?start_time=2026-11-15T08:29:00Z&end_time=2026-11-15T08:31:00Z');
    expect(await job.over()).toBe('ended');
    expect(job.records().map(({ data }) => data!.id)).toEqual(ids.slice(0, 1));
    await using payg = await lavaSandbox();
    expect((await payg.x('?backfill_minutes=2')).status).toBe(403);
    expect((await payg.x('?backfill_minutes=0')).status).toBe(200);
  });

  it('has one connection, or two; the newcomer is refused, and the list of them closes one', async () => {
    await using sandbox = await lavaSandbox();
    const stream = await sandbox.x();
    const { status, json } = await sandbox.call(STREAM);
    expect([status, json()]).toEqual([
      429,
      {
        title: 'ConnectionException',
        detail: 'This stream is currently at the maximum allowed connection limit.',
        connection_issue: 'TooManyConnections',
        type: 'https://api.x.com/2/problems/streaming-connection',
      },
    ]);
    const connections = async (query = '') =>
      (await sandbox.call(`/2/connections${query}`)).json<{ data?: { id: string; disconnect_reason?: string }[] }>()
        .data;
    const [one] = (await connections())!;
    expect(one).toMatchObject({ endpoint_name: 'filtered_stream', client_ip: '127.0.0.1' });
    const closed = await sandbox.call('/2/connections', { method: 'DELETE', body: { uuids: [one!.id, 'none'] } });
    expect(closed.json()).toEqual({
      data: {
        successful_kills: 1,
        failed_kills: 1,
        results: [
          { uuid: one!.id, success: true },
          { uuid: 'none', success: false, error_message: 'Connection not found' },
        ],
      },
    });
    expect(await stream.over()).toBe('ended');
    expect(await connections()).toBeUndefined();
    expect(await connections('?status=inactive')).toMatchObject([
      { id: one!.id, disconnect_reason: 'ForceDisconnect' },
    ]);
    expect((await connections('?status=all'))!.length).toBe(1);
    await using enterprise = await lavaSandbox({ xLevel: 'enterprise' });
    const both = [await enterprise.x(), await enterprise.x(), await enterprise.x()];
    expect(both.map((opened) => opened.status)).toEqual([200, 200, 429]);
    enterprise.posts('for both');
    await Promise.all(both.slice(0, 2).map((opened) => opened.has('for both')));
    await enterprise.call('/2/connections/filtered_stream', { method: 'DELETE' });
    expect(enterprise.connections('x')).toBe(0);
  });

  it('frees the slot when the reader goes', async () => {
    await using sandbox = await lavaSandbox();
    (await sandbox.x()).close();
    await until(() => sandbox.connections('x') === 0);
    expect((await sandbox.x()).status).toBe(200);
  });
});
