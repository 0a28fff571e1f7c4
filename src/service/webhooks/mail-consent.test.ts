import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { MAX_MAIL_CONFIRMATIONS, MAX_MAIL_CONFIRMATIONS_OF_ADDRESS, MAX_WEBHOOKS } from '../limits.ts';
import { createChallengeCounter, type MailOutlet } from '../outlets/mail-outlet.ts';
import { confirmMail, personOf, unsubscribeMail } from './mail-consent.ts';

const ADA = 'mailto:ada@example.com';
const EVE = 'mailto:eve@example.com';

/** A service whose mail server takes every mail, unless the test says otherwise. */
async function stage() {
  const test = await openService({ clock: fakeClock() });
  const alice = await test.caller('alice');
  const asked: string[] = [];
  const faults = { error: undefined as string | undefined, ofAddress: true, ofAccount: true };
  const { context } = test.service;
  const changed: string[] = [];
  const mail = {
    problem: (url: string) => (url.endsWith('.test') ? 'not there' : undefined),
    askToConfirm: async ({ url, accountId }: { url: string; accountId: string }, name: string) => {
      asked.push(`${url} for ${name}`);
      expect(accountId).toBe(alice.account.id);
      return { error: faults.error };
    },
    read: (action: string, token: string) => {
      const [use, webhookId, url] = token.split('|');
      return use === action ? { accountId: alice.account.id, webhookId: webhookId!, url: url! } : undefined;
    },
    asked: {
      ofAddress: { allow: () => faults.ofAddress },
      ofAccount: { hasShare: () => faults.ofAccount, allow: () => faults.ofAccount },
    },
  } as unknown as MailOutlet;
  Object.assign(context, { mail });
  Object.assign(context.dispatcher, { changed: (id: string) => void changed.push(id) });
  const create = (url = ADA) => test.call(alice, 'createWebhook', { url, format: 'email' });
  const update = (webhook_id: string, input: object) => test.call(alice, 'updateWebhook', { webhook_id, ...input });
  const stored = async (id: string) => (await test.store.webhook(alice.account.id, id))!;
  return Object.assign(test, { alice, context, asked, faults, changed, create, update, stored });
}

const limit = (max: number) => ({ code: 'resource_exhausted', details: { limit_code: 'mail_confirmations', max } });

