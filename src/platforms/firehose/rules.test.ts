import { afterEach, describe, expect, it } from 'vitest';
import { platformConformance } from '../../../test/conformance/platform.ts';
import { FLAGS, firehoseStage } from '../../../test/stages/firehose-stage.ts';
import type { Wanted } from '../platform.ts';

const stages: AsyncDisposable[] = [];

afterEach(async () => {
  for (const stage of stages.splice(0)) await stage[Symbol.asyncDispose]();
});

platformConformance('firehose', async () => {
  const stage = await firehoseStage();
  stages.push(stage);
  return stage.platform;
});

const wanted = (value: string, tag = `tag-${value}`): Wanted => ({ value, flags: FLAGS, tag });

describe('rules at Firehose', () => {
  it('are listed with the flags that the upstream tells', async () => {
    await using stage = await firehoseStage();
    await stage.platform.register([{ value: 'rain', flags: {}, tag: 'b' }]);
    stage.sandbox.addForeignRule('firehose', 'foreign');
    expect(await stage.platform.held()).toEqual([
      { id: '1', value: 'storm', flags: { quality: false, nsfw: true }, tag: 'stage' },
      { id: '2', value: 'rain', flags: { quality: true, nsfw: false }, tag: 'b' },
      { id: '3', value: 'foreign', flags: { quality: true, nsfw: false }, tag: undefined },
    ]);
    expect(await stage.platform.capacity()).toEqual({ rules: 25, used: 3, length: 8_192 });
  });

  it('with other flags are other rules; a flag that is the default is not', async () => {
    await using stage = await firehoseStage();
    const flags = [{}, { quality: false }, { quality: true }, { nsfw: true }, { nsfw: false, quality: true }];
    const answers = await stage.platform.register(flags.map((one) => ({ value: 'rain', flags: one, tag: 't' })));
    const ids = answers.map((answer) => ('id' in answer ? answer.id : undefined));
    expect(ids).toEqual(['2', '3', '2', '4', '2']);
  });

  it('of somebody else are not taken for ours', async () => {
    await using stage = await firehoseStage();
    const foreign = stage.sandbox.addForeignRule('firehose', 'rain', 'theirs');
    expect(await stage.platform.register([{ value: 'rain', flags: {}, tag: 'ours' }])).not.toEqual([
      { id: foreign.id },
    ]);
  });

  it('are asked about without being made', async () => {
    await using stage = await firehoseStage();
    await stage.platform.validate('rain AND sun', {});
    await expect(stage.platform.validate('rain AND', {})).rejects.toMatchObject({ fault: 'refused' });
    expect(stage.sandbox.rules('firehose')).toHaveLength(1);
  });

  it('are refused one by one', async () => {
    await using stage = await firehoseStage();
    const answers = await stage.platform.register([wanted('rain'), wanted('(rain'), wanted('sun')]);
    expect(answers).toMatchObject([{ id: '2' }, { error: { fault: 'refused' } }, {}]);
    expect(answers[2]).toHaveProperty('id');
  });

  it('beyond the cap are told apart from refused ones, and the others are not asked for', async () => {
    await using stage = await firehoseStage({ sandbox: { firehoseRules: 2 } });
    const answers = await stage.platform.register([
      wanted('rain'),
      wanted('sun'),
      wanted('wind'),
      wanted('storm', 'stage'),
    ]);
    expect(answers).toMatchObject([
      { id: '2' },
      { error: { fault: 'limit', retryAfter: undefined } },
      { error: { fault: 'limit' } },
      { id: '1' },
    ]);
    expect(stage.sandbox.calls.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  it('exist once when the answer to their creation is lost', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('F17');
    const [answer] = await stage.platform.register([wanted('rain')]);
    expect(stage.sandbox.fired('F17')).toBe(1);
    expect(answer).toEqual({ id: '2' });
    expect(stage.sandbox.rules('firehose').map(({ value }) => value)).toEqual(['storm', 'rain']);
  });

  it('exist once when the upstream failed before it made them', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('B2', { platform: 'firehose' });
    expect(await stage.platform.register([wanted('rain')])).toEqual([{ id: '2' }]);
    expect(stage.sandbox.fired('B2')).toBe(1);
  });

  it('exist once when several ask for them together', async () => {
    await using stage = await firehoseStage();
    await Promise.all([1, 2, 3].map(() => stage.platform.register([wanted('rain')])));
    expect(stage.sandbox.rules('firehose')).toHaveLength(2);
  });

  it('are not asked for before the time that the upstream stated', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('F15', { on: 'rules', seconds: 40 });
    await expect(stage.platform.held()).rejects.toMatchObject({ fault: 'limit', retryAfter: 40 });
    const calls = stage.sandbox.calls.length;
    await expect(stage.platform.held()).rejects.toMatchObject({ fault: 'limit', retryAfter: 40 });
    expect(stage.sandbox.calls).toHaveLength(calls);
    await stage.clock.pass(40_000);
    expect(await stage.platform.held()).toHaveLength(1);
  });

  it('are asked for at most fifty times a minute', async () => {
    await using stage = await firehoseStage();
    let answered = 0;
    for (let call = 0; call < 60; call++) void stage.platform.held().then(() => answered++);
    await stage.until(() => answered === 48);
    await stage.clock.pass(60_000);
    expect(answered).toBe(48);
    await stage.clock.pass(1_000);
    await stage.until(() => answered === 60);
  });

  it('are no reason to blame the caller when the token is not accepted', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('F14', { status: 401 });
    await expect(stage.platform.register([wanted('rain')])).rejects.toMatchObject({ fault: 'unreachable' });
  });
});
