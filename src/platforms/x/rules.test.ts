import { describe, expect, it } from 'vitest';
import { xStage } from '../../../test/stages/x-stage.ts';
import { PlatformError } from '../platform.ts';
import { addRules, removeRules } from './platform.ts';
import type { RuleCalls, RuleOutcome } from './rule-calls.ts';

const wanted = (...values: string[]) => values.map((value) => ({ value, flags: {}, tag: `t ${value}` }));
const failureOf = async (call: Promise<unknown>): Promise<PlatformError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as PlatformError,
  );

describe('the rules of X', () => {
  it.each([true, false])('adopts a rule that is held already, with its id in the answer: %s', async (withId) => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X20', { with_id: withId });
    const [answer] = await stage.platform.register(wanted('storm'));
    const [held] = stage.sandbox.rules('x');
    expect(answer).toEqual({ id: held?.id });
    expect(stage.sandbox.rules('x')).toHaveLength(1);
    expect(stage.sandbox.fired('X20')).toBe(1);
  });

  it('finds its rule again when the answer was lost', async () => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X21');
    expect(await failureOf(stage.platform.register(wanted('storm')))).toMatchObject({ fault: 'unreachable' });
    const [answer] = await stage.platform.register(wanted('storm'));
    expect(answer).toEqual({ id: stage.sandbox.rules('x')[0]?.id });
    expect(stage.sandbox.rules('x')).toHaveLength(1);
  });

  it('tells what is wrong with each rule, and makes the good ones all the same', async () => {
    await using stage = await xStage({ rules: [] });
    const [good, bad, other] = await stage.platform.register(wanted('storm', '-storm', 'hail'));
    const held = new Map(stage.sandbox.rules('x').map(({ value, id }) => [value, id]));
    expect(good).toEqual({ id: held.get('storm') });
    expect(other).toEqual({ id: held.get('hail') });
    expect(bad).toMatchObject({
      error: { fault: 'refused', upstreamMessage: expect.stringContaining('non-negation') as string },
    });
  });

  it('reads refusals from a body whose status is 200', async () => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X22', { reason: 'No such \u202eoperator' });
    const answers = await stage.platform.register(wanted('storm', 'hail'));
    expect(answers[0]).toMatchObject({
      error: { message: 'X does not accept this rule.', upstreamMessage: 'No such operator' },
    });
    expect(answers[1]).toHaveProperty('id');
  });

  it('says that there is no room', async () => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X23');
    expect(await stage.platform.register(wanted('storm'))).toMatchObject([{ error: { fault: 'limit' } }]);
    expect(stage.sandbox.rules('x')).toEqual([]);
  });

  it('validates without making anything, also what is held', async () => {
    await using stage = await xStage({ rules: ['storm'] });
    await stage.platform.validate('hail', {});
    await stage.platform.validate('storm', {});
    expect(await failureOf(stage.platform.validate('-hail', {}))).toMatchObject({ fault: 'refused' });
    expect(stage.sandbox.rules('x')).toHaveLength(1);
  });

  it('takes rules away of which some were gone', async () => {
    await using stage = await xStage({ rules: ['storm', 'hail', 'rain'] });
    const ids = stage.sandbox.rules('x').map(({ id }) => id);
    stage.sandbox.dropRule('x', ids[1]!);
    await stage.platform.unregister(ids.slice(0, 2));
    expect(stage.sandbox.rules('x').map(({ value }) => value)).toEqual(['rain']);
  });

  it('stays below the limit of changes, and says when there is room again', async () => {
    await using stage = await xStage({ rules: [] });
    for (let call = 0; call < 90; call++) await stage.platform.validate('storm', {});
    const calls = stage.sandbox.calls.length;
    const error = await failureOf(stage.platform.register(wanted('storm')));
    expect(error).toMatchObject({ fault: 'limit', retryAfter: 900 });
    expect(stage.sandbox.calls).toHaveLength(calls);
    await stage.clock.pass(900_000);
    expect(await stage.platform.register(wanted('storm'))).toMatchObject([{ id: expect.any(String) as string }]);
  });

  it.each([
    [401, 'unreachable'],
    [403, 'unreachable'],
  ])('cannot be asked with a token that is answered %d', async (status, fault) => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X18', { status });
    const error = await failureOf(stage.platform.register(wanted('storm')));
    expect(error).toMatchObject({ fault });
    expect(error.message).not.toContain(stage.token);
  });

  it('follows no redirect', async () => {
    await using stage = await xStage({ rules: [] });
    stage.sandbox.throwFault('X32');
    expect(await failureOf(stage.platform.held())).toMatchObject({ fault: 'unreachable', message: 'X answered 307.' });
  });
});

