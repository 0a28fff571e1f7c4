/** E-mail through the whole service, to a real SMTP server: consent first, then matches, with the faults of mail servers. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createMailer } from '../../src/delivery/webhooks/mail/mailer.ts';
import { acknowledgeMail, confirmMail, unsubscribeMail } from '../../src/service/webhooks/mail-consent.ts';
import { OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { outletStage } from './stage.ts';
import { type MailServer, openMailServer, type ReceivedMail } from './stand-ins/smtp.ts';

const ADA = 'mailto:ada@example.com';
const PUBLIC = 'https://sluice.example';

async function mailStage(more: { domains?: string[]; server?: MailServer; query?: string } = {}) {
  const server = more.server ?? (await openMailServer());
  const mail = { url: server.url + (more.query ?? ''), from: 'Sluice <sluice@sluice.example>', domains: more.domains };
  const stage = await outletStage({ mail, publicUrl: PUBLIC });
  const { context } = stage.test.service;
  return {
    ...stage,
    server,
    mails: server.mails,
    faults: server.faults,
    confirm: () => confirmMail(context, tokenIn(server.mails.at(-1)!, 'confirm')),
    unsubscribe: (given: ReceivedMail) => unsubscribeMail(context, tokenIn(given, 'unsubscribe')),
    webhookNow: async () => (await stage.test.call(stage.caller, 'listWebhooks')).webhooks[0]!,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const tokenIn = ({ text }: ReceivedMail, action: string): string =>
  new RegExp(`${PUBLIC}/mail/${action}\\?token=([\\w-]+)`).exec(text)![1]!;

/** A webhook whose recipient agreed; the mail that asked is gone from the list. */
async function confirmedStage(...given: Parameters<typeof mailStage>) {
  const stage = await mailStage(...given);
  const { webhook_id } = await stage.webhook({ url: ADA, format: 'email' });
  const firstToken = tokenIn(stage.mails[0]!, 'confirm');
  expect(await stage.confirm()).toBe(true);
  stage.mails.length = 0;
  return { ...stage, webhook_id, firstToken };
}