describe('a recipient of mail', () => {
  it.each([
    ['mailto:Ada@example.com', 'ada@example.com'],
    ['mailto:ada+news@example.com', 'ada@example.com'],
    ['mailto:a.da@example.com', 'a.da@example.com'],
    ['mailto:A.d.a+x+y@googlemail.com', 'ada@gmail.com'],
    ['mailto:ada@gmail.com', 'ada@gmail.com'],
  ])('at %s is %s', (url, person) => {
    expect(personOf(url)).toBe(person);
  });

  it('is not asked more often under other spellings of one address', async () => {
    await using test = await stage();
    const ofAddress = createChallengeCounter(test.context.clock, {
      most: MAX_MAIL_CONFIRMATIONS_OF_ADDRESS,
      span: 1e9,
    });
    Object.assign(test.context.mail!.asked, { ofAddress });
    await test.create('mailto:a.da@gmail.com');
    await test.create('mailto:Ada+news@gmail.com');
    await expect(test.create('mailto:aDa@googlemail.com')).rejects.toMatchObject(
      limit(MAX_MAIL_CONFIRMATIONS_OF_ADDRESS),
    );
    // A try that failed counts, and the message says no more than that.
    test.faults.error = 'The server is away.';
    for (const _ of [1, 2])
      await expect(test.create(EVE)).rejects.toMatchObject({ details: { reason: 'mail_not_sent' } });
    await expect(test.create(EVE)).rejects.toThrow('It was tried 2 times today (UTC) to ask this address.');
    test.faults.error = undefined;
    await test.create('mailto:eve@gmail.com');
    expect(test.asked).toHaveLength(5);
  });

  it('is asked when the webhook is made, and nothing is sent before the answer', async () => {
    await using test = await stage();
    const { id } = await test.create();
    expect(test.asked).toEqual([`${ADA} for alice`]);
    expect(await test.stored(id)).toMatchObject({
      status: 'disabled',
      reason: expect.stringMatching(/^ada@example\.com has not confirmed yet/),
    });
  });

  it('is asked again when the webhook is to be resumed or goes to another, and not for any other change', async () => {
    await using test = await stage();
    const { id } = await test.create();
    await test.update(id, { description: 'Newsroom' });
    await test.update(id, { paused: true });
    expect(test.asked).toHaveLength(1);
    expect((await test.update(id, { paused: false })).status).toBe('disabled');
    expect(test.asked).toHaveLength(2);
    await test.update(id, { url: EVE });
    expect(test.asked[2]).toBe(`${EVE} for alice`);
    expect((await test.stored(id)).reason).toContain('eve@example.com');
  });

  it('that has unsubscribed hears of no other change', async () => {
    await using test = await stage();
    const { id } = await test.create();
    await confirmMail(test.context, `confirm|${id}|${ADA}`);
    await unsubscribeMail(test.context, `unsubscribe|${id}|${ADA}`);
    for (const input of [{ description: 'Newsroom' }, { paused: true }])
      expect(await test.update(id, input)).toMatchObject({
        status: 'disabled',
        reason: 'The recipient unsubscribed.',
      });
    expect(test.asked).toHaveLength(1);
    await test.update(id, { paused: false });
    expect(test.asked).toHaveLength(2);
  });

  it('has agreed until the webhook goes elsewhere: meanwhile no link could end it', async () => {
    await using test = await stage();
    const { id } = await test.create();
    await confirmMail(test.context, `confirm|${id}|${ADA}`);
    await test.update(id, { url: 'https://example.com/sluice', format: 'json' });
    expect((await test.stored(id)).confirmedUrl).toBeUndefined();
    expect(await unsubscribeMail(test.context, `unsubscribe|${id}|${ADA}`)).toBe(false);
    expect((await test.update(id, { url: ADA, format: 'email' })).status).toBe('disabled');
    expect(test.asked).toHaveLength(2);
  });

  it('that agreed is not asked again', async () => {
    await using test = await stage();
    const { id } = await test.create();
    expect(await confirmMail(test.context, `confirm|${id}|${ADA}`)).toBe(true);
    expect(await test.stored(id)).toMatchObject({ status: 'active', confirmedUrl: ADA });
    await test.update(id, { paused: true });
    expect((await test.update(id, { paused: false })).status).toBe('active');
    expect(test.asked).toHaveLength(1);
  });

  it('is not asked too often, by one account or by all', async () => {
    await using test = await stage();
    test.faults.ofAddress = false;
    await expect(test.create()).rejects.toMatchObject(limit(MAX_MAIL_CONFIRMATIONS_OF_ADDRESS));
    test.faults.ofAddress = true;
    test.faults.ofAccount = false;
    await expect(test.create()).rejects.toMatchObject(limit(MAX_MAIL_CONFIRMATIONS));
    expect(test.asked).toEqual([]);
  });

  it('can be asked by others however often an account without a share left wants it asked', async () => {
    await using test = await stage();
    const ofAddress = createChallengeCounter(test.context.clock, { most: 1, span: 1e9 });
    Object.assign(test.context.mail!.asked, { ofAddress });
    test.faults.ofAccount = false;
    for (const _ of [1, 2]) await expect(test.create()).rejects.toMatchObject(limit(MAX_MAIL_CONFIRMATIONS));
    test.faults.ofAccount = true;
    await test.create();
    expect(test.asked).toHaveLength(1);
  });

  it('is not asked for a webhook that the account has no room for', async () => {
    await using test = await stage();
    for (let index = 0; index < MAX_WEBHOOKS; index++)
      await test.call(test.alice, 'createWebhook', { url: `https://example.com/${index}` });
    await expect(test.create()).rejects.toMatchObject({ details: { limit_code: 'webhooks' } });
    expect(test.asked).toEqual([]);
  });

  it('that cannot be asked gets no webhook', async () => {
    await using test = await stage();
    test.faults.error = 'The server refused it.';
    await expect(test.create()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: 'The mail that asks the recipient was not sent. The server refused it.',
      details: { reason: 'mail_not_sent' },
    });
    expect((await test.call(test.alice, 'listWebhooks')).webhooks).toEqual([]);
  });
});

describe('a link of a mail', () => {
  it('confirms or unsubscribes once, with a note, and the ways out hear of it', async () => {
    await using test = await stage();
    const { id } = await test.create();
    const notes = async () => {
      const { changes } = await test.call(test.alice, 'listChanges', { kind: 'webhook' });
      return changes.map(({ what, by, after }) => [what, by.kind, after?.['by_recipient']]);
    };
    for (const _ of [1, 2]) expect(await confirmMail(test.context, `confirm|${id}|${ADA}`)).toBe(true);
    expect(test.changed).toEqual([id]);
    for (const _ of [1, 2]) expect(await unsubscribeMail(test.context, `unsubscribe|${id}|${ADA}`)).toBe(true);
    expect(test.changed).toEqual([id, id]);
    expect(await test.stored(id)).toMatchObject({ status: 'disabled', reason: 'The recipient unsubscribed.' });
    expect((await test.stored(id)).confirmedUrl).toBeUndefined();
    expect(await notes()).toEqual([
      ['webhook.changed', 'system', 'unsubscribe'],
      ['webhook.changed', 'system', 'confirm'],
      ['webhook.created', 'key', undefined],
    ]);
  });

  it('of another address, another use or a webhook that is gone does nothing', async () => {
    await using test = await stage();
    const { id } = await test.create();
    expect(await confirmMail(test.context, `confirm|${id}|${EVE}`)).toBe(false);
    expect(await confirmMail(test.context, `unsubscribe|${id}|${ADA}`)).toBe(false);
    expect(await unsubscribeMail(test.context, `confirm|${id}|${ADA}`)).toBe(false);
    expect(await confirmMail(test.context, `confirm|another|${ADA}`)).toBe(false);
    expect((await test.stored(id)).status).toBe('disabled');
    Object.assign(test.context, { mail: undefined });
    expect(await confirmMail(test.context, `confirm|${id}|${ADA}`)).toBe(false);
    expect(test.changed).toEqual([]);
  });
});