/** An X that holds these ids and answers as told; what it was asked is noted. */
function scripted(held: string[], answer: Partial<RuleCalls> = {}) {
  const asked: string[][] = [];
  const calls: RuleCalls = {
    async offer(batch) {
      asked.push(batch.map(({ value }) => value));
      return new Map<string, RuleOutcome>(batch.map(({ value }) => [value, { id: `id of ${value}` }]));
    },
    async remove(ids) {
      asked.push([...ids]);
      return 0;
    },
    list: async () => held.map((id) => ({ id, value: `value of ${id}`, flags: {}, tag: undefined })),
    counts: async () => undefined,
    ...answer,
  };
  return { calls, asked };
}

describe('batches of rules', () => {
  const many = Array.from({ length: 250 }, (_, index) => `r${index}`);

  it('are of 100 at most, in both directions, and nothing is left out', async () => {
    const { calls, asked } = scripted([]);
    expect(await addRules(calls, wanted(...many))).toEqual(many.map((value) => ({ id: `id of ${value}` })));
    await removeRules(calls, many);
    expect(asked.map(({ length }) => length)).toEqual([100, 100, 50, 100, 100, 50]);
    expect(asked.slice(0, 3).flat()).toEqual(many);
    expect(asked.slice(3).flat()).toEqual(many);
  });

  it('are asked for again without the ids that X does not hold any more, and only those', async () => {
    const removed: string[][] = [];
    const { calls } = scripted(['2', '4', 'of another'], {
      async remove(ids) {
        removed.push([...ids]);
        return removed.length === 1 ? 2 : 0;
      },
    });
    await removeRules(calls, ['1', '2', '3', '4']);
    expect(removed).toEqual([
      ['1', '2', '3', '4'],
      ['2', '4'],
    ]);
  });

  it('are not taken for removed when the second request fails', async () => {
    let asked = 0;
    const { calls } = scripted(['2'], {
      async remove() {
        if (++asked === 2) throw new PlatformError('unreachable', 'X is away.');
        return 1;
      },
    });
    expect(await failureOf(removeRules(calls, ['1', '2']))).toMatchObject({ message: 'X is away.' });
  });

  it('are not asked for again when X holds none of them, or when a single one was gone', async () => {
    const removed: string[][] = [];
    const { calls } = scripted(['9'], {
      async remove(ids) {
        removed.push([...ids]);
        return ids.length;
      },
    });
    await removeRules(calls, ['1', '2']);
    await removeRules(calls, ['9']);
    expect(removed).toEqual([['1', '2'], ['9']]);
  });

  it('keep the answers that came before a failure', async () => {
    const failure = new PlatformError('unreachable', 'X is away.');
    let calls = 0;
    const broken = scripted([], {
      async offer(batch) {
        if (++calls > 1) throw failure;
        return new Map(batch.map(({ value }) => [value, { id: `id of ${value}` }]));
      },
    });
    const answers = await addRules(broken.calls, wanted(...many));
    expect(answers.slice(0, 100)).toEqual(many.slice(0, 100).map((value) => ({ id: `id of ${value}` })));
    expect(answers.slice(100).every((answer) => 'error' in answer && answer.error === failure)).toBe(true);
    const dead = scripted([], { offer: () => Promise.reject(failure) });
    await expect(addRules(dead.calls, wanted('a'))).rejects.toBe(failure);
  });

  it('offer good rules again that a bad one kept out, and say when X gives no reason', async () => {
    const offered: string[][] = [];
    const { calls } = scripted([], {
      async offer(batch) {
        offered.push(batch.map(({ value }) => value));
        const error = new PlatformError('refused', 'bad');
        return new Map<string, RuleOutcome>(offered.length === 1 ? [['bad', { error }]] : [['good', { id: '1' }]]);
      },
    });
    const answers = await addRules(calls, wanted('bad', 'good', 'lost', 'good'));
    expect(offered).toEqual([
      ['bad', 'good', 'lost'],
      ['good', 'lost'],
    ]);
    expect(answers).toMatchObject([
      { error: { fault: 'refused' } },
      { id: '1' },
      { error: { message: 'X did not add the rule and gave no reason.' } },
      { id: '1' },
    ]);
  });
});