describe('the consent of a recipient', () => {
  it('is asked for in a mail of our own words, and nothing else is sent before it is given', async () => {
    await using stage = await mailStage();
    const webhook = await stage.webhook({ url: 'mailto:Ada@EXAMPLE.com', format: 'email', description: 'BUY NOW' });
    expect(webhook).toMatchObject({ url: 'mailto:Ada@example.com', status: 'disabled' });
    expect(webhook.reason).toMatch(/^A\*\*\*@example\.com has not confirmed yet/);
    await stage.store('a');
    await stage.pass(60_000, 5_000);
    const tested = await stage.test.call(stage.caller, 'testWebhook', { webhook_id: webhook.webhook_id });
    expect(tested).toMatchObject({ delivered: false, error: expect.stringContaining('has not confirmed') });
    expect(stage.mails).toHaveLength(1);
    const [asking] = stage.mails;
    expect(asking!.to).toEqual(['Ada@example.com']);
    expect(JSON.stringify([...asking!.headers, asking!.text, asking!.html])).not.toContain('BUY NOW');
    expect(asking!.text).toContain('The account "one" of the Sluice server at https://sluice.example asks');
    expect(await stage.confirm()).toBe(true);
    expect(await stage.webhookNow()).toMatchObject({ status: 'active', reason: null });
    await stage.store('b');
    await stage.pass(20_000, 1_000);
    expect(stage.mails).toHaveLength(2);
    expect(stage.mails[1]!.text).toContain('storm b');
  });

  it('holds for the address that gave it alone', async () => {
    await using stage = await confirmedStage();
    const { webhook_id } = stage;
    await stage.store('first');
    await stage.pass(20_000, 1_000);
    const [old] = stage.mails.splice(0);
    const moved = await stage.test.call(stage.caller, 'updateWebhook', { webhook_id, url: 'mailto:eve@example.com' });
    expect(moved.status).toBe('disabled');
    expect(stage.mails.map(({ to }) => to)).toEqual([['eve@example.com']]);
    expect(await stage.unsubscribe(old!)).toBe(false);
    expect(await confirmMail(stage.test.service.context, stage.firstToken)).toBe(false);
    expect((await stage.webhookNow()).status).toBe('disabled');
    await stage.store('a');
    await stage.pass(20_000, 1_000);
    const back = await stage.test.call(stage.caller, 'updateWebhook', { webhook_id, url: ADA });
    expect(back.status).toBe('disabled');
    expect(stage.mails).toHaveLength(2);
  });

  it('cannot be forged, given late, or given for something else', async () => {
    await using stage = await mailStage();
    const { context } = stage.test.service;
    await stage.webhook({ url: ADA, format: 'email' });
    const token = tokenIn(stage.mails[0]!, 'confirm');
    const wrong = [
      token.slice(1),
      `${token.slice(0, -2)}AA`,
      '',
      Buffer.from(context.seal.seal('[]'), 'base64').toString('base64url'),
    ];
    for (const one of wrong) expect(await confirmMail(context, one)).toBe(false);
    expect(await unsubscribeMail(context, token)).toBe(false);
    stage.clock.jump(7 * 24 * 3_600_000 + 1);
    expect(await confirmMail(context, token)).toBe(false);
    expect(await stage.webhookNow()).toMatchObject({ status: 'disabled' });
  });

  it('ends with a link in every mail, and no owner can bring it back without the recipient', async () => {
    await using stage = await confirmedStage();
    const { webhook_id } = stage;
    await stage.store('a');
    await stage.pass(20_000, 1_000);
    const [mail] = stage.mails;
    expect(mail!.headers.get('list-unsubscribe')).toMatch(
      /^<https:\/\/sluice\.example\/mail\/unsubscribe\?token=[\w-]+>$/,
    );
    expect(mail!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(await stage.unsubscribe(mail!)).toBe(true);
    expect(await stage.unsubscribe(mail!)).toBe(true);
    expect(await stage.webhookNow()).toMatchObject({ status: 'disabled', reason: 'The recipient unsubscribed.' });
    const resumed = await stage.test.call(stage.caller, 'updateWebhook', { webhook_id, paused: false });
    expect(resumed.status).toBe('disabled');
    await stage.store('b');
    await stage.pass(20_000, 1_000);
    expect(stage.mails.map(({ headers }) => headers.get('subject'))).toEqual([
      '1 new match: Storms & <b>floods</b>',
      'Confirm that you want mail from Sluice',
    ]);
  });

  it('is asked for twice a day at one address, and twenty times by one account', async () => {
    await using stage = await mailStage();
    const ask = (url: string) => stage.webhook({ url, format: 'email' });
    await ask(ADA);
    await ask(ADA);
    const limit = { code: 'resource_exhausted', details: { limit_code: 'mail_confirmations' } };
    await expect(ask(ADA)).rejects.toMatchObject(limit);
    for (let index = 0; index < 18; index++) await ask(`mailto:a${index}@example.com`);
    await expect(ask('mailto:last@example.com')).rejects.toMatchObject(limit);
    expect(stage.mails).toHaveLength(20);
  });

  it('is not asked for where the operator or the address rules it out, and no webhook is made', async () => {
    await using stage = await mailStage({ domains: ['example.com'] });
    const wrong = [
      'mailto:ada@elsewhere.example',
      'mailto:ada@sub.example.com',
      'mailto:ada@example.com,eve@example.com',
      'mailto:ada@example.com?cc=eve@example.com',
      'mailto:ada@example.com%0d%0aBcc:eve@example.com',
      'mailto:"ada"@example.com',
      'mailto:',
      'https://example.com/',
    ];
    for (const url of wrong)
      await expect(stage.webhook({ url, format: 'email' }), url).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(stage.webhook({ url: ADA })).rejects.toMatchObject({ code: 'invalid_argument' });
    stage.faults.push({ at: 'rcpt', code: 550 });
    await expect(stage.webhook({ url: ADA, format: 'email' })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: 'The mail that asks the recipient was not sent. The mail server answered 550.',
    });
    expect(stage.mails).toEqual([]);
    expect((await stage.test.call(stage.caller, 'listWebhooks')).webhooks).toEqual([]);
  });

  it('is impossible where the server has no mail server', async () => {
    await using stage = await outletStage();
    await expect(stage.webhook({ url: ADA, format: 'email' })).rejects.toMatchObject({
      details: { issues: [{ path: 'format', message: expect.stringContaining('SLUICE_SMTP_URL') }] },
    });
  });
});

