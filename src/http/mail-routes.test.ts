/** The pages behind the links of mails: what opens, what acts, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, openMailServer } from '../../test/outlets/stand-ins/smtp.ts';
import { type App, heldClock, OPERATOR_KEY, startApp } from '../../test/stages/http-app.ts';

const PUBLIC = 'https://sluice.example';
const bearer = { authorization: `Bearer ${OPERATOR_KEY}` };
let server: MailServer;
let app: App;
let token: string;

beforeAll(async () => {
  server = await openMailServer();
  const mail = { url: server.url, from: 'sluice@sluice.example' };
  // A pause that ended at once would end every attempt as too late.
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  const clock = { ...heldClock(), sleep };
  app = await startApp({ publicUrl: PUBLIC, delivery: { mail, publicUrl: PUBLIC }, clock });
  const payload = { url: 'mailto:ada@example.com', format: 'email' };
  await app.http.inject({ method: 'POST', url: '/api.CreateWebhook', headers: bearer, payload });
  token = /\/mail\/confirm\?token=([\w-]+)/.exec(server.mails[0]!.text)![1]!;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const status = async () =>
  (await app.http.inject({ url: '/api.ListWebhooks', headers: bearer })).json().webhooks[0].status as string;
const press = (url: string, payload?: string, type = 'application/x-www-form-urlencoded') =>
  app.http.inject({
    method: 'POST',
    url,
    ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
  });
const page = (title: string, inside: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${inside}</html>\n`;

it.each([
  ['confirm', 'Mail from Sluice', 'Do you want matches sent to this address?', 'Confirm'],
  ['unsubscribe', 'Unsubscribe', 'Do you want no more mail from Sluice at this address?', 'Unsubscribe'],
  ['acknowledge', 'Acknowledge', 'Have you seen the matches of this mail?', 'Acknowledge'],
])('the page of %s asks, and opening it does nothing', async (name, title, question, button) => {
  const { statusCode, headers, body } = await app.http.inject(`/mail/${name}?token=${token}`);
  expect([statusCode, headers['content-type'], headers['x-frame-options']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'DENY',
  ]);
  expect(body).toBe(page(title, `<p>${question}</p><form method="post"><button>${button}</button></form>`));
  expect(await status()).toBe('disabled');
});

describe('the button', () => {
  const INVALID = '<p>This link is not valid any more.</p>';

  it.each([
    ['no token', ''],
    ['an empty one', '?token='],
    ['two', '?token=a&token=b'],
    ['one that is not ours', '?token=abc'],
    ['one that is too long', `?token=${'a'.repeat(4 * 1024 + 1)}`],
  ])('does nothing with %s', async (_, query) => {
    const { statusCode, headers, body } = await press(`/mail/confirm${query}`, '');
    expect([statusCode, headers['x-frame-options'], body]).toEqual([400, 'DENY', page('Mail from Sluice', INVALID)]);
    expect(await status()).toBe('disabled');
  });

  it('of one page does not take the token of the other', async () => {
    const { statusCode, body } = await press(`/mail/unsubscribe?token=${token}`, '');
    expect([statusCode, body]).toEqual([400, page('Unsubscribe', INVALID)]);
  });

  it('confirms, whatever the form holds and of whatever type it is, within 4 KiB', async () => {
    const url = `/mail/confirm?token=${token}`;
    expect((await press(url, 'x'.repeat(4 * 1024 + 1))).statusCode).toBe(413);
    expect(await status()).toBe('disabled');
    const pressed = await press(url, 'x'.repeat(4 * 1024), 'text/plain');
    expect([pressed.statusCode, await status()]).toEqual([200, 'active']);
    expect(pressed.body).toContain('<p>Confirmed. Matches are sent to this address from now on.');
  });
});

it('a server that sends no mail has no such pages', async () => {
  await using other = await startApp();
  expect((await other.http.inject('/mail/confirm')).statusCode).toBe(404);
});
