import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService, type TestOptions } from '../../../test/stages/service.ts';
import { ServiceError } from '../errors.ts';
import { ACCOUNT_LIMITS, type LimitCode, limitReached } from '../limits.ts';
import { waitForMatches } from './wait-for-matches.ts';

const SRC = join(import.meta.dirname, '../..');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

const codes = Object.keys(ACCOUNT_LIMITS) as LimitCode[];

describe('every limit', () => {
  it.each(codes)('%s names itself and how to get more, and is used', (code) => {
    const error = limitReached(code, 'The limit is 7.', { support: 'help@example.com', retryAfter: 3 });
    expect(error).toMatchObject({ code: 'resource_exhausted', details: { limit_code: code }, retryAfter: 3 });
    expect(error.message).toContain(ACCOUNT_LIMITS[code].more);
    expect(error.message).toMatch(/^The limit is 7\. Try again in 3 s\. .*; ask help@example\.com\.$/);
    expect(sources.filter(({ path, text }) => path !== 'service/limits.ts' && text.includes(`'${code}'`))).not.toEqual(
      [],
    );
  });

  it('is refused in one way: no other place makes such an error', () => {
    const makers = sources
      .filter(({ text }) => /ServiceError\(\s*'resource_exhausted'/.test(text))
      .map(({ path }) => path);
    expect(makers).toEqual(['service/limits.ts']);
  });
});

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
    expect(limits).toEqual(
      expect.arrayContaining([
        { code: 'requests_per_key', limit: 600, used: null },
        { code: 'pushed_bytes_per_day', limit: null, used: 0 },
        { code: 'x_rules', limit: 7, used: 0 },
        { code: 'firehose_rules', limit: 50, used: 1 },
        { code: 'keys', limit: 100, used: 1 },
        { code: 'streams', limit: 1_000, used: 0 },
      ]),
    );
  });
});

const statusOf = async (test: Opened, caller: Awaited<ReturnType<Opened['caller']>>, code: LimitCode) =>
  (await test.call(caller, 'status')).limits.find((one) => one.code === code);
