/** The files of the console as a browser gets them: types, encodings, and what may be kept. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';

const FILES = {
  'index.html': '<!doctype html>',
  'index.html.br': 'page in brotli',
  'index.html.gz': 'page in gzip',
  'theme.js': 'theme',
  'theme.js.gz': 'theme in gzip',
  'favicon.svg': '<svg/>',
  'assets/main-abc.css': 'style',
  'assets/inter-abc.woff2': 'font',
  'assets/main-abc.js.map': '{}',
};
const folder = mkdtempSync(join(tmpdir(), 'sluice-console-files-'));
let app: App;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  app = await startApp({ consoleDir: folder, publicUrl: 'https://sluice.example' });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const ask = (url: string, headers: Record<string, string> = {}) => app.http.inject({ url, headers });

it.each([
  ['/', 'text/html; charset=utf-8', 'no-cache', '<!doctype html>'],
  ['/theme.js', 'text/javascript; charset=utf-8', 'no-cache', 'theme'],
  ['/favicon.svg', 'image/svg+xml', 'no-cache', '<svg/>'],
  ['/assets/main-abc.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable', 'style'],
  ['/assets/inter-abc.woff2', 'font/woff2', 'public, max-age=31536000, immutable', 'font'],
])('%s is sent as what it is', async (url, type, cache, text) => {
  const { statusCode, headers, body } = await ask(url);
  expect([statusCode, body]).toEqual([200, text]);
  expect(headers).toMatchObject({
    'content-type': type,
    'cache-control': cache,
    etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}-identity"`,
    vary: 'Accept-Encoding',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  });
  expect(headers['content-encoding']).toBeUndefined();
});

it.each([
  ['/', 'gzip, br', 'br', 'page in brotli'],
  ['/', 'gzip;q=1.0, deflate', 'gzip', 'page in gzip'],
  ['/theme.js', ' br , gzip', 'gzip', 'theme in gzip'],
  ['/favicon.svg', 'gzip, br', undefined, '<svg/>'],
  ['/', 'brotli', undefined, '<!doctype html>'],
])('%s goes to a browser that takes %s as %s', async (url, accepted, encoding, body) => {
  const answer = await ask(url, { 'accept-encoding': accepted });
  expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body]);
  expect(answer.headers['etag']).toMatch(new RegExp(`-${encoding ?? 'identity'}"$`));
});

it('a browser that has the file gets no bytes, and one that has it in another encoding does', async () => {
  const etag = String((await ask('/', { 'accept-encoding': 'br' })).headers['etag']);
  const same = await ask('/', { 'accept-encoding': 'br', 'if-none-match': etag });
  expect([same.statusCode, same.body, same.headers['etag'], same.headers['content-encoding']]).toEqual([
    304,
    '',
    etag,
    undefined,
  ]);
  const other = await ask('/', { 'if-none-match': etag });
  expect([other.statusCode, other.body]).toEqual([200, '<!doctype html>']);
});

it('the page that asks for consent is the same, and leaves its opener be', async () => {
  const { statusCode, headers, body } = await ask('/consent');
  expect([statusCode, body, headers['cross-origin-opener-policy']]).toEqual([200, '<!doctype html>', undefined]);
  expect([headers['x-frame-options'], headers['content-security-policy']]).toEqual(['DENY', expect.any(String)]);
});

it('what is no file of a page is not sent', async () => {
  for (const url of ['/index.html', '/index.html.br', '/assets/main-abc.js.map', '/assets'])
    expect((await ask(url)).statusCode).toBe(404);
});

it('a folder without a page is a console that is not built', async () => {
  await using empty = await startApp({ consoleDir: join(folder, 'assets') });
  for (const url of ['/', '/consent']) {
    const { statusCode, headers, body } = await empty.http.inject(url);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(body).toContain('The console is not built.');
  }
  expect((await empty.http.inject('/main-abc.css')).statusCode).toBe(404);
});

it('a server that is reached by http does not ask for https', async () => {
  await using plain = await startApp({ consoleDir: folder, publicUrl: 'http://127.0.0.1:4800' });
  expect((await plain.http.inject('/')).headers).not.toHaveProperty('strict-transport-security');
});

it('a session ends for its browser and on the server, and nothing else ends one', async () => {
  const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };
  const opened = await app.http.inject({ method: 'POST', url: '/api.CreateSession', headers: bearer });
  const cookie = String(opened.headers['set-cookie']).split(';')[0]!;
  const end = (headers: Record<string, string>) => app.http.inject({ method: 'POST', url: '/session/end', headers });
  for (const headers of [bearer, { cookie }, { 'x-sluice-session': '1' }])
    expect((await end(headers)).statusCode).toBe(401);
  const session = { cookie, 'x-sluice-session': '1' };
  expect((await ask('/api.Status', session)).statusCode).toBe(200);
  const ended = await end(session);
  expect([ended.statusCode, ended.json()]).toEqual([200, {}]);
  expect(ended.headers['set-cookie']).toMatch(/^__Host-sluice_session=; .*Max-Age=0$/);
  expect((await ask('/api.Status', session)).statusCode).toBe(401);
});
