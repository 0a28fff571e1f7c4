/** A reader of a feed meets its limits, addresses that are none, and answers that need no body. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };

/** An app with one match, and the path of a feed without its ending. */
async function feedApp(options: Parameters<typeof startApp>[0] = {}): Promise<{ app: App; path: string }> {
  const app = await startApp({ publicUrl: 'https://watch.example', ...options });
  const call = async (name: string, payload: object) =>
    (await app.http.inject({ method: 'POST', url: `/api.${name}`, headers: bearer, payload })).json();
  const rule = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  const { rule_id } = (await call('CreateRule', rule)) as { rule_id: string };
  await push(app, '1');
  const { urls } = (await call('CreateFeed', { name: 'Feed', rule_id })) as { urls: { atom: string } };
  return { app, path: new URL(urls.atom).pathname.replace('.atom', '') };
}

const push = (app: App, id: string) =>
  app.http.inject({
    method: 'POST',
    url: '/events?platform=x',
    headers: { ...bearer, 'content-type': 'application/x-ndjson' },
    payload: JSON.stringify({ data: { id, text: `lava ${id}` } }),
  });

describe('a reader', () => {
  let app: App;
  let path: string;
  beforeAll(async () => {
    ({ app, path } = await feedApp());
  });
  afterAll(() => app[Symbol.asyncDispose]());
  const read = (url: string, headers: Record<string, string> = {}) => app.http.inject({ url, headers });

  it.each([
    ['atom', 'application/atom+xml; charset=utf-8', '<feed '],
    ['rss', 'application/rss+xml; charset=utf-8', '<rss '],
    ['json', 'application/feed+json; charset=utf-8', '"https://jsonfeed.org/version/1.1"'],
  ])('gets %s as its own type, for a minute and for no search engine', async (format, type, text) => {
    const { headers, body } = await read(`${path}.${format}`);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': 'private, max-age=60',
      'x-robots-tag': 'noindex',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
    expect(headers).not.toHaveProperty('link');
    expect(body).toContain(text);
    expect(body).toContain(`https://watch.example${path}.${format}`);
  });

  it.each(['', '.xml', '.atom.', '.', '.atomic', 'x.atom'])(
    'gets nothing at an address that ends in "%s"',
    async (end) => {
      const { statusCode, body } = await read(`${path}${end}`);
      expect([statusCode, body]).toEqual([
        404,
        '{"code":"not_found","message":"There is no feed at this address.","details":{}}',
      ]);
    },
  );

  it('that has the feed gets no body, whatever else it asks for with the tag', async () => {
    const etag = String((await read(`${path}.rss`)).headers['etag']);
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, ` W/${etag} ,"b"`, '*']) {
      const known = await read(`${path}.rss`, { 'if-none-match': tags });
      expect([known.statusCode, known.body, known.headers['etag']]).toEqual([304, '', etag]);
    }
    for (const tags of ['', '"a"', etag.slice(1, -1)])
      expect((await read(`${path}.rss`, { 'if-none-match': tags })).statusCode).toBe(200);
  });

  it('gets an older page by its cursor, and one cursor at most', async () => {
    expect((await read(`${path}.atom?cursor=made-up`)).statusCode).toBe(400);
    expect((await read(`${path}.atom?cursor=a&cursor=b`)).statusCode).toBe(200);
  });
});

it('of a suspended account is refused like its keys, and reads on when it is resumed', async () => {
  const { app, path } = await feedApp();
  await using _ = app;
  const [{ id } = { id: '' }] = await app.store.accounts();
  const read = () => app.http.inject({ url: `${path}.atom` });
  await app.store.suspendAccount(id, { at: app.clock.now(), reason: 'noise' });
  const keyed = await app.http.inject({ url: '/api.ListRules', headers: bearer });
  for (const answer of [await read(), keyed])
    expect([answer.statusCode, answer.json()]).toMatchObject([
      403,
      { code: 'permission_denied', details: { reason: 'account_suspended' } },
    ]);
  await app.store.resumeAccount(id);
  expect((await read()).statusCode).toBe(200);
});

describe('the limits of readers', () => {
  it('are 120 requests a minute of one address, and a wrong secret counts as six', async () => {
    const { app, path } = await feedApp({ rateLimit: 600 });
    await using _ = app;
    const read = async (url: string, remoteAddress: string) =>
      (await app.http.inject({ url, remoteAddress })).statusCode;
    for (let n = 0; n < 19; n++) expect(await read(`/feeds/wrong-${n}.atom`, '203.0.113.1')).toBe(404);
    for (let n = 0; n < 6; n++) expect(await read(`${path}.atom`, '203.0.113.1')).toBe(200);
    const refused = await app.http.inject({ url: `${path}.atom`, remoteAddress: '203.0.113.1' });
    expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toMatchObject([
      429,
      '1',
      { code: 'resource_exhausted', details: { limit_code: 'feed_requests', per_minute: 120 } },
    ]);
    expect(refused.json().message).toContain('Feeds are read 120 times a minute at most.');
    expect(await read(`${path}.atom`, '203.0.113.2')).toBe(200);
  });

  it('are 200 at once for one feed, whoever reads it', async () => {
    const { app, path } = await feedApp({ rateLimit: 600 });
    await using _ = app;
    const read = (n: number) => app.http.inject({ url: `${path}.json`, remoteAddress: `203.0.113.${n % 10}` });
    for (let n = 0; n < 200; n++) expect((await read(n)).statusCode).toBe(200);
    const refused = await read(0);
    expect([refused.statusCode, refused.json().details]).toEqual([
      429,
      { limit_code: 'feed_requests', per_minute: 600 },
    ]);
  });

  it('are none where the server has none', async () => {
    const { app } = await feedApp();
    await using _ = app;
    for (let n = 0; n < 30; n++) expect((await app.http.inject(`/feeds/${n}.atom`)).statusCode).toBe(404);
  });
});

it('a page is made once for all its readers, until the store has changed', async () => {
  let reads = 0;
  const { app, path } = await feedApp({
    store: (real) => ({
      ...real,
      matches(query) {
        reads++;
        return real.matches(query);
      },
    }),
  });
  await using _ = app;
  const read = async (url: string) => (await app.http.inject(url)).body;
  const first = await read(`${path}.atom`);
  const once = reads;
  expect(await read(`${path}.atom`)).toBe(first);
  expect(reads).toBe(once);
  await read(`${path}.rss`);
  expect(reads).toBeGreaterThan(once);
  await push(app, '2');
  expect(await read(`${path}.atom`)).toContain('lava 2');
});

it('names its hub in the headers where there is one', async () => {
  const { app, path } = await feedApp({ websubHub: 'https://hub.example/' });
  await using _ = app;
  const { headers } = await app.http.inject(`${path}.atom`);
  expect(headers['link']).toBe(`<https://hub.example/>; rel="hub", <https://watch.example${path}.atom>; rel="self"`);
});
