/** The errors that a caller is told when Firehose answers about rules in ways that the sandbox does not. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver, type Received } from '../../../test/stages/receiver.ts';
import type { PlatformError } from '../platform.ts';
import { FirehoseRules } from './rules.ts';

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown };
type Asked = Received & { readonly method: string };

async function stand(answer: (asked: Asked, number: number) => Answer | 'cut') {
  const clock = fakeClock();
  const asked: Asked[] = [];
  const server = await openReceiver((response, received, { method = '' }) => {
    asked.push({ ...received, method });
    const given = answer(asked.at(-1)!, asked.length - 1);
    if (given === 'cut') return void response.destroy();
    const { status = 200, headers = {}, body = {} } = given;
    response.writeHead(status, headers);
    response.end(status === 204 ? undefined : JSON.stringify(body));
  });
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const options = {
    baseUrl: server.url,
    token: () => 'fh_secret',
    clock,
    random: () => 0,
    log: quiet,
    count: () => {},
  };
  const rules = new FirehoseRules(options, 25);
  return { clock, rules, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const failureOf = async (call: Promise<unknown>): Promise<PlatformError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as PlatformError,
  );

const wanted = (value: string) => ({ value, flags: {}, tag: 'ours' });
const listed = (id: string, value: string) => ({ id, value, tag: 'ours', quality: true, nsfw: false });
const isList = ({ method, path }: Asked): boolean => method === 'GET' && path === '/v1/rules';

describe('a call about rules that Firehose refuses', () => {
  it.each([
    [401, {}, { fault: 'unreachable', message: 'Firehose does not accept the token (status 401).' }],
    [403, {}, { fault: 'unreachable', message: 'Firehose does not accept the token (status 403).' }],
    [404, {}, { fault: 'unreachable', message: 'Firehose does not accept the token (status 404).' }],
    [400, { message: 'Bad' }, { fault: 'refused', message: 'Firehose does not accept this rule.' }],
    [413, { message: 'Bad' }, { fault: 'refused', upstreamMessage: 'Bad' }],
    [422, { message: 'Bad fh_secret' }, { fault: 'refused', upstreamMessage: 'Bad [secret]' }],
    [422, { message: 'Rule limit reached' }, { fault: 'limit', message: expect.stringContaining('plan allows') }],
    [500, { message: 'Oops' }, { fault: 'unreachable', message: 'Firehose answered 500.', upstreamMessage: 'Oops' }],
  ])('with status %i names what is wrong', async (status, body, expected) => {
    await using stage = await stand(() => ({ status, body }));
    const failure = await failureOf(stage.rules.held());
    expect(failure).toMatchObject(expected);
    expect(failure.retryAfter).toBeUndefined();
  });

  it('passes on when to come back', async () => {
    await using stage = await stand(() => ({ status: 503, headers: { 'retry-after': '30' } }));
    expect(await failureOf(stage.rules.held())).toMatchObject({ fault: 'unreachable', retryAfter: 30 });
  });

  it('because there were too many is not repeated before its time', async () => {
    await using stage = await stand(() => ({ status: 429, headers: { 'retry-after': '30' } }));
    expect(await failureOf(stage.rules.held())).toMatchObject({ fault: 'limit', retryAfter: 30 });
    await stage.clock.pass(19_999);
    expect(await failureOf(stage.rules.held())).toMatchObject({ fault: 'limit', retryAfter: 11 });
    expect(stage.asked).toHaveLength(1);
    await stage.clock.pass(1);
    // Ten seconds are waited for.
    const waiting = failureOf(stage.rules.held());
    await stage.clock.pass(9_999);
    expect(stage.asked).toHaveLength(1);
    await stage.clock.pass(1);
    expect(await waiting).toMatchObject({ fault: 'limit' });
    expect(stage.asked).toHaveLength(2);
  });

  it('is waited for longer each time, from ten seconds to 15 minutes, until one succeeds', async () => {
    const given: Answer[] = [
      { status: 429 },
      { status: 429 },
      { status: 429, headers: { 'retry-after': '999999' } },
      { body: { data: [] } },
      { status: 429 },
    ];
    await using stage = await stand((_, number) => given[number]!);
    for (const seconds of [10, 20, 900]) {
      expect(await failureOf(stage.rules.held())).toMatchObject({ retryAfter: seconds });
      await stage.clock.pass(seconds * 1_000);
    }
    expect(await stage.rules.held()).toEqual([]);
    expect(await failureOf(stage.rules.held())).toMatchObject({ retryAfter: 10 });
  });

  it('is no list without a list in it', async () => {
    await using stage = await stand(() => ({ body: { rules: [] } }));
    expect(await failureOf(stage.rules.held())).toMatchObject({
      fault: 'unreachable',
      message: 'Firehose did not list its rules.',
    });
  });
});

describe('a rule that is tried', () => {
  it('is accepted, or refused in the words of Firehose; a version without the call accepts', async () => {
    const given: Answer[] = [
      { body: { valid: true } },
      { status: 404 },
      { body: { valid: false, diagnostics: [{ severity: 'error', message: 'No fh_secret' }] } },
      { status: 500 },
    ];
    await using stage = await stand((_, number) => given[number]!);
    await stage.rules.validate('rain');
    await stage.rules.validate('rain');
    expect(await failureOf(stage.rules.validate('rain'))).toMatchObject({
      fault: 'refused',
      upstreamMessage: 'No [secret]',
    });
    expect(await failureOf(stage.rules.validate('rain'))).toMatchObject({ fault: 'unreachable' });
    expect(stage.asked[0]).toMatchObject({ method: 'POST', path: '/v1/validate', body: '{"query":"rain"}' });
  });
});

describe('rules that are registered', () => {
  it('are adopted if they are held, created if not, and equal ones are created once', async () => {
    await using stage = await stand((asked) =>
      isList(asked) ? { body: { data: [listed('1', 'storm')] } } : { status: 201, body: { data: listed('2', 'rain') } },
    );
    const answers = await stage.rules.register([wanted('storm'), wanted('rain'), wanted('rain')]);
    expect(answers).toEqual([{ id: '1' }, { id: '2' }, { id: '2' }]);
    expect([stage.asked.length, stage.rules.created]).toEqual([2, 1]);
  });

  it('have an answer each: a refusal concerns one value, any other error all that follow', async () => {
    const statuses: Record<string, number> = { bad: 422, good: 201, late: 500 };
    await using stage = await stand((asked) => {
      if (isList(asked)) return { body: { data: [] } };
      const { value } = JSON.parse(asked.body) as { value: string };
      return { status: statuses[value]!, body: { data: listed('7', value) } };
    });
    const answers = await stage.rules.register([wanted('bad'), wanted('good'), wanted('late'), wanted('after')]);
    expect(answers).toMatchObject([
      { error: { fault: 'refused' } },
      { id: '7' },
      { error: { fault: 'unreachable' } },
      { error: { fault: 'unreachable' } },
    ]);
    expect(stage.asked.filter(({ body }) => body.includes('after'))).toEqual([]);
  });

  it('are looked for when an answer was lost, and not created twice', async () => {
    await using stage = await stand((asked, number) => {
      if (asked.method === 'POST') return 'cut';
      return { body: { data: number === 0 ? [] : [listed('9', 'rain')] } };
    });
    expect(await stage.rules.register([wanted('rain')])).toEqual([{ id: '9' }]);
    expect(stage.asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });

  it('are created again when a lost call created nothing, and one that came late after all is deleted', async () => {
    const lists = [[], [], [listed('9', 'rain'), listed('10', 'rain'), listed('11', 'other')]];
    await using stage = await stand((asked, number) => {
      if (asked.method === 'DELETE') return { status: 204 };
      if (isList(asked)) return { body: { data: lists.shift() } };
      return number === 1 ? 'cut' : { status: 200, body: { data: listed('10', 'rain') } };
    });
    expect(await stage.rules.register([wanted('rain')])).toEqual([{ id: '9' }]);
    expect(stage.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/rules',
      'POST /v1/rules',
      'GET /v1/rules',
      'POST /v1/rules',
      'GET /v1/rules',
      'DELETE /v1/rules/10',
    ]);
  });

  it('are not taken for created when Firehose lists none, or does not say which', async () => {
    await using unlisted = await stand((asked, number) => {
      if (isList(asked)) return { body: { data: [] } };
      return number === 1 ? 'cut' : { status: 200, body: { data: listed('10', 'rain') } };
    });
    expect(await unlisted.rules.register([wanted('rain')])).toMatchObject([
      { error: { fault: 'unreachable', message: 'Firehose does not list the rule that it created.' } },
    ]);
    await using unsaid = await stand((asked) => ({ body: isList(asked) ? { data: [] } : {} }));
    expect(await unsaid.rules.register([wanted('rain')])).toMatchObject([
      { error: { fault: 'unreachable', message: 'Firehose did not say which rule it created.' } },
    ]);
    expect(unsaid.rules.created).toBe(0);
  });
});

describe('changes of rules', () => {
  it('run one after the other, and go on after one that failed', async () => {
    await using stage = await stand((asked, number) => {
      if (number === 0) return { status: 500 };
      return isList(asked) ? { body: { data: [] } } : { body: { data: listed('1', 'rain') } };
    });
    const [first, second, third] = await Promise.allSettled([
      stage.rules.register([wanted('rain')]),
      stage.rules.register([wanted('rain')]),
      stage.rules.unregister(['4', '5']),
    ]);
    expect([first.status, second.status, third.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(stage.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/rules',
      'GET /v1/rules',
      'POST /v1/rules',
      'DELETE /v1/rules/4',
      'DELETE /v1/rules/5',
    ]);
  });

  it.each([200, 204, 404])('leave no rule behind when a removal is answered with %i', async (status) => {
    await using stage = await stand(() => ({ status }));
    await stage.rules.unregister(['4']);
    expect(stage.asked).toHaveLength(1);
  });

  it('go on with removals where the last try stopped', async () => {
    await using stage = await stand((_, number) => ({ status: number === 2 ? 500 : 204 }));
    const ids = ['1', '2', '3', '4'];
    expect(await failureOf(stage.rules.unregister(ids))).toMatchObject({ fault: 'unreachable' });
    await stage.rules.unregister(ids);
    const deleted = ({ path }: Asked) => path.replace('/v1/rules/', '');
    expect(stage.asked.map(deleted)).toEqual(['1', '2', '3', '3', '4']);
    // Only for the tries of one removal: what is asked anew is asked of Firehose.
    await stage.rules.unregister(['1']);
    expect(stage.asked.map(deleted).at(-1)).toBe('1');
  });

  it('fail when a removal is not answered so', async () => {
    await using stage = await stand(() => ({ status: 500 }));
    expect(await failureOf(stage.rules.unregister(['4']))).toMatchObject({ fault: 'unreachable' });
  });

  it('are held to the room that there is', async () => {
    await using stage = await stand(() => ({ body: { data: [listed('1', 'a'), listed('2', 'b')] } }));
    expect(await stage.rules.capacity()).toMatchObject({ rules: 25, used: 2 });
  });
});
