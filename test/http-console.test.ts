/** The console's files and its door, over HTTP: what is cached, what is allowed, and who gets in. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operatorTicket } from '../src/service/access/tickets.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

function builtConsole(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'index.html.br'), 'brotli');
  writeFileSync(join(folder, 'assets/main-abc.js'), 'script');
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), 'gzip');
  writeFileSync(join(folder, 'notes.txt'), 'not ours to show');
  return folder;
}

async function withConsole(run: (app: App) => Promise<void>): Promise<void> {
  const consoleDir = builtConsole();
  try {
    await using app = await startApp({ consoleDir });
    await run(app);
  } finally {
    rmSync(consoleDir, { recursive: true });
  }
}

describe('the files of the console', () => {
  it('are handed out without a key, under a strict policy', () =>
    withConsole(async ({ http }) => {
      const { statusCode, headers, body } = await http.inject('/');
      expect([statusCode, body, headers['content-type']]).toEqual([200, '<!doctype html>', 'text/html; charset=utf-8']);
      const policy = headers['content-security-policy'] as string;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    }));

  it('are kept for ever where the name has a hash, and asked for again where not', () =>
    withConsole(async ({ http }) => {
      const page = await http.inject('/');
      expect(page.headers['cache-control']).toBe('no-cache');
      const again = await http.inject({ url: '/', headers: { 'if-none-match': page.headers.etag as string } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
      const script = await http.inject('/assets/main-abc.js');
      expect(script.headers['cache-control']).toContain('immutable');
    }));

  it('go out as they were compressed, to those who take that', () =>
    withConsole(async ({ http }) => {
      const ask = (url: string, accept: string) => http.inject({ url, headers: { 'accept-encoding': accept } });
      expect((await ask('/', 'gzip, br')).body).toBe('brotli');
      expect((await ask('/', 'gzip')).body).toBe('<!doctype html>');
      const script = await ask('/assets/main-abc.js', 'gzip;q=0.5, br');
      expect([script.body, script.headers['content-encoding'], script.headers['vary']]).toEqual([
        'gzip',
        'gzip',
        'Accept-Encoding',
      ]);
    }));

  it('are all there is: nothing else in the folder, and nothing outside it', () =>
    withConsole(async ({ http }) => {
      for (const url of ['/notes.txt', '/assets/', '/assets/../package.json', '/%2e%2e/package.json', '/index.html.br'])
        expect((await http.inject(url)).statusCode).toBe(404);
      expect((await http.inject({ method: 'POST', url: '/' })).statusCode).toBe(405);
    }));

  it('say so when they were not built', async () => {
    await using app = await startApp();
    const { statusCode, body } = await app.http.inject('/');
    expect([statusCode, body]).toEqual([404, expect.stringContaining('not built')]);
  });
});

describe('the door of the console', () => {
  const open = (app: App, secret: string) =>
    app.http.inject({
      method: 'POST',
      url: '/api.CreateSession',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      payload: '{}',
    });
  const cookieOf = (answer: Awaited<ReturnType<typeof open>>) => String(answer.headers['set-cookie']).split(';')[0]!;
  const status = (app: App, cookie: string) =>
    app.http.inject({ url: '/api.Status', headers: { cookie, 'x-sluice-session': '1' } });

  it('opens once for the ticket of a link, and for nothing else than a session', async () => {
    await using app = await startApp();
    const ticket = (await operatorTicket(app.context))!.ticket;
    const direct = await app.http.inject({ url: '/api.Status', headers: { authorization: `Bearer ${ticket}` } });
    expect(direct.statusCode).toBe(401);
    const entered = await open(app, ticket);
    expect(entered.statusCode).toBe(200);
    expect(entered.headers['set-cookie']).toContain('HttpOnly; SameSite=Strict');
    expect((await status(app, cookieOf(entered))).json()).toMatchObject({ key: { scope: 'full' } });
    expect((await open(app, ticket)).statusCode).toBe(401);
  });

  it('stays shut for a ticket that is too old, or of a revoked key', async () => {
    await using app = await startApp();
    const old = (await operatorTicket(app.context))!.ticket;
    app.clock.forward(15 * 60_000);
    expect((await open(app, old)).statusCode).toBe(401);
    const ticket = (await operatorTicket(app.context))!.ticket;
    const account = (await app.store.account('default'))!;
    for (const key of await app.store.keys(account.id)) await app.store.revokeKey(account.id, key.id);
    expect((await open(app, ticket)).statusCode).toBe(401);
    expect(await operatorTicket(app.context)).toBeUndefined();
  });

  it('opens for the ticket of a key once, within a minute, with the rights of the key', async () => {
    await using app = await startApp();
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' });
    const ask = (headers: Record<string, string>, name = 'CreateEntryTicket', payload: object = {}) =>
      app.http.inject({ method: 'POST', url: `/api.${name}`, headers, payload });
    const keyOf = async (scope: string) =>
      (await ask(bearer(OPERATOR_KEY), 'CreateKey', { name: scope, scope })).json<{ key: string; id: string }>();
    const ticketOf = async (key: string) => (await ask(bearer(key))).json<{ ticket: string }>().ticket;

    const reader = await keyOf('read');
    const ticket = await ticketOf(reader.key);
    const entered = await open(app, ticket);
    const session = { cookie: cookieOf(entered), 'x-sluice-session': '1' };
    expect((await status(app, session.cookie)).json()).toMatchObject({ key: { id: reader.id, scope: 'read' } });
    expect((await open(app, ticket)).statusCode).toBe(401);
    // A session that could make such links would never end.
    const again = await ask(session);
    expect([again.statusCode, again.json()]).toEqual([403, expect.objectContaining({ code: 'permission_denied' })]);
    expect((await ask(bearer((await keyOf('ingest')).key))).statusCode).toBe(403);
    // A ticket opens a session, and nothing else.
    expect((await ask(bearer(await ticketOf(reader.key)))).statusCode).toBe(401);

    const [early, revoked] = [await ticketOf(reader.key), await ticketOf(reader.key)];
    app.clock.forward(59_999);
    expect((await open(app, early)).statusCode).toBe(200);
    await ask(bearer(OPERATOR_KEY), 'RevokeKey', { key_id: reader.id });
    expect((await open(app, revoked)).statusCode).toBe(401);
    const own = await ticketOf(OPERATOR_KEY);
    app.clock.forward(60_000);
    expect((await open(app, own)).statusCode).toBe(401);
  });

  it('closes behind whoever signs out', async () => {
    await using app = await startApp();
    const cookie = cookieOf(await open(app, OPERATOR_KEY));
    expect((await status(app, cookie)).statusCode).toBe(200);
    const leave = (headers: Record<string, string>) =>
      app.http.inject({ method: 'POST', url: '/session/end', headers });
    expect((await leave({ cookie })).statusCode).toBe(401);
    const left = await leave({ cookie, 'x-sluice-session': '1' });
    expect([left.statusCode, left.headers['set-cookie']]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await status(app, cookie)).statusCode).toBe(401);
  });
});
