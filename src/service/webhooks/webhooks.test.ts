import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';
import { MAX_WEBHOOKS } from '../limits.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const URL = 'https://a.test/in';
const SHOWN = 'https://a.test/***';
const BUCKET = 's3://archive/sluice?region=eu-west-1';
const BUCKET_KEY = 'AKIDEXAMPLE:secretsecretsecret';

async function stage(options: TestOptions = {}) {
  const clock = fakeClock();
  const test = await openService({ clock, ...options });
  const alice = await test.caller('alice');
  const create = (input: object) => test.call(alice, 'createWebhook', { url: URL, ...input });
  const update = (webhook_id: string, input: object) => test.call(alice, 'updateWebhook', { webhook_id, ...input });
  const stored = async (id: string) => (await test.store.webhook(alice.account.id, id))!;
  const newest = async () => (await test.call(alice, 'listChanges', { kind: 'webhook', limit: 1 })).changes[0]!;
  return Object.assign(test, { clock, alice, create, update, stored, newest });
}

const issuesOf = (work: Promise<unknown>): Promise<{ path: string; message: string }[]> =>
  work.then(
    () => [],
    (error: { details?: { issues?: { path: string; message: string }[] } }) => error.details?.issues ?? [],
  );

describe('create webhook', () => {
  it('takes every match in JSON at once when nothing else is chosen', async () => {
    await using test = await stage();
    const made = await test.create({});
    expect(made).toEqual({
      webhook_id: made.id,
      id: made.id,
      secret: expect.stringMatching(/^whsec_/),
      url: URL,
      description: '',
      rule_ids: null,
      platforms: null,
      sources: null,
      events: ['match'],
      format: 'json',
      has_credential: false,
      batch: null,
      wake: null,
      wake_account: null,
      status: 'active',
      reason: null,
      failing_since: null,
      created_at: '2026-11-15T08:30:00.000Z',
    });
    const { secret: _, webhook_id: __, ...listed } = made;
    expect(await test.call(test.alice, 'listWebhooks')).toEqual({ webhooks: [{ ...listed, url: SHOWN }] });
    const { secrets, credential } = await test.stored(made.id);
    expect([test.service.context.seal.unseal(secrets.current), credential]).toEqual([made.secret, undefined]);
    expect([secrets.previous, secrets.previousUntil]).toEqual([undefined, undefined]);
  });

  it('keeps what is chosen, each value once', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', RULE);
    const made = await test.create({
      rule_ids: [rule_id, rule_id],
      platforms: ['x', 'x'],
      events: ['alert', 'match', 'alert'],
      description: 'Newsroom',
      batch: { every: '90m' },
      wake: { per: 'story', at_most: '20/hour', min_relevance: 0.5 },
      credential: 'token',
      format: 'ntfy',
      url: 'https://ntfy.example/topic',
    });
    expect(made).toMatchObject({
      rule_ids: [rule_id],
      platforms: ['x'],
      events: ['alert', 'match'],
      description: 'Newsroom',
      batch: { every: '90m' },
      wake: { per: 'story', at_most: '20/hour', min_relevance: 0.5 },
      wake_account: { window_from: '2026-11-15T08:00:00.000Z', wakes: 0, held: 0, stories: 0 },
      format: 'ntfy',
      has_credential: true,
    });
    expect(test.service.context.seal.unseal((await test.stored(made.id)).credential!)).toBe('token');
    expect(await test.newest()).toMatchObject({
      what: 'webhook.created',
      id: made.id,
      after: { rule_ids: [rule_id], batch_ms: 5_400_000, wake: { per: 'story' }, status: 'active' },
    });
    expect(JSON.stringify(await test.newest())).not.toContain('token');
  });

  it('moves the secret of a URL into the sealed credential', async () => {
    await using test = await stage();
    const made = await test.create({
      format: 'telegram',
      url: 'https://api.telegram.org/bot12:abc/sendMessage?chat_id=7',
      credential: 'another',
    });
    expect(made.url).toBe('https://api.telegram.org/bot***/sendMessage?chat_id=7');
    expect(test.service.context.seal.unseal((await test.stored(made.id)).credential!)).toBe('12:abc');
  });

  it('writes objects of an hour to a bucket unless another time is chosen', async () => {
    await using test = await stage();
    const bucket = { url: BUCKET, format: 'ndjson', credential: BUCKET_KEY };
    expect((await test.create(bucket)).batch).toEqual({ every: '1h' });
    expect((await test.create({ ...bucket, batch: { every: '1d' } })).batch).toEqual({ every: '1d' });
  });

  it('is refused beyond the limit, and the account of another has its own', async () => {
    await using test = await stage();
    for (let made = 0; made < MAX_WEBHOOKS; made++) await test.create({ description: `${made}` });
    await expect(test.create({})).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'webhooks', limit: MAX_WEBHOOKS, used: MAX_WEBHOOKS },
    });
    const { webhooks } = await test.call(test.alice, 'listWebhooks');
    expect(webhooks.map(({ description }) => description)).toEqual(
      Array.from({ length: MAX_WEBHOOKS }, (_, at) => `${at}`),
    );
    await test.call(await test.caller('bob'), 'createWebhook', { url: URL });
  });

  it.each([
    ['an address that is none', { url: 'no url' }, ['url']],
    ['a chat without its token', { format: 'telegram', url: 'https://t.test/bot***/sendMessage?chat_id=7' }, ['url']],
    ['a masked address', { url: 'https://a.test/***', format: 'teams' }, ['url']],
    [
      'a Matrix room without a credential',
      { format: 'matrix', url: 'https://m.test/_matrix/client/v3/rooms/!a:m.test/send/m.room.message' },
      ['credential'],
    ],
    ['a bucket without its key', { format: 'ndjson', url: BUCKET }, ['credential']],
    ['a bucket with a key that is none', { format: 'ndjson', url: BUCKET, credential: 'x' }, ['credential']],
    [
      'a bucket with a contract and with alerts',
      { format: 'parquet', url: BUCKET, credential: BUCKET_KEY, wake: { per: 'story' }, events: ['match', 'alert'] },
      ['wake', 'events'],
    ],
    ['mail where none is sent', { format: 'email', url: 'mailto:ada@example.com' }, ['format']],
    ['a span of no time', { batch: { every: '0s' } }, ['batch.every']],
    ['a span beyond a week', { batch: { every: '604801s' } }, ['batch.every']],
    ['a span without a unit', { batch: { every: '15' } }, ['batch.every']],
    ['no rules', { rule_ids: [] }, ['rule_ids']],
    ['no platforms', { platforms: [] }, ['platforms']],
    ['no sources', { sources: [] }, ['sources']],
    ['a source that the account does not have', { sources: ['source_1'] }, ['sources.0']],
    ['no events', { events: [] }, ['events']],
    ['a description that is too long', { description: 'x'.repeat(501) }, ['description']],
    ['a count of zero', { wake: { at_most: '0/hour' } }, ['wake.at_most']],
    ['a relevance above one', { wake: { min_relevance: 1.01 } }, ['wake.min_relevance']],
  ])('refuses %s, by the field', async (_, input, paths) => {
    await using test = await stage();
    const issues = await issuesOf(test.create(input));
    expect(issues.map(({ path }) => path)).toEqual(paths);
    expect((await test.call(test.alice, 'listWebhooks')).webhooks).toEqual([]);
  });

  it.each([
    ['1s', '1s'],
    ['60s', '1m'],
    ['7d', '7d'],
    ['168h', '7d'],
    ['90m', '90m'],
  ])('takes a span of %s, and calls it %s', async (every, shown) => {
    await using test = await stage();
    expect((await test.create({ batch: { every } })).batch).toEqual({ every: shown });
  });

  it('takes objects that say what they always do', async () => {
    await using test = await stage();
    const bucket = { url: BUCKET, format: 'ndjson', credential: BUCKET_KEY };
    expect(await issuesOf(test.create({ ...bucket, wake: null, events: ['match'] }))).toEqual([]);
  });

  it('refuses the rule of another account like one that is not there', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(await test.caller('bob'), 'createRule', RULE);
    const { rule_id: own } = await test.call(test.alice, 'createRule', RULE);
    for (const rule_ids of [[own, rule_id], ['rule_unknown']])
      await expect(test.create({ rule_ids })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('update webhook', () => {
  it('changes what is given and nothing else, and null takes a choice back', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', RULE);
    const { webhook_id, secret: _, ...created } = await test.create({ description: 'before' });
    const made = { ...created, url: SHOWN };
    expect(await test.update(webhook_id, {})).toEqual(made);
    const chosen = {
      description: 'after',
      events: ['alert', 'operational', 'alert'],
      rule_ids: [rule_id, rule_id],
      platforms: ['x', 'x'],
      batch: { every: '15m' },
      wake: { per: 'match', at_most: '5/day' },
    };
    const changed = await test.update(webhook_id, chosen);
    expect(changed).toEqual({
      ...made,
      description: 'after',
      events: ['alert', 'operational'],
      rule_ids: [rule_id],
      platforms: ['x'],
      batch: { every: '15m' },
      wake: { per: 'match', at_most: '5/day', min_relevance: null },
      wake_account: { window_from: '2026-11-15T00:00:00.000Z', wakes: 0, held: 0, stories: 0 },
    });
    expect(await test.newest()).toMatchObject({
      what: 'webhook.changed',
      before: { description: 'before', rule_ids: null, platforms: null, batch_ms: null, wake: null },
      after: { description: 'after', rule_ids: [rule_id], batch_ms: 900_000 },
    });
    const taken = { rule_ids: null, platforms: null, batch: null, wake: null, events: ['match'] };
    expect(await test.update(webhook_id, taken)).toEqual({ ...made, description: 'after' });
    expect(Object.keys((await test.newest()).after!).toSorted()).toEqual(['batch_ms', 'platforms', 'rule_ids', 'wake']);
  });

  it('to what it has already is noted as no change of it', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    const same = { rule_ids: null, platforms: null, batch: null, wake: null };
    await test.update(webhook_id, { ...same, description: 'after' });
    expect(await test.newest()).toMatchObject({ before: { description: '' }, after: { description: 'after' } });
    expect(Object.keys((await test.newest()).after!)).toEqual(['description']);
  });

  it('pauses and resumes', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    expect((await test.update(webhook_id, { paused: true })).status).toBe('paused');
    expect((await test.update(webhook_id, { description: 'x' })).status).toBe('paused');
    expect((await test.update(webhook_id, { paused: false })).status).toBe('active');
  });

  it('gives a new secret once, and keeps the one before for a day', async () => {
    await using test = await stage();
    const { webhook_id, secret } = await test.create({});
    expect(await test.update(webhook_id, { rotate_secret: false })).not.toHaveProperty('secret');
    const rotated = await test.update(webhook_id, { rotate_secret: true });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    const { seal } = test.service.context;
    const { current, previous, previousUntil } = (await test.stored(webhook_id)).secrets;
    expect([seal.unseal(current), seal.unseal(previous!)]).toEqual([rotated.secret, secret]);
    expect(previousUntil).toEqual(new Date('2026-11-16T08:30:00.000Z'));
    expect((await test.newest()).after).toEqual({ secret: 'rotated' });
  });

  it('sends a stored credential to the host that it was given for alone', async () => {
    await using test = await stage();
    const ntfy = { format: 'ntfy', url: 'https://ntfy.example/topic', credential: 'token' };
    const { webhook_id } = await test.create(ntfy);
    const { seal } = test.service.context;
    const credential = async () => {
      const { credential: sealed } = await test.stored(webhook_id);
      return sealed && seal.unseal(sealed);
    };
    await test.update(webhook_id, { url: 'https://ntfy.example/other' });
    expect(await credential()).toBe('token');
    await test.update(webhook_id, { credential: 'second' });
    expect(await credential()).toBe('second');
    expect((await test.newest()).after).toEqual({ credential: 'changed' });
    expect((await test.update(webhook_id, { url: 'https://other.example/other' })).has_credential).toBe(false);
    await test.update(webhook_id, { credential: 'third' });
    await test.update(webhook_id, { format: 'json' });
    expect(await credential()).toBeUndefined();
    await test.update(webhook_id, { credential: 'fourth' });
    expect((await test.update(webhook_id, { credential: null })).has_credential).toBe(false);
  });

  it('keeps the masked token of a chat, and refuses the mask at another host', async () => {
    await using test = await stage();
    const url = 'https://api.telegram.org/bot12:abc/sendMessage?chat_id=7';
    const { webhook_id } = await test.create({ format: 'telegram', url });
    const moved = 'https://api.telegram.org/bot***/sendMessage?chat_id=8';
    expect(await test.update(webhook_id, { url: moved })).toMatchObject({ has_credential: true });
    expect((await test.stored(webhook_id)).url).toBe(moved);
    const stranger = { url: 'https://stranger.example/bot***/sendMessage?chat_id=8' };
    expect(await issuesOf(test.update(webhook_id, stranger))).toMatchObject([{ path: 'url' }]);
    expect(await issuesOf(test.update(webhook_id, { credential: null }))).toMatchObject([{ path: 'url' }]);
    expect(await issuesOf(test.update(webhook_id, { url: 'nothing' }))).toMatchObject([{ path: 'url' }]);
  });

  it.each([
    ['json', 'https://a.test/in?token=hidden', 'https://a.test/***'],
    ['slack', 'https://hooks.slack.com/services/T0/B0/hidden', 'https://hooks.slack.com/***'],
    ['telegram', 'https://api.telegram.org/bot12:hidden/sendMessage?chat_id=7', 'https://api.telegram.org/***'],
    ['json', 'nats://ada:hidden@a.test/subject', 'nats://a.test:4222/***'],
    ['json', 'https://a.test/', 'https://a.test/'],
  ])(
    'keeps the address, and what signs in there, when what a list shows of %s is sent back: %s',
    async (format, url, shown) => {
      await using test = await stage();
      const { webhook_id } = await test.create({ format, url });
      const before = await test.stored(webhook_id);
      expect((await test.update(webhook_id, { url: shown, description: 'after' })).url).toBe(shown);
      const { description, ...after } = await test.stored(webhook_id);
      expect([description, after.url, after.credential]).toEqual(['after', before.url, before.credential]);
      expect(Object.keys((await test.newest()).after!)).toEqual(['description']);
    },
  );

  it.each([
    'https://a.test/other/***',
    'https://b.test/***',
    'https://a.test/in?token=***',
    'nats://a.test/***',
    'mailto:a***@example.com',
  ])('refuses an address that was shown of another webhook: %s', async (url) => {
    await using test = await stage();
    const { webhook_id } = await test.create({ format: 'ntfy', url: 'https://a.test/topic', credential: 'token' });
    const issues = await issuesOf(test.update(webhook_id, { url }));
    expect(issues).toEqual([{ path: 'url', message: expect.stringContaining('Give all of it.') }]);
    expect((await test.stored(webhook_id)).url).toBe('https://a.test/topic');
    expect(await issuesOf(test.create({ url }))).toMatchObject([
      { path: 'url', message: expect.stringContaining('Give all of it.') },
    ]);
  });

  it('notes that an address changed, though both are shown alike', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    await test.update(webhook_id, { url: 'https://a.test/another' });
    expect((await test.newest()).after).toEqual({ address: 'changed' });
  });

  it('turns no receiver into a bucket, nor back, and keeps objects to an hour', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    const bucket = await test.create({ url: BUCKET, format: 'ndjson', credential: BUCKET_KEY, batch: { every: '1d' } });
    const toBucket = { url: BUCKET, format: 'parquet', credential: BUCKET_KEY };
    expect(await issuesOf(test.update(webhook_id, toBucket))).toMatchObject([{ path: 'format' }]);
    const back = { url: URL, format: 'json' };
    expect(await issuesOf(test.update(bucket.id, back))).toMatchObject([{ path: 'format' }]);
    expect(await issuesOf(test.update(bucket.id, { wake: { per: 'story' } }))).toMatchObject([{ path: 'wake' }]);
    expect(await issuesOf(test.update(bucket.id, { events: ['alert'] }))).toMatchObject([{ path: 'events' }]);
    expect(await issuesOf(test.update(bucket.id, { credential: 'x' }))).toMatchObject([{ path: 'credential' }]);
    expect((await test.update(bucket.id, { batch: null })).batch).toEqual({ every: '1h' });
  });

  it('is refused for a rule that is not there, and changes nothing then', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    const change = { rule_ids: ['rule_unknown'], description: 'x' };
    await expect(test.update(webhook_id, change)).rejects.toMatchObject({ code: 'not_found' });
    expect((await test.stored(webhook_id)).description).toBe('');
  });

  it('is refused for a list of rules without one that the contract names, unless that is changed too', async () => {
    await using test = await stage();
    const made = async (name: string) => (await test.call(test.alice, 'createRule', { ...RULE, name })).rule_id;
    const [alarm, first, planned] = [await made('Alarm'), await made('First'), await made('Planned')];
    const wake = { unless: planned, when: { within: '10m', after: first } };
    const { webhook_id } = await test.create({ rule_ids: [alarm, first, planned], wake });
    const issues = await issuesOf(test.update(webhook_id, { rule_ids: [alarm] }));
    expect(issues).toMatchObject([
      { path: 'rule_ids', message: expect.stringContaining('`wake.unless`') },
      { path: 'rule_ids', message: expect.stringContaining('`wake.when.after`') },
    ]);
    expect((await test.stored(webhook_id)).ruleIds).toEqual([alarm, first, planned]);
    expect((await test.update(webhook_id, { rule_ids: [first, planned] })).rule_ids).toEqual([first, planned]);
    expect((await test.update(webhook_id, { rule_ids: null })).rule_ids).toBeNull();
    expect((await test.update(webhook_id, { rule_ids: [alarm], wake: null })).rule_ids).toEqual([alarm]);
  });

  it('gives an agent that asks no name that another one of the account has', async () => {
    await using test = await stage();
    const agent = (name: string) => ({ url: `wake:${name}`, format: 'wake' });
    const bot = await test.create(agent('bot'));
    const other = await test.create(agent('other'));
    const taken = [{ path: 'url', message: expect.stringContaining(bot.id) }];
    expect(await issuesOf(test.create(agent('bot')))).toEqual(taken);
    expect(await issuesOf(test.update(other.id, { url: 'wake:bot' }))).toEqual(taken);
    await test.update(bot.id, { url: 'wake:bot', description: 'Its own name.' });
    await test.call(await test.caller('bob'), 'createWebhook', agent('bot'));
    await test.call(test.alice, 'deleteWebhook', { webhook_id: bot.id });
    expect((await test.update(other.id, { url: 'wake:bot' })).url).toBe('wake:bot');
  });

  it('and a creation that ask for the same name at once do not both get it', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({ url: 'wake:other', format: 'wake' });
    const made = () => test.create({ url: 'wake:bot', format: 'wake' });
    const results = await Promise.allSettled([made(), made(), test.update(webhook_id, { url: 'wake:bot' })]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { webhooks } = await test.call(test.alice, 'listWebhooks');
    expect(webhooks.filter(({ url }) => url === 'wake:bot')).toHaveLength(1);
  });

  it('of one webhook is one at a time', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    const both = [test.update(webhook_id, { rotate_secret: true }), test.update(webhook_id, { rotate_secret: true })];
    const [first, second] = await Promise.all(both);
    const { seal } = test.service.context;
    const { current, previous } = (await test.stored(webhook_id)).secrets;
    expect([seal.unseal(current), seal.unseal(previous!)]).toEqual([second!.secret, first!.secret]);
  });
});

describe('delete webhook', () => {
  it('takes it away with a note, once', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({ description: 'gone' });
    expect(await test.call(test.alice, 'deleteWebhook', { webhook_id })).toEqual({});
    expect(await test.newest()).toMatchObject({ what: 'webhook.deleted', before: { description: 'gone' } });
    const again = test.call(test.alice, 'deleteWebhook', { webhook_id });
    await expect(again).rejects.toMatchObject({ code: 'not_found', message: 'There is no such webhook.' });
  });

  it('and a change leave the webhook of another account alone', async () => {
    await using test = await stage();
    const { webhook_id } = await test.create({});
    const bob = await test.caller('bob');
    for (const name of ['deleteWebhook', 'updateWebhook', 'testWebhook'] as const)
      await expect(test.call(bob, name, { webhook_id })).rejects.toMatchObject({ code: 'not_found' });
    expect((await test.call(bob, 'listWebhooks')).webhooks).toEqual([]);
    expect((await test.stored(webhook_id)).status).toBe('active');
  });
});
