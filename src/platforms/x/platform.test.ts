import { afterAll, describe, expect, it } from 'vitest';
import { platformConformance } from '../../../test/conformance/platform.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver } from '../../../test/stages/receiver.ts';
import { xStage } from '../../../test/stages/x-stage.ts';
import { xPlatform } from './platform.ts';

const stages: AsyncDisposable[] = [];
afterAll(async () => {
  for (const stage of stages) await stage[Symbol.asyncDispose]();
});

platformConformance('x', async () => {
  const stage = await xStage({ rules: [] });
  stages.push(stage);
  return stage.platform;
});

describe('x', () => {
  it('streams what rules caught, with their ids and the payload as the upstream has it', async () => {
    await using stage = await xStage();
    const [rule] = stage.sandbox.rules('x');
    stage.start();
    await stage.until(() => stage.state() === 'live');
    const id = stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    expect(stage.arrivals()[0]).toMatchObject({
      postId: id,
      verdicts: [rule?.id],
      payload: { data: { id, text: 'a storm is coming' } },
      at: stage.clock.now(),
    });
    expect(stage.arrivals()[0]?.payload).not.toHaveProperty('matching_rules');
  });

  it('marks, once a heartbeat, that nothing is missing', async () => {
    await using stage = await xStage();
    stage.start();
    await stage.until(() => stage.state() === 'live');
    await stage.pass(61_000);
    const marks = stage.items.filter((item) => item.kind === 'mark');
    expect(marks.length).toBeGreaterThanOrEqual(3);
    expect(stage.clock.now().getTime() - marks.at(-1)!.through.getTime()).toBeLessThan(30_000);
    expect(stage.items.some((item) => item.kind === 'gap')).toBe(false);
  });

  it.each([
    ['payg', 1_000],
    ['enterprise', 25_000],
  ] as const)('has the usual room of the level %s where X does not say how much there is', async (level, rules) => {
    await using server = await openReceiver((response, { path }) => {
      response.writeHead(path.endsWith('/counts') ? 404 : 200);
      response.end(JSON.stringify({ data: [{ id: '1', value: 'a' }] }));
    });
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const options = {
      baseUrl: server.url,
      token: () => 't',
      clock: fakeClock(),
      random: () => 0,
      log,
      count: () => {},
    };
    const platform = xPlatform({ ...options, level, spillDir: '.' });
    expect(await platform.capacity()).toMatchObject({ rules, used: 1 });
    expect(platform.deletions?.parts ?? []).toEqual(level === 'payg' ? [] : ['1', '2', '3', '4']);
  });

  it('lists everything that is held, over pages, with tags', async () => {
    await using stage = await xStage({ rules: [], sandbox: { xRules: 5_000, limits: 'off' } });
    const values = Array.from({ length: 1_050 }, (_, at) => `storm${at}`);
    const answers = await stage.platform.register(values.map((value) => ({ value, flags: {}, tag: `t ${value}` })));
    expect(answers.every((answer) => 'id' in answer)).toBe(true);
    const held = await stage.platform.held();
    expect(held).toHaveLength(1_050);
    expect(held[7]).toMatchObject({ value: 'storm7', tag: 't storm7', flags: {} });
    expect(await stage.platform.capacity()).toEqual({ rules: 5_000, used: 1_050, length: 1_024 });
    await stage.platform.unregister(held.slice(0, 1_049).map(({ id }) => id));
    expect(await stage.platform.held()).toHaveLength(1);
  });
});
