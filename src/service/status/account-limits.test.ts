import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';
import { ANSWERS_OF_ACCOUNT } from '../../store/nouns/answers.ts';
import { ServiceError } from '../errors.ts';
import {
  ACCOUNT_LIMITS,
  type LimitCode,
  MAX_ACCOUNT_SUBSCRIPTIONS,
  MAX_AGENT_SUBSCRIPTIONS,
  MAX_EXPORTS,
  MAX_FEEDS,
  MAX_GRANTS,
  MAX_MAIL_CONFIRMATIONS,
  MAX_REHEARSALS,
  MAX_SILENCES,
  MAX_VIEWS,
  MAX_WAITING_PREVIEWS,
  MAX_WAITS,
  MAX_WEBHOOKS,
} from '../limits.ts';
import { waitForMatches } from '../matches/wait-for-matches.ts';
import { limitsOf } from './account-limits.ts';

const codes = Object.keys(ACCOUNT_LIMITS) as LimitCode[];

/** A service with these limits, and the error that the work ends with. */
async function errorOf(limits: TestOptions['limits'], work: (test: Opened) => Promise<unknown>): Promise<ServiceError> {
  await using test = await openService(limits === undefined ? {} : { limits });
  const error: unknown = await work(test).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error('no limit was reached');
  return error;
}
type Opened = Awaited<ReturnType<typeof openService>>;

const pageRule = (word: string) => ({
  name: word,
  intent: '',
  platforms: ['firehose'],
  overrides: { firehose: `title:${word}` },
});

