import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { createReader } from '../reader/reader.ts';
import { createRelevance } from '../reader/relevance.ts';
import { noMetrics } from '../telemetry.ts';
import { createOutlets, type OutletOptions } from './outlets.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

/** A service whose receivers answer as the test says. */
async function stage(delivery: Partial<OutletOptions> = {}) {
  const clock = fakeClock();
  const counted: string[] = [];
  const answers = { status: 200 };
  const sent: { url: string; body: string }[] = [];
  const test = await openService({
    clock,
    metrics: {
      ...noMetrics,
      delivery: (outcome) => void counted.push(outcome),
      webhookDisabled: () => void counted.push('disabled'),
    },
    delivery: {
      random: () => 0.5,
      send: async ({ url, body }) => {
        sent.push({ url, body });
        const error = answers.status < 300 ? undefined : `It answered ${answers.status}.`;
        return { statusCode: answers.status, error, response: '', overloaded: false, retryAfter: undefined };
      },
      ...delivery,
    },
  });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', RULE);
  await test.call(alice, 'createWebhook', { url: 'https://a.test/in' });
  const push = async (text: string) => {
    const pushed = test.post(alice, text);
    await clock.pass(2_000);
    await pushed;
  };
  return Object.assign(test, { clock, alice, answers, counted, sent, push });
}

describe('the attempts of a delivery', () => {
  it('are counted by what came of them', async () => {
    await using test = await stage();
    await test.push('a storm');
    expect(test.counted).toEqual(['delivered']);
    test.answers.status = 500;
    await test.push('another storm');
    expect(test.counted).toEqual(['delivered', 'retrying']);
    test.answers.status = 410;
    await test.clock.pass(3_600_000);
    expect(test.counted).toEqual(['delivered', 'retrying', 'failed', 'disabled']);
    const { webhooks } = await test.call(test.alice, 'listWebhooks');
    expect(webhooks).toMatchObject([{ status: 'disabled', reason: expect.stringContaining('410') }]);
  });

  it('name the page to rate at where the server has an address', async () => {
    await using test = await stage({ publicUrl: 'https://sluice.example//' });
    const { context } = test.service;
    await test.push('a storm');
    const [match] = (await context.reader.page({ accountId: test.alice.account.id, limit: 1 })).matches;
    expect(context.encode.rateUrl?.(match!)).toBe(
      `https://sluice.example/#/matches?rule=${match!.ruleId}&match=${match!.id}`,
    );
    expect(context.encode.server).toBe('https://sluice.example//');
    await using without = await stage();
    expect(without.service.context.encode.rateUrl).toBeUndefined();
  });
});

describe('the ways out', () => {
  const made = async (given: Partial<OutletOptions> = {}) => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const holder = { id: 'one', isGone: () => false };
    const relevance = createRelevance({ store, clock });
    const reader = createReader({ store, relevance, queryOf: () => undefined });
    return createOutlets({ store, reader, clock, log, version: '1', metrics: noMetrics, holder }, given);
  };

  it('have these bounds when nothing else is set', async () => {
    const { options, mail, traces } = await made();
    expect(options).toMatchObject({ streams: 1_000, allowPrivate: false });
    expect([options.sealingKey.length, options.ownAddresses(), mail, traces]).toEqual([32, [], undefined, undefined]);
  });

  it('send mail where there is a mail server and an address', async () => {
    const mail = { url: 'smtp://127.0.0.1:1', from: 'sluice@sluice.example' };
    expect((await made({ mail })).mail).toBeUndefined();
    expect((await made({ publicUrl: 'https://sluice.example' })).mail).toBeUndefined();
    expect((await made({ mail, publicUrl: 'https://sluice.example' })).mail).toBeDefined();
  });

  it('read each other’s secrets and cursors with the same key alone', async () => {
    const sealingKey = new Uint8Array(32).fill(7);
    const [one, two, other] = [await made({ sealingKey }), await made({ sealingKey }), await made()];
    const sealed = one.seal.seal('secret');
    expect([two.seal.unseal(sealed), other.seal.unseal(sealed)]).toEqual(['secret', undefined]);
    const cursor = one.cursors.write('a', 'older', 7);
    expect(two.cursors.read('a', 'older', 'cursor', cursor)).toBe(7);
    expect(() => other.cursors.read('a', 'older', 'cursor', cursor)).toThrow(/cursor/i);
  });
});
