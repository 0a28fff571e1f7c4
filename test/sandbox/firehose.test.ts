/** The Firehose side as its reference describes it. */
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { call, lavaSandbox, open } from './reader.ts';

const KEY = { token: 'fhm_key' };
const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

describe('rules of Firehose', () => {
  it('are created, read, changed and deleted', async () => {
    await using sandbox = await startSandbox();
    const rules = `${sandbox.url}/v1/rules`;
    const created = await call(rules, { method: 'POST', body: { value: 'tesla', tag: 'cars', nsfw: true } });
    const rule = { id: '1', value: 'tesla', tag: 'cars', nsfw: true, quality: true };
    expect([created.status, created.json()]).toEqual([201, { data: rule }]);
    expect((await call(rules)).json()).toEqual({ data: [rule], meta: { count: 1 } });
    const changed = await call(`${rules}/1`, { method: 'PUT', body: { quality: false, tag: '' } });
    expect([changed.status, changed.json()]).toEqual([200, { data: { ...rule, quality: false, tag: null } }]);
    expect((await call(`${rules}/1`)).json()).toEqual({ data: { ...rule, quality: false, tag: null } });
    const again = await call(rules, { method: 'POST', body: { value: 'tesla' } });
    expect(again.json()).toMatchObject({ data: { id: '2', value: 'tesla', tag: null } });
    const deleted = await call(`${rules}/1`, { method: 'DELETE' });
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await call(`${rules}/1`)).status).toBe(404);
    expect(sandbox.rules('firehose').map(({ id }) => id)).toEqual(['2']);
  });

  it.each([
    [{}, 'value', 'The value field is required.'],
    [{ value: '' }, 'value', 'The value field is required.'],
    [{ value: 7 }, 'value', 'The value field must be a string.'],
    [{ value: 'tesla', tag: 7 }, 'tag', 'The tag field must be a string.'],
    [{ value: 'tesla', tag: 'x'.repeat(256) }, 'tag', 'The tag field must not be greater than 255 characters.'],
    [{ value: 'tesla', nsfw: 'no' }, 'nsfw', 'The nsfw field must be true or false.'],
    [{ value: 'tesla', quality: 1 }, 'quality', 'The quality field must be true or false.'],
  ])('are refused: %j', async (body, field, message) => {
    await using sandbox = await startSandbox();
    const { status, json } = await call(`${sandbox.url}/v1/rules`, { method: 'POST', body });
    expect([status, json()]).toEqual([422, { message, errors: { [field]: [message] } }]);
  });

  it('have a cap for the whole organization, and bodies of JSON', async () => {
    await using sandbox = await startSandbox({ firehoseRules: 1 });
    const create = (body: unknown, token = 'fh_any') =>
      call(`${sandbox.url}/v1/rules`, { method: 'POST', body, token });
    expect((await create('no')).status).toBe(400);
    expect((await create({ value: 'one' })).status).toBe(201);
    const tap = (await call(`${sandbox.url}/v1/taps`, { method: 'POST', body: { name: 'second' }, ...KEY })).json<{
      token: string;
    }>();
    const { status, json } = await create({ value: 'two' }, tap.token);
    expect([status, json()]).toEqual([422, { message: 'Rule limit reached. The plan allows up to 1 rules.' }]);
  });

  it('are validated under the key query, with or without a token', async () => {
    await using sandbox = await startSandbox();
    const validate = (path: string, body: object, token?: string) =>
      call(sandbox.url + path, { method: 'POST', body, token });
    const good = await validate('/v1/validate', { query: 'c OR (a1 AND b)' }, 'fh_any');
    expect([good.status, good.json()]).toEqual([200, { valid: true, diagnostics: [], compiled: 'c (+a1 +b)' }]);
    const bad = await validate('/v1/validate/public', { query: 'tesla AND' });
    expect([bad.status, bad.json()]).toMatchObject([
      200,
      { valid: false, diagnostics: [{ severity: 'error', code: 'missing-operand', start: 6, end: 9 }], compiled: null },
    ]);
    const wrong = await validate('/v1/validate/public', { value: 'tesla' });
    expect([wrong.status, wrong.json()]).toMatchObject([422, { message: 'The query field is required.' }]);
    expect((await validate('/v1/validate', { query: 'tesla' })).status).toBe(401);
  });
});

