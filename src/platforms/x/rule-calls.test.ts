/** Requests about rules to a server that answers as X might, well or not. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver, type Received } from '../../../test/stages/receiver.ts';
import type { PlatformError } from '../platform.ts';
import { createPresence } from './quota.ts';
import { createRuleCalls, ruleCountsIn } from './rule-calls.ts';

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };

async function stand(answer: (received: Received, number: number) => Answer) {
  const clock = fakeClock();
  let number = 0;
  const server = await openReceiver((response, received) => {
    const { status = 200, headers = {}, body } = answer(received, number++);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  const calls = createRuleCalls(
    { baseUrl: server.url, token: () => 'secret-token', clock },
    { writes: 90, presence: createPresence() },
  );
  return { clock, calls, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const failureOf = async (call: Promise<unknown>): Promise<PlatformError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as PlatformError,
  );

describe('the list of rules at X', () => {
  it('is read page by page to its end', async () => {
    await using stage = await stand((_, number) => ({
      body: {
        data: [{ id: `${number + 1}`, value: `v${number}`, tag: 't' }],
        meta: number < 2 ? { next_token: `n&${number}` } : {},
      },
    }));
    expect((await stage.calls.list()).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(stage.server.received.map(({ path }) => path)).toEqual([
      '/2/tweets/search/stream/rules?max_results=1000',
      '/2/tweets/search/stream/rules?max_results=1000&pagination_token=n%260',
      '/2/tweets/search/stream/rules?max_results=1000&pagination_token=n%261',
    ]);
  });

  it('leaves out what is no rule', async () => {
    const data = [
      null,
      'x',
      { value: 'without id' },
      { id: 'a b', value: 'v' },
      { id: 7 },
      { id: '8', value: 'v', tag: 1 },
    ];
    await using stage = await stand(() => ({ body: { data } }));
    expect(await stage.calls.list()).toEqual([
      { id: '7', value: '', flags: {}, tag: undefined },
      { id: '8', value: 'v', flags: {}, tag: undefined },
    ]);
  });

  it('that never ends is given up after 100 pages, and is not taken for whole', async () => {
    await using stage = await stand(() => ({ body: { data: [], meta: { next_token: 'again' } } }));
    expect(await failureOf(stage.calls.list())).toMatchObject({
      fault: 'unreachable',
      message: "X's list of rules has more than 100 pages.",
    });
    expect(stage.server.received).toHaveLength(100);
  });

  it('that is answered with an odd status is no list', async () => {
    await using stage = await stand(() => ({ status: 404, body: { data: [{ id: '1', value: 'v' }] } }));
    expect(await failureOf(stage.calls.list())).toMatchObject({ fault: 'unreachable' });
  });
});

describe('the removal of rules at X', () => {
  it('says how many of them X did not know', async () => {
    await using stage = await stand(() => ({ body: { meta: { summary: { deleted: 1, not_deleted: 2 } } } }));
    expect(await stage.calls.remove(['1', '2', '3'])).toBe(2);
    expect(JSON.parse(stage.server.received[0]!.body)).toEqual({ delete: { ids: ['1', '2', '3'] } });
  });

  it('fails when X says nothing of them, in its words and without our token', async () => {
    await using stage = await stand(() => ({ status: 422, body: { title: 'No', detail: 'Not with secret-token' } }));
    expect(await failureOf(stage.calls.remove(['1']))).toMatchObject({
      fault: 'unreachable',
      message: 'X did not delete the rules (status 422).',
      upstreamMessage: 'Not with [secret]',
    });
  });
});

describe('an offer of rules to X', () => {
  const wanted = (value: string, tag: string) => ({ value, flags: {}, tag });

  it('names values and tags, and leaves out an empty tag', async () => {
    await using stage = await stand(() => ({ status: 201, body: { data: [{ id: '1', value: 'a' }] } }));
    const outcomes = await stage.calls.offer([wanted('a', 't'), wanted('b', '')], { dryRun: false });
    expect([...outcomes]).toEqual([['a', { id: '1' }]]);
    await stage.calls.offer([wanted('a', 't')], { dryRun: true });
    expect(stage.server.received.map(({ path, body }) => [path, JSON.parse(body) as unknown])).toEqual([
      ['/2/tweets/search/stream/rules', { add: [{ value: 'a', tag: 't' }, { value: 'b' }] }],
      ['/2/tweets/search/stream/rules?dry_run=true', { add: [{ value: 'a', tag: 't' }] }],
    ]);
  });

  it.each([400, 404, 409, 422])('that is refused with status %i is about the rules themselves', async (status) => {
    await using stage = await stand(() => ({ status, body: { title: 'Bad', detail: 'no secret-token' } }));
    const outcomes = await stage.calls.offer([wanted('a', '')], { dryRun: false });
    expect(outcomes.get('a')).toMatchObject({ error: { fault: 'refused', upstreamMessage: 'no [secret]' } });
  });

  it.each([
    [429, { title: 'UsageCapExceeded' }, 'limit', "X's monthly cap is used up."],
    [402, {}, 'unreachable', "X's account has no credit left."],
    [401, {}, 'unreachable', 'X does not accept the bearer token (status 401).'],
    [403, {}, 'unreachable', 'X does not accept the bearer token (status 403).'],
    [503, {}, 'unreachable', 'X answered 503.'],
  ])('that fails with status %i and %j says why, and when to come back', async (status, body, fault, message) => {
    await using stage = await stand(() => ({ status, body, headers: { 'retry-after': '30' } }));
    const failure = await failureOf(stage.calls.offer([wanted('a', '')], { dryRun: false }));
    expect(failure).toMatchObject({ fault, message, retryAfter: 30 });
  });

  it('says nothing of coming back where X does not', async () => {
    await using stage = await stand(() => ({ status: 503, body: {} }));
    expect((await failureOf(stage.calls.list())).retryAfter).toBeUndefined();
  });

  it('is limited apart from lists and counts', async () => {
    await using stage = await stand(() => ({ body: { data: [] } }));
    for (let call = 0; call < 90; call++) await stage.calls.remove(['1']);
    expect(await failureOf(stage.calls.remove(['1']))).toMatchObject({ fault: 'limit', retryAfter: 900 });
    expect(await stage.calls.list()).toEqual([]);
    expect(stage.server.received).toHaveLength(91);
  });
});

describe('a limit that X states', () => {
  it('is kept: nothing more is asked before its time', async () => {
    const reset = Date.parse('2026-11-15T08:35:00.000Z') / 1_000;
    await using stage = await stand(() => ({
      status: 429,
      headers: { 'x-rate-limit-reset': String(reset), date: 'Sun, 15 Nov 2026 08:30:00 GMT' },
      body: { title: 'Too Many Requests' },
    }));
    expect(await failureOf(stage.calls.list())).toMatchObject({ fault: 'limit', retryAfter: 300 });
    expect(await failureOf(stage.calls.list())).toMatchObject({ fault: 'limit', retryAfter: 300 });
    expect(stage.server.received).toHaveLength(1);
    await stage.clock.pass(300_000);
    await failureOf(stage.calls.list());
    expect(stage.server.received).toHaveLength(2);
  });

  it('without a time is a minute', async () => {
    await using stage = await stand(() => ({ status: 429, body: {} }));
    expect(await failureOf(stage.calls.list())).toMatchObject({ fault: 'limit', retryAfter: 60 });
  });

  it.each([
    [402, { title: 'CreditsDepleted', type: 'https://api.x.com/2/problems/credits' }, 'unreachable'],
    [500, {}, 'unreachable'],
  ])('or a refusal with status %i names what is wrong', async (status, body, fault) => {
    await using stage = await stand(() => ({ status, body }));
    expect(await failureOf(stage.calls.list())).toMatchObject({ fault });
  });
});

describe('the room for rules at X', () => {
  it('is asked for, and unknown when X does not say', async () => {
    const data = { client_app_rules_count: { rule_count: 3 }, cap_per_client_app: 10 };
    await using stage = await stand((_, number) =>
      number === 0 ? { body: { data } } : { status: 404, body: { data } },
    );
    expect(await stage.calls.counts()).toEqual({ cap: 10, used: 3 });
    expect(await stage.calls.counts()).toBeUndefined();
  });

  it.each([
    ['the cap of the app', { cap_per_client_app: 10, cap_per_project: 100 }, 10],
    [
      "what other apps leave of the project's",
      { cap_per_client_app: 50, cap_per_project: 20, project_rules_count: 15 },
      8,
    ],
    ['the project alone', { cap_per_project: 20 }, 20],
    ['nothing, when others have used it up', { cap_per_project: 5, project_rules_count: 90 }, 0],
  ])('is %s', (_, data, cap) => {
    expect(ruleCountsIn({ client_app_rules_count: { rule_count: 3 }, ...data })).toEqual({ cap, used: 3 });
  });

  it('is unknown without any cap', () => expect(ruleCountsIn({ project_rules_count: 4 })).toBeUndefined());
});
