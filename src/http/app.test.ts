/** The server around the routes: heads that are refused, proxies, figures, spans, the log, and its end. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../test/black-box/raw-http.ts';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';
import { recordingTracer } from '../../test/stages/recording-tracer.ts';
import { StoreError } from '../store/error.ts';

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };

describe('the head of a request', () => {
  let app: App;
  let url: string;
  beforeAll(async () => {
    app = await startApp();
    url = await app.http.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => app[Symbol.asyncDispose]());

  it.each([
    ['without a Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'The Host header is missing.'],
    ['with two', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400, 'There is more than one Host header.'],
    [
      'with two keys',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n',
      400,
      'There is more than one Authorization header.',
    ],
    [
      'with a key and a header of the same length',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nLast-Modified: a\r\nConnection: close\r\n\r\n',
      200,
      undefined,
    ],
    ['of HTTP/1.0 without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200, undefined],
    ['with a Host of capitals', 'GET /healthz HTTP/1.1\r\nHOST: a\r\nConnection: close\r\n\r\n', 200, undefined],
    [
      'with a header of the same length',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nDate: now\r\nConnection: close\r\n\r\n',
      200,
      undefined,
    ],
    [
      'with a compressed body',
      'POST /matches HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      415,
      'A compressed body is not accepted.',
    ],
    [
      'with a path that is none',
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'The path is not a valid URL.',
    ],
  ])('%s is judged before anything else', async (_, bytes, status, message) => {
    const [answer] = await exchange(url, Buffer.from(bytes));
    expect(answer!.status).toBe(status);
    expect(message === undefined ? {} : JSON.parse(answer!.body)).toMatchObject(
      message === undefined ? {} : { code: 'invalid_argument', message },
    );
  });

  it('is read within limits, also of the connections that bring it', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections } = app.http.server;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      maxHeadersCount: 64,
      maxConnections: 12_000,
    });
  });

  it('that the framework refuses is answered with the headers of every answer', async () => {
    const { headers } = await app.http.inject('/%zz');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  it('of a refused body leaves the connection open', async () => {
    const long = Buffer.alloc(300 * 1024, 'x');
    const head = `POST /matches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${long.length}\r\n\r\n`;
    const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answers = await exchange(url, Buffer.concat([Buffer.from(head), long, Buffer.from(next)]));
    expect(answers.map(({ status }) => status)).toEqual([413, 200]);
  });
});

describe('a server behind a proxy', () => {
  const forwarded = {
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'public.example',
  };
  const server = async (app: App) =>
    (await app.http.inject({ url: '/openapi.json', headers: forwarded })).json().servers[0].url as string;

  it('takes the caller’s address from a proxy that it trusts', async () => {
    await using app = await startApp({ trustProxy: ['127.0.0.1'], rateLimit: 600 });
    expect(await server(app)).toBe('https://public.example');
    const wrong = (ip: string) =>
      app.http.inject({ url: '/api.Status', headers: { authorization: 'Bearer wrong', 'x-forwarded-for': ip } });
    for (let n = 0; n < 100; n++) await wrong('203.0.113.7');
    expect([(await wrong('203.0.113.7')).statusCode, (await wrong('203.0.113.8')).statusCode]).toEqual([429, 401]);
    for (let n = 0; n < 100; n++) await wrong(`2001:db8::${n}`);
    expect([(await wrong('2001:db8::ffff')).statusCode, (await wrong('2001:db8:0:1::1')).statusCode]).toEqual([
      429, 401,
    ]);
  });

  it('takes no scheme from it but those of the web', async () => {
    await using app = await startApp({ trustProxy: ['127.0.0.1'] });
    const headers = { ...forwarded, 'x-forwarded-proto': 'no scheme' };
    const answer = await app.http.inject({ url: '/asyncapi.json', headers });
    expect(answer.json().servers).toEqual({ here: { host: 'public.example', protocol: 'http' } });
  });

  it('takes nothing from one that it does not trust', async () => {
    await using app = await startApp();
    expect(await server(app)).not.toContain('public.example');
  });
});

describe('a request', () => {
  it('is counted by its route, its method and its status', async () => {
    const counted: unknown[][] = [];
    await using app = await startApp({ requested: (...one) => void counted.push(one) });
    await app.http.inject('/healthz');
    await app.http.inject({ url: '/api.GetRule?rule_id=a', headers: bearer });
    await app.http.inject({ method: 'POST', url: '/nowhere' });
    expect(counted.map((one) => one.slice(0, 3))).toEqual([
      ['/healthz', 'GET', 200],
      ['/api.GetRule', 'GET', 404],
      ['none', 'POST', 404],
    ]);
    expect(counted.every(([, , , seconds]) => typeof seconds === 'number' && seconds >= 0 && seconds < 60)).toBe(true);
  });

  it('has a span where traces are on, and what it does belongs to it', async () => {
    const tracer = recordingTracer();
    await using app = await startApp({ tracer });
    await app.http.inject({ url: '/api.Status', headers: bearer });
    expect(tracer.spans).toMatchObject([{ name: 'GET /api.Status', ends: 1 }]);
  });

  it.each([
    ['a defect', new Error('a secret'), 500, ['error']],
    ['a store that is away', new StoreError('away', 'a secret'), 503, ['warn']],
  ])('that fails by %s is logged under its id', async (_, broken, status, levels) => {
    await using app = await startApp({ store: (real) => ({ ...real, rule: () => Promise.reject(broken) }) });
    const answer = await app.http.inject({ url: '/api.GetRule?rule_id=rule_1', headers: bearer });
    expect([answer.statusCode, app.levels]).toEqual([status, levels]);
    expect(app.logged[0]).toContain(String(answer.headers['x-request-id']));
    expect(app.logged[0]).toContain('"route":"/api.GetRule"');
    expect(answer.body).not.toContain('secret');
  });

  it('that is refused is not logged', async () => {
    await using app = await startApp();
    await app.http.inject('/nowhere');
    expect(app.logged).toEqual([]);
  });
});

describe('a server that stops', () => {
  it('answers the request that is under way, and ends the connection with it', async () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const app = await startApp({
      store: (real) => ({
        ...real,
        async rule(...given) {
          asked.resolve();
          await gate.promise;
          return real.rule(...given);
        },
      }),
    });
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    const client = connect((app.http.server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    client.on('data', (chunk) => {
      received += chunk.toString();
    });
    client.write(`GET /api.GetRule?rule_id=a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\n\r\n`);
    await asked.promise;
    const ended = once(client, 'end');
    const stopped = app[Symbol.asyncDispose]();
    gate.resolve();
    await ended;
    client.end();
    await stopped;
    expect(received).toMatch(/^HTTP\/1\.1 404 /);
  });
});