describe('taps', () => {
  it('are made and managed with a management key, each with rules and a stream of its own', async () => {
    await using sandbox = await startSandbox({ clock: fakeClock() });
    const taps = `${sandbox.url}/v1/taps`;
    const made = await call(taps, { method: 'POST', body: { name: 'news' }, ...KEY });
    const { data, token } = made.json<{ data: { id: string }; token: string }>();
    expect([made.status, data]).toEqual([
      201,
      { id: data.id, name: 'news', token_prefix: token.slice(0, 6), created_at: '2026-11-15T08:30:00+00:00' },
    ]);
    expect(token).toMatch(/^fh_/);
    await call(`${sandbox.url}/v1/rules`, { method: 'POST', body: { value: 'lava', quality: false }, token });
    const listed = (await call(taps, KEY)).json<{ data: { id: string; token: string; rules_count: number }[] }>();
    expect(listed.data.map((one) => [one.token, one.rules_count])).toEqual([
      ['fh_sandbox', 0],
      [token, 1],
    ]);
    expect(sandbox.rules('firehose')).toEqual([]);

    const stream = await open(`${sandbox.url}/v1/stream`, { token });
    const put = (body: object) => call(`${taps}/${data.id}`, { method: 'PUT', body, ...KEY });
    expect((await put({ status: 'paused' })).json()).toMatchObject({ data: { name: 'news', status: 'paused' } });
    sandbox.post('firehose', { url: 'https://a.example/', added: 'lava unseen' });
    await put({ status: 'active', name: 'more' });
    sandbox.post('firehose', { url: 'https://a.example/', added: 'lava seen' });
    await stream.has('seen');
    expect(stream.text()).not.toContain('unseen');
    expect((await put({ status: 'asleep' })).status).toBe(422);

    expect((await call(`${taps}/${data.id}`, { method: 'DELETE', ...KEY })).status).toBe(204);
    expect((await call(`${taps}/${data.id}`, KEY)).status).toBe(404);
    expect(await stream.over()).toBe('cut');
  });

  it('keep the two kinds of key apart', async () => {
    await using sandbox = await startSandbox({ firehoseToken: 'fh_one' });
    const status = async (path: string, token?: string) => (await call(sandbox.url + path, { token })).status;
    expect(await status('/v1/rules')).toBe(401);
    expect(await status('/v1/rules', 'fh_other')).toBe(401);
    expect(await status('/v1/rules', 'fhm_key')).toBe(401);
    expect(await status('/v1/taps', 'fh_one')).toBe(401);
    expect(await status('/v1/rules', 'fh_one')).toBe(200);
    expect(await status('/v1/taps', 'fhm_key')).toBe(200);
  });

  it('are held to their rates', async () => {
    const clock = fakeClock();
    await using sandbox = await startSandbox({ clock });
    for (let turn = 0; turn < 60; turn++) await call(`${sandbox.url}/v1/rules`);
    const { status, headers, json } = await call(`${sandbox.url}/v1/rules`);
    expect([status, headers['retry-after'], json()]).toEqual([429, '60', { message: 'Too Many Attempts.' }]);
    for (let turn = 0; turn < 30; turn++) await call(`${sandbox.url}/v1/stream`);
    expect((await call(`${sandbox.url}/v1/stream`)).status).toBe(429);
    await clock.pass(60_000);
    expect((await call(`${sandbox.url}/v1/rules`)).status).toBe(200);
  });
});

