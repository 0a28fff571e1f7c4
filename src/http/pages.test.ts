/** The pages beside the operations, on servers that know their public address and on those that do not. */
import { describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };

describe('a server that knows its address', () => {
  const start = (publicUrl: string) => startApp({ publicUrl });

  it('names it in both documents, with the path that it is under', async () => {
    await using app = await start('https://sluice.example/base');
    const [openapi, asyncapi] = await Promise.all(
      ['/openapi.json', '/asyncapi.json'].map((url) => app.http.inject(url)),
    );
    expect(openapi!.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://sluice.example/base' }] });
    expect(asyncapi!.json()).toMatchObject({
      asyncapi: '3.1.0',
      servers: { here: { host: 'sluice.example', protocol: 'https', pathname: '/base' } },
    });
    expect((await app.http.inject('/llms.txt')).body).toContain('Base address: https://sluice.example/base\n');
  });

  it.each(['/mcp/server-card', '/.well-known/mcp/server-card.json'])(
    'has a card of its tool server at %s',
    async (url) => {
      await using app = await start('https://sluice.example//');
      const { headers, body } = await app.http.inject(url);
      expect(JSON.parse(body)).toEqual({
        $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
        name: 'example.sluice/sluice',
        version: '0.0.0',
        title: 'Sluice',
        description: expect.any(String),
        websiteUrl: 'https://sluice.example',
        remotes: [{ type: 'streamable-http', url: 'https://sluice.example/mcp' }],
      });
      expect(headers).toMatchObject({
        'content-type': 'application/mcp-server-card+json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300',
      });
    },
  );
});

describe('a server that does not', () => {
  const withApp = async (run: (app: App) => Promise<void>) => {
    await using app = await startApp();
    await run(app);
  };

  it('has no card, and names itself as it was reached', () =>
    withApp(async ({ http }) => {
      expect((await http.inject('/mcp/server-card')).statusCode).toBe(404);
      const { servers } = (await http.inject({ url: '/asyncapi.json', headers: { host: 'here:81' } })).json();
      expect(servers).toEqual({ here: { host: 'here:81', protocol: 'http' } });
      for (const host of ['here:99999', '1.2.3.256', '[1]'])
        expect((await http.inject({ url: '/asyncapi.json', headers: { host } })).json().servers).toEqual({
          here: { host: '127.0.0.1:4800', protocol: 'http' },
        });
      const text = await http.inject({ url: '/llms.txt', headers: { host: 'here:81' } });
      expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text.body).toContain('http://here:81/openapi.json');
      expect(text.body).not.toContain('<BASE>');
    }));

  it('has each schema at an address of its own', () =>
    withApp(async ({ http }) => {
      const { headers, body } = await http.inject({ url: '/schemas/Digest.json', headers: { host: 'here' } });
      expect(headers['content-type']).toBe('application/schema+json; charset=utf-8');
      const schema = JSON.parse(body) as Record<string, unknown>;
      expect(Object.keys(schema)).toEqual(['$schema', '$id', 'title', '$ref', '$defs']);
      expect(schema['$id']).toBe('http://here/schemas/Digest.json');
      for (const name of ['Digest', 'Digest.xml', 'None.json', 'a.Digest.json', 'constructor.json']) {
        const none = await http.inject(`/schemas/${name}`);
        expect([none.statusCode, none.json().message]).toEqual([
          404,
          'There is no such schema. /asyncapi.json names them.',
        ]);
      }
    }));

  it('has the reference as a page with a style, kept until it changes', () =>
    withApp(async ({ http }) => {
      const moved = await http.inject('/docs');
      expect([moved.statusCode, moved.headers['location']]).toEqual([301, '/docs/']);
      for (const [url, type, begin] of [
        ['/docs/', 'text/html; charset=utf-8', '<!doctype html>'],
        ['/docs/style.css', 'text/css; charset=utf-8', ':root'],
      ] as const) {
        const page = await http.inject(url);
        expect(page.headers).toMatchObject({
          'content-type': type,
          'cache-control': 'no-cache',
          etag: expect.stringMatching(/^"[\w-]{22}"$/),
        });
        expect(page.body).toContain(begin);
        const known = await http.inject({ url, headers: { 'if-none-match': String(page.headers['etag']) } });
        expect([known.statusCode, known.body]).toEqual([304, '']);
        expect((await http.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
      }
      expect((await http.inject('/docs/')).headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      );
    }));
});

it('lets others have turns while the reference is made', async () => {
  await using app = await startApp({});
  // The document behind it is made first.
  await app.http.inject('/openapi.json');
  let turns = 0;
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const { body } = await app.http.inject('/docs/');
  clearImmediate(counting);
  const articles = body.split('<article ').length - 1;
  expect(turns).toBeGreaterThan(articles / 10);
});

it('a process without the API answers for its health, and its figures to the operator', async () => {
  await using app = await startApp({ hasApi: false });
  const statuses = async (...urls: string[]) =>
    Promise.all(urls.map(async (url) => (await app.http.inject({ url, headers: bearer })).statusCode));
  expect(await statuses('/healthz', '/readyz', '/metrics')).toEqual([200, 200, 200]);
  expect(await statuses('/api.Status', '/openapi.json', '/docs/', '/', '/export', '/mcp')).toEqual([
    404, 404, 404, 404, 404, 404,
  ]);
});