describe('a mail', () => {
  it('shows text by strangers as text in both parts, names itself by the delivery, and has one recipient', async () => {
    await using stage = await confirmedStage();
    await stage.store('<script>alert(1)</script> & "x"\r\nBcc: eve@example.com');
    await stage.pass(20_000, 1_000);
    const [mail] = stage.mails;
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    expect(mail!.headers.get('message-id')).toBe(`<${deliveries[0]!.id}@sluice.example>`);
    expect(mail!.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail!.from).toBe('sluice@sluice.example');
    expect(mail!.to).toEqual(['ada@example.com']);
    expect([...mail!.headers.keys()]).not.toContain('bcc');
    expect(mail!.text).toContain('storm <script>alert(1)</script> & "x" Bcc: eve\u200b@example.\u200bcom');
    expect(mail!.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;');
    expect(mail!.html).not.toContain('<script');
    expect(mail!.html).toContain('<a href="https://x.com/i/status/');
    expect(deliveries[0]!.attempts[0]).toMatchObject({ status_code: 250, error: null });
  });

  it('is a wake that its reader acknowledges with a link, once, while the address is theirs', async () => {
    await using stage = await confirmedStage();
    const { context } = stage.test.service;
    await stage.store('a');
    await stage.pass(20_000, 1_000);
    const token = tokenIn(stage.mails[0]!, 'acknowledge');
    const state = async () => (await stage.test.call(stage.caller, 'listWakes')).wakes[0]!.state;
    expect(await state()).toBe('offered');
    expect(await acknowledgeMail(context, tokenIn(stage.mails[0]!, 'unsubscribe'))).toBe(false);
    expect(await unsubscribeMail(context, token)).toBe(false);
    expect(await state()).toBe('offered');
    expect(await acknowledgeMail(context, token)).toBe(true);
    expect(await state()).toBe('acknowledged');
    expect(await acknowledgeMail(context, token)).toBe(false);
    await stage.store('b');
    await stage.pass(20_000, 1_000);
    expect(await stage.unsubscribe(stage.mails[1]!)).toBe(true);
    expect(await acknowledgeMail(context, tokenIn(stage.mails[1]!, 'acknowledge'))).toBe(false);
    expect(await state()).toBe('offered');
  });

  it('has the digest of what a wake contract held', async () => {
    await using stage = await confirmedStage();
    const { webhook_id } = stage;
    await stage.test.call(stage.caller, 'updateWebhook', { webhook_id, wake: { per: 'match', at_most: '1/hour' } });
    await stage.store('a', 'b', 'c');
    await stage.pass(3_700_000, 20_000);
    expect(stage.mails.map(({ headers }) => headers.get('subject'))).toEqual([
      '1 new match: Storms & <b>floods</b>',
      'Digest from Sluice',
    ]);
    expect(stage.mails[1]!.text).toContain('Digest: 2 matches in ');
  });

  it.each([
    ['greylisting', { at: 'rcpt', code: 451 } as const, 451],
    ['a full disk', { at: 'data', code: 452 } as const, 452],
    ['a connection that is cut in DATA', 'cut' as const, null],
  ])('is tried again after %s, under the same name', async (_, fault, status) => {
    await using stage = await confirmedStage();
    stage.faults.push(fault);
    await stage.store('a');
    await stage.pass(13_000, 1_000);
    await stage.pass(60_000, 5_000);
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    expect(deliveries[0]!.attempts.map(({ status_code }) => status_code)).toEqual([status, 250]);
    expect(stage.mails).toHaveLength(1);
    expect(stage.mails[0]!.headers.get('message-id')).toContain(deliveries[0]!.id);
  });

  it('that is refused for good is given up, and the next one is sent', async () => {
    await using stage = await confirmedStage();
    stage.faults.push({ at: 'data', code: 554 });
    await stage.store('a');
    await stage.pass(30_000, 5_000);
    await stage.store('b');
    await stage.pass(30_000, 5_000);
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    expect(deliveries.map(({ status, reason, attempts }) => [status, reason, attempts.length])).toEqual([
      ['delivered', null, 1],
      ['failed', 'The mail server answered 554.', 1],
    ]);
    expect(stage.mails).toHaveLength(1);
  });

  it('goes out over TLS, and not to a server whose certificate is not known', async () => {
    const secured: boolean[] = [];
    const options = {
      secure: false,
      disabledCommands: ['AUTH'],
      onSecure(_: unknown, __: unknown, done: () => void) {
        secured.push(true);
        done();
      },
    };
    const ask = { url: ADA, format: 'email' };
    {
      await using stage = await mailStage({ server: await openMailServer(options), query: '?requireTLS=true' });
      await expect(stage.webhook(ask)).rejects.toMatchObject({ details: { reason: 'mail_not_sent' } });
      expect(stage.mails).toEqual([]);
    }
    await using stage = await mailStage({
      server: await openMailServer(options),
      query: '?requireTLS=true&tls.rejectUnauthorized=false',
    });
    await stage.webhook(ask);
    expect(stage.mails).toHaveLength(1);
    expect(secured.length).toBeGreaterThan(0);
  });

  it('whose server refuses our sender is tried again: that is no fault of its recipient', async () => {
    let refusals = 1;
    const refusal = Object.assign(new Error('sender not verified'), { responseCode: 550 });
    const server = await openMailServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onMailFrom: (_, __, done) => done(server.mails.length > 0 && refusals-- > 0 ? refusal : null),
    });
    await using stage = await mailStage({ server });
    await stage.webhook({ url: ADA, format: 'email' });
    expect(await stage.confirm()).toBe(true);
    await stage.store('a');
    await stage.pass(13_000, 1_000);
    await stage.pass(60_000, 5_000);
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    expect(deliveries[0]!.attempts.map(({ status_code }) => status_code)).toEqual([550, 250]);
  });

  it('whose server refuses our own login is tried again', async () => {
    await using server = await openMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => done(password === 'right' ? null : new Error('no'), { user: 'me' }),
    });
    const mail = { to: 'ada@example.com', subject: 's', text: 't', html: 'h', id: 'dlv_1' };
    const send = (password: string) =>
      createMailer({ url: server.url.replace('//', `//me:${password}@`), from: 'a@b.example' }, systemClock)(
        mail,
        new AbortController().signal,
      );
    const refused = await send('wrong');
    expect(refused).toMatchObject({ statusCode: 535, error: 'The mail server answered 535.' });
    expect(refused.givesUp).toBeUndefined();
    expect(await send('right')).toMatchObject({ statusCode: 250, error: undefined });
  });
});