describe('the stream of Firehose', () => {
  it('says that there are no rules', async () => {
    await using sandbox = await startSandbox();
    const { status, headers, body } = await call(`${sandbox.url}/v1/stream`);
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(body).toBe(
      'event: connected\ndata: {}\n\nevent: error\ndata: {"message":"No rules configured. Create rules first via POST /v1/rules."}\n\n',
    );
  });

  it('brings one update a page, with what is delivered of it', async () => {
    await using sandbox = await lavaSandbox({ clock: fakeClock() });
    const second = sandbox.addForeignRule('firehose', 'title:news');
    const stream = await sandbox.firehose();
    sandbox.post('firehose', {
      id: 'p1',
      url: 'https://news.example/lava',
      title: 'News',
      added: ['hot lava'],
      removed: 'cold',
      added_anchor: ['read'],
      publish_time: '2026-11-15T08:00:00',
      page_type: ['/Article'],
      page_category: [],
      language: 'en',
      dr: 70,
    });
    await stream.has('hot lava');
    const [, tap] = /"tap_id":"([^"]+)"/.exec(stream.text())!;
    expect(stream.text()).toBe(
      `event: connected\ndata: {}\n\nid: 0-43368\nevent: update\ndata: {"query_ids":["${sandbox.rule.firehose.id}","${second.id}"],"matched_at":"2026-11-15T08:30:00.000Z","tap_id":"${tap}","document":{"url":"https://news.example/lava","title":"News","publish_time":"2026-11-15T08:00:00","diff":{"chunks":[{"typ":"del","text":"cold"},{"typ":"ins","text":"hot lava"}]},"page_types":["/Article"],"language":"en","domain_rating":70}}\n\n`,
    );
  });

  it('ends at its timeout, or at its limit', async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({ clock });
    const short = await sandbox.firehose('?timeout=10');
    const few = await sandbox.firehose('?limit=2');
    sandbox.pages('one', 'two', 'three');
    expect(await few.over()).toBe('ended');
    expect(few.text()).toContain('two');
    expect(few.text()).toMatch(/\n\nevent: end\ndata: \{\}\n\n$/);
    expect(few.text()).not.toContain('three');
    await short.has('three');
    await clock.pass(10_000);
    expect(await short.over()).toBe('ended');
  });

  it('begins where it was asked to: after an id, at an offset, so long ago, or now', async () => {
    const clock = fakeClock();
    await using sandbox = await lavaSandbox({ clock });
    const cursors = sandbox.pages('one', 'two');
    await clock.pass(600_000);
    cursors.push(...sandbox.pages('three', 'four'));
    const seen = async (query: string, lastId?: string) => {
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
      const stream = await sandbox.firehose(query, { headers });
      await clock.pass(1_000);
      await stream.over();
      return ids(stream.text());
    };
    expect(await seen('?timeout=1', cursors[0])).toEqual(cursors.slice(1));
    expect(await seen('?timeout=1&offset=43369&since=24h', cursors[2])).toEqual(cursors.slice(3));
    expect(await seen('?timeout=1&offset=43369&since=1s')).toEqual(cursors.slice(1));
    expect(await seen('?timeout=1&since=5m')).toEqual(cursors.slice(2));
    expect(await seen('?timeout=1&since=24h')).toEqual(cursors);
    expect(await seen('?timeout=1')).toEqual([]);
    expect(await seen('?timeout=1', '0-1')).toEqual(cursors);
    expect(await seen('?timeout=1', '0-99999')).toEqual([]);
    await clock.pass(24 * 3_600_000 - 300_000);
    expect(await seen('?timeout=1', cursors[0])).toEqual(cursors.slice(2));
  });

  it.each(['timeout=0', 'timeout=301', 'limit=0', 'limit=10001', 'offset=x', 'since=25h', 'since=0m', 'since=5d'])(
    'refuses %s',
    async (query) => {
      await using sandbox = await lavaSandbox();
      const { status, json } = await sandbox.call(`/v1/stream?${query}`);
      expect([status, json()]).toMatchObject([422, { errors: { [query.split('=')[0]!]: [expect.any(String)] } }]);
    },
  );

  it('gives every reader everything', async () => {
    await using sandbox = await lavaSandbox();
    const readers = await Promise.all([1, 2, 3].map(() => sandbox.firehose()));
    sandbox.pages('for all');
    await Promise.all(readers.map((reader) => reader.has('for all')));
    expect(sandbox.connections('firehose')).toBe(3);
  });

  it('speaks the older generation as well: one update a rule, and lists where objects are now', async () => {
    await using sandbox = await lavaSandbox({ firehosePayload: 'query_id' });
    const second = sandbox.addForeignRule('firehose', 'lava OR tea');
    const stream = await sandbox.firehose();
    sandbox.pages('one');
    await until(() => ids(stream.text()).length === 2);
    expect(stream.text()).toContain('event: connected\ndata: []\n\n');
    const named = [...stream.text().matchAll(/"query_id":"(\d+)"/g)].map(([, id]) => id);
    expect(named).toEqual([sandbox.rule.firehose.id, second.id]);
  });
});