describe('the limits of an account', () => {
  it('count rules on firehose, when the operator says how many', async () => {
    const error = await errorOf({ firehoseRules: 2 }, async (test) => {
      const alice = await test.caller('alice');
      await test.call(await test.caller('bob'), 'createRule', pageRule('a'));
      for (const word of ['a', 'b', 'c']) await test.call(alice, 'createRule', pageRule(word));
    });
    expect(error.details).toEqual({ limit_code: 'firehose_rules', platform: 'firehose', limit: 2, used: 2 });
    expect(error.message).toContain('SLUICE_FIREHOSE_RULES');
  });

  it('count sources without reading them: their options may have megabytes', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const given = { kind: 'feeds', name: 'News', options: { urls: ['https://a.example/feed'] } };
    for (const _ of [1, 2]) await test.call(alice, 'createSource', given);
    Object.assign(test.store, { accountSources: () => Promise.reject(new Error('The sources were read.')) });
    const { limits } = await test.call(alice, 'status', {});
    expect(limits.find(({ code }) => code === 'sources')).toMatchObject({ used: 2 });
  });

  it('count pushed bytes by the minute and by the day, of each account by itself', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock, limits: { pushedPerMinute: 100, pushedPerDay: 150 } });
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const push = (who: typeof alice, bytes: number) =>
      test.call(who, 'pushEvents', { platform: 'x', lines: ' '.repeat(bytes) });
    await push(alice, 60);
    await expect(push(alice, 60)).rejects.toMatchObject({
      details: { limit_code: 'pushed_bytes_per_minute', limit: 100, used: 60 },
      retryAfter: expect.any(Number),
    });
    await push(bob, 60);
    await push(alice, 40);
    await clock.pass(60_000);
    await expect(push(alice, 51)).rejects.toMatchObject({ details: { limit_code: 'pushed_bytes_per_day', used: 100 } });
    await push(alice, 50);
    await clock.pass(24 * 60 * 60_000);
    await push(alice, 100);
  });

  it('count the requests that wait for matches, and let one in when another ends', async () => {
    await using test = await openService({ limits: { waits: 2 } });
    const alice = await test.caller('alice');
    const { context } = test.service;
    const ending = new AbortController();
    const wait = (signal: AbortSignal) => waitForMatches(context, alice, { limit: 1, milliseconds: 60_000 }, signal);
    const never = new AbortController();
    const waiting = [wait(ending.signal), wait(never.signal)];
    await expect.poll(() => context.matchSignals.countOf(alice.account.id)).toBe(2);
    await expect(wait(never.signal)).rejects.toMatchObject({
      details: { limit_code: 'waits', limit: 2 },
      retryAfter: 5,
    });
    expect(await statusOf(test, alice, 'waits')).toEqual({ code: 'waits', limit: 2, used: 2 });
    ending.abort();
    await waiting[0];
    expect(context.matchSignals.countOf(alice.account.id)).toBe(1);
    never.abort();
    await waiting[1];
    expect(context.matchSignals.countOf(alice.account.id)).toBe(0);
  });

  it('are in Status, with what is used where that is counted', async () => {
    await using test = await openService({ limits: { requestsPerKey: 600, firehoseRules: 50 } });
    const alice = await test.caller('alice', { xRules: 7 });
    await test.call(alice, 'createRule', pageRule('a'));
    const { limits } = await test.call(alice, 'status');
    const own = codes.filter(
      (code) => !['wrong_secrets', 'feed_requests', 'upstream_rules', 'challenges'].includes(code),
    );
    expect(limits.map(({ code }) => code).toSorted()).toEqual(own.toSorted());
    expect(Object.fromEntries(limits.map(({ code, limit, used }) => [code, [limit, used]]))).toEqual({
      requests_per_key: [600, null],
      requests_per_account: [null, null],
      cpu_ms_per_minute: [null, null],
      pushed_bytes_per_minute: [null, 0],
      pushed_bytes_per_day: [null, 0],
      matches_per_day: [null, 0],
      stored_bytes: [null, 0],
      sources: [null, 0],
      source_fetches_per_hour: [null, 0],
      source_bytes_per_day: [null, 0],
      source_interval_seconds: [null, null],
      x_rules: [7, 0],
      firehose_rules: [50, 1],
      x_budget: [null, null],
      keys: [100, 1],
      webhooks: [MAX_WEBHOOKS, 0],
      feeds: [MAX_FEEDS, 0],
      views: [MAX_VIEWS, 0],
      silences: [MAX_SILENCES, 0],
      connected_agents: [MAX_GRANTS, 0],
      subscriptions: [MAX_ACCOUNT_SUBSCRIPTIONS, 0],
      subscriptions_per_agent: [MAX_AGENT_SUBSCRIPTIONS, null],
      mail_confirmations: [MAX_MAIL_CONFIRMATIONS, null],
      idempotency_keys: [ANSWERS_OF_ACCOUNT, null],
      streams: [1_000, 0],
      waits: [MAX_WAITS, 0],
      previews_waiting: [MAX_WAITING_PREVIEWS, null],
      exports: [MAX_EXPORTS, null],
      rehearsals: [MAX_REHEARSALS.unfinished, 0],
    });
  });

  it('in Status are those that the operator set, and count what the account has', async () => {
    const limits = { requestsPerAccount: 900, pushedPerMinute: 10_000, pushedPerDay: 20_000, waits: 3 };
    await using test = await openService({ limits });
    const alice = await test.caller('alice', { xRules: 7 });
    const { context } = test.service;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.call(alice, 'createRule', rule);
    for (const url of ['https://a.example/1', 'https://a.example/2']) await test.call(alice, 'createWebhook', { url });
    await test.call(alice, 'createFeed', { name: 'Storms', rule_id });
    await test.call(alice, 'createView', { name: 'Mine', query: 'rule=1' });
    const until = new Date(context.clock.now().getTime() + 60_000).toISOString();
    await test.call(alice, 'createSilence', { until, reason: 'Tests.' });
    await test.post(alice, 'a storm');
    const shown = await limitsOf(context, { ...alice.account, xBudget: 12.5 }, { x: 1 });
    expect(Object.fromEntries(shown.map(({ code, limit, used }) => [code, [limit, used]]))).toMatchObject({
      requests_per_account: [900, null],
      pushed_bytes_per_minute: [10_000, expect.toSatisfy((used: number) => used > 30)],
      pushed_bytes_per_day: [20_000, expect.toSatisfy((used: number) => used > 30)],
      x_rules: [7, 1],
      firehose_rules: [null, 0],
      x_budget: [12.5, null],
      webhooks: [MAX_WEBHOOKS, 2],
      feeds: [MAX_FEEDS, 1],
      views: [MAX_VIEWS, 1],
      silences: [MAX_SILENCES, 1],
      waits: [3, 0],
    });
  });
});

const statusOf = async (test: Opened, caller: Awaited<ReturnType<Opened['caller']>>, code: LimitCode) =>
  (await test.call(caller, 'status')).limits.find((one) => one.code === code);