describe('the pages behind the links', () => {
  it('do nothing when they are opened, and what they say when their button is pressed', async () => {
    await using server = await openMailServer();
    const mail = { url: server.url, from: 'sluice@sluice.example' };
    await using app = await startApp({
      publicUrl: PUBLIC,
      delivery: { mail, publicUrl: PUBLIC },
      clock: { ...systemClock, forward: () => {} },
    });
    const call = async (operation: string, body: object) =>
      (
        await app.http.inject({
          method: 'POST',
          url: `/api.${operation}`,
          headers: { authorization: `Bearer ${OPERATOR_KEY}` },
          payload: body,
        })
      ).json() as { webhooks: { status: string }[] };
    await call('CreateWebhook', { url: ADA, format: 'email' });
    const status = async () => (await call('ListWebhooks', {})).webhooks[0]!.status;
    const url = `/mail/confirm?token=${tokenIn(server.mails[0]!, 'confirm')}`;
    const page = await app.http.inject({ url });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('<form method="post"><button>Confirm</button></form>');
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
    expect(await status()).toBe('disabled');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const pressed = await app.http.inject({ method: 'POST', url, headers: form, payload: '' });
    expect([pressed.statusCode, await status()]).toEqual([200, 'active']);
    const forged = await app.http.inject({
      method: 'POST',
      url: '/mail/unsubscribe?token=abc',
      headers: form,
      payload: 'List-Unsubscribe=One-Click',
    });
    expect([forged.statusCode, await status()]).toEqual([400, 'active']);
    for (const token of ['', 'token=a&token=b', `token=${'a'.repeat(5_000)}`])
      expect((await app.http.inject({ method: 'POST', url: `/mail/confirm?${token}`, payload: '' })).statusCode).toBe(
        400,
      );
  });
});
