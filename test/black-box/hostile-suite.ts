/** Rubbish of all kinds: never a 5xx, always the error shape. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from './raw-http.ts';
import { failureIn, KEY, type Started, type StartServer } from './server.ts';

export function hostileSuite(start: StartServer): void {
  describe('hostile requests', () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const raw = (path: string, body: Uint8Array | string) => server.call('POST', path, undefined, { raw: body });

    describe('hostile JSON', () => {
      const bomb = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
      it.each([
        ['deep arrays', bomb(100_000)],
        ['deep objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
        ['many keys', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
        ['a prototype', '{"__proto__":{"polluted":true}}'],
        ['a prototype in disguise', '{"\\u005f\\u005fproto\\u005f\\u005f":{}}'],
        ['a constructor', '{"constructor":{"prototype":{"polluted":true}}}'],
        ['half a surrogate pair', '{"name":"\\ud800","intent":"","platforms":["x"],"overrides":{"x":"lava"}}'],
        ['a number without end', '{"limit":1e999}'],
        ['a NUL byte', '{"limit":\u0000}'],
      ])('refuses %s', async (_, body) => {
        for (const path of ['/api.CreateRule', '/matches', '/api.ValidateRule'])
          expect(failureIn(await raw(path, body))).toBe('400 invalid_argument');
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      });

      it('refuses bytes that are not UTF-8', async () => {
        expect(failureIn(await raw('/matches', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).toBe(
          '400 invalid_argument',
        );
      });
    });

    describe('broken HTTP', () => {
      it.each([
        ['no HTTP at all', 'hello\r\n\r\n'],
        [
          'both lengths',
          `POST /matches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
        ],
        ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
        ['an unmet expectation', 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a-pony\r\n\r\n'],
        ['huge headers', `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(10_000)}\r\n\r\n`],
        ['a method nobody knows', 'FROB /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
        [
          'a body that ends early',
          `POST /matches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}`,
        ],
      ])('is refused: %s', async (_, request) => {
        const answers = await exchange(server.url, Buffer.from(request));
        for (const { status, body } of answers) {
          expect([status >= 400 && status < 500, Object.keys(JSON.parse(body) as object)]).toEqual([
            true,
            ['code', 'message', 'details'],
          ]);
        }
        expect(answers.length).toBeLessThanOrEqual(1);
      });
    });

    describe('a client that does not listen', () => {
      it('is answered as long as its connection is good for, then cut off, and never with a 5xx', async () => {
        const answers = await exchange(
          server.url,
          Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_200)),
        );
        expect(answers.length).toBe(1_000);
        expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      });
    });

    describe('after all that', () => {
      it('is ready', async () => {
        expect((await server.call('GET', '/readyz')).status).toBe(200);
      });
    });
  });
}
