/** The parts that every answer has in common, whatever the request is like. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from './black-box/raw-http.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

let app: App;
let url: string;
beforeAll(async () => {
  app = await startApp();
  url = await app.http.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app[Symbol.asyncDispose]());

const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };

describe('a request', () => {
  it.each([
    ['with two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHOST: b\r\n\r\n', 400],
    ['with one Host header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
    [
      'with a chunk that is none',
      `POST /matches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n`,
      400,
    ],
  ])('%s is answered', async (_, bytes, status) => {
    const answers = await exchange(url, Buffer.from(bytes));
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    const bodies = answers.filter((answer) => answer.status === 400).map(({ body }) => JSON.parse(body) as object);
    expect(bodies).toMatchObject(bodies.map(() => ({ code: 'invalid_argument' })));
  });

  it.each([
    ['GET /healthz', 200],
    ['GET /nowhere', 404],
    ['PUT /matches', 405],
    ['GET /api.Status', 401],
    ['GET /%ff', 400],
  ])('that is the thousandth of its connection ends it and no more: %s', async (line, status) => {
    const head = (words: string) => `${words} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const answers = await exchange(url, Buffer.from(head('GET /healthz').repeat(999) + head(line)));
    expect(answers).toHaveLength(1_000);
    expect(answers.at(-1)).toMatchObject({ status, isLast: true });
    expect(answers.at(-2)).toMatchObject({ status: 200, isLast: false });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('waits where sixteen of its connection are under way', async () => {
    const streams = () => app.context.live.figures.subscribers;
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /matches/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\n\r\n`.repeat(20));
    await expect.poll(streams).toBeGreaterThanOrEqual(16);
    await exchange(url, Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
    expect(streams()).toBe(16);
    socket.destroy();
    await expect.poll(streams).toBe(0);
  });

  it('of the method HEAD is refused at /mcp, as any other method that it does not answer', async () => {
    const headers = { ...bearer, host: '127.0.0.1' };
    const answer = await app.http.inject({ method: 'HEAD', url: '/mcp', headers });
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST, GET, DELETE']);
  });
});

describe('the page at /docs', () => {
  it.each(['/docs', '/docs/', '/docs/style.css'])('has the headers of every answer at %s', async (path) => {
    const answer = await app.http.inject({ url: path, headers: { host: 'a b' } });
    expect(answer.statusCode).toBeLessThan(400);
    expect(answer.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('runs no script but that of the console, and asks nobody for anything', async () => {
    const { headers, body } = await app.http.inject('/docs/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|nonce|connect-src|https?:|\*/);
    expect(body.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="../theme.js">']);
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('is sent again only when it has changed', async () => {
    const { headers } = await app.http.inject('/docs/');
    const again = await app.http.inject({ url: '/docs/', headers: { 'if-none-match': String(headers['etag']) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});
