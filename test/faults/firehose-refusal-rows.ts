/** Firehose says no: to a stream, to a rule, for now or for good. */
import { expect } from 'vitest';
import { fakeUpstream } from '../stages/fake-upstream.ts';
import { gapsOf, row, type Scene, stateOf, waits } from './firehose-rows.ts';

const MINUTE = 60_000;

const ruleCalls = ({ sandbox }: Scene, method?: string) =>
  sandbox.calls.filter((call) => call.path.startsWith('/v1/rules') && (method ?? call.method) === call.method);

export function firehoseRefusalRows(): void {
  row('F11', 'a stream without rules is left alone until there is one again', async (scene) => {
    const { sandbox } = scene;
    sandbox.dropRule('firehose', sandbox.rules('firehose')[0]!.id);
    sandbox.throwFault('F11');
    await scene.until(async () => (await stateOf(scene)) === 'degraded: no rules');
    expect(scene.counted('firehose', 'refused')).toBe(1);
    await scene.pass(5 * MINUTE + 10_000);
    expect(sandbox.rules('firehose')).toHaveLength(1);
    await scene.live('firehose');
    expect(Math.min(...waits(scene, 1))).toBeGreaterThanOrEqual(5_000);
    expect(scene.connects().length).toBeLessThan(10);
    expect(await gapsOf(scene)).toMatchObject([
      { cause: 'registration_missing', recovered: false, to: expect.any(String) },
      { cause: 'no rules', recovered: false, to: expect.any(String) },
    ]);
    const second = scene.page();
    await scene.stored(2);
    expect(await scene.matches()).toContain(second);
  });

  row(
    'F12',
    'after an unknown error the wait is five seconds, doubled up to 320; it is quoted clean',
    async (scene) => {
      const { sandbox } = scene;
      sandbox.throwFault('F12', { message: 'Down\u0000 for\ntoken-1', times: 9 });
      await scene.until(async () => (await stateOf(scene)) === 'degraded: Down for [secret]');
      await scene.pass(22 * MINUTE);
      await scene.live('firehose');
      expect(waits(scene, 1)).toEqual([10, 20, 40, 80, 160, 320, 320, 320].map((seconds) => seconds * 1_000));
      expect(scene.logged.join('\n')).not.toContain('token-1');
      expect(scene.counted('firehose', 'refused')).toBe(9);
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'upstream error', recovered: true }]);
    },
  );

  row(
    'F13',
    'without credit it is asked every quarter of an hour; the gap stays open, rules are kept',
    async (scene) => {
      const { sandbox, first } = scene;
      sandbox.throwFault('F13');
      sandbox.throwFault('F1');
      await scene.until(async () => (await stateOf(scene)) === 'degraded: billing');
      const missed = scene.page();
      await scene.pass(60 * MINUTE, 10_000);
      expect(waits(scene, 1)).toEqual([15, 15, 15, 15].map((minutes) => minutes * MINUTE));
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'billing', to: null, recovered: false }]);
      expect([sandbox.rules('firehose').length, ruleCalls(scene, 'DELETE').length]).toEqual([1, 0]);
      expect(scene.counted('firehose', 'refused')).toBe(5);
      sandbox.clearFaults();
      await scene.pass(15 * MINUTE, 10_000);
      await scene.live('firehose');
      expect(await scene.matches()).toEqual([first, missed]);
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'billing', recovered: true }]);
    },
  );

  row(
    'F14',
    'a tap that is gone is told of and asked for again; no tap is ever made, no rule taken away',
    async (scene) => {
      const { sandbox } = scene;
      for (const [index, status] of [401, 403, 404].entries()) {
        sandbox.throwFault('F14', { status });
        await scene.pass(5_000);
        await scene.until(async () => (await stateOf(scene)) === 'degraded: auth');
        const tries = scene.connects().length;
        await scene.pass(10 * MINUTE);
        expect(scene.connects().length).toBe(tries + 2);
        expect((await gapsOf(scene)).at(-1)).toMatchObject({ to: null, recovered: false });
        sandbox.clearFaults();
        scene.token = `token-${index + 2}`;
        await scene.pass(5_000);
        await scene.live('firehose');
        await scene.pass(MINUTE);
      }
      expect(scene.logged.filter((line) => line.startsWith('the stream of Firehose cannot be opened'))).toHaveLength(3);
      expect(scene.counted('firehose', 'refused')).toBe(9);
      expect(sandbox.calls.filter(({ path }) => path.startsWith('/v1/taps'))).toEqual([]);
      expect([sandbox.rules('firehose').length, ruleCalls(scene, 'DELETE').length]).toEqual([1, 0]);
    },
  );

  row('F15', 'too many calls: ten seconds, doubled up to five minutes, on connecting and on rules', async (scene) => {
    const { sandbox, clock } = scene;
    sandbox.throwFault('F15', { on: 'stream', times: 7 });
    sandbox.throwFault('F1');
    await scene.until(async () => (await stateOf(scene)) === 'degraded: quota');
    await scene.pass(20 * MINUTE);
    await scene.live('firehose');
    expect(waits(scene, 1).slice(0, 7)).toEqual([10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000));
    expect(scene.counted('firehose', 'refused')).toBe(7);

    sandbox.throwFault('F15', { on: 'rules', seconds: 45 });
    await expect(scene.rule('sea', ['firehose'])).rejects.toMatchObject({ code: 'resource_exhausted', retryAfter: 45 });
    const refused = clock.now().getTime();
    const before = ruleCalls(scene).length;
    await expect(scene.rule('sea', ['firehose'])).rejects.toMatchObject({ code: 'resource_exhausted' });
    await scene.pass(44_000);
    expect(ruleCalls(scene)).toHaveLength(before);
    await scene.pass(5 * MINUTE);
    const [next] = ruleCalls(scene).slice(before);
    expect(next!.at.getTime() - refused).toBeGreaterThanOrEqual(45_000);
    await scene.rule('sea', ['firehose']);
    expect(sandbox.rules('firehose')).toHaveLength(2);
  });

  const x = fakeUpstream('x');
  row(
    'F16',
    'a refused rule is an invalid argument with the reason, and nothing of it is kept anywhere',
    async (scene) => {
      const { sandbox } = scene;
      sandbox.throwFault('F16', { reason: 'The sea\u0000 is closed.' });
      await expect(scene.rule('sea', ['x', 'firehose'])).rejects.toMatchObject({
        code: 'invalid_argument',
        details: { issues: [{ path: 'overrides.firehose', message: 'The sea is closed.' }] },
      });
      await scene.pass(30_000);
      expect([x.calls.register, x.values(), sandbox.rules('firehose').length]).toEqual([1, [], 1]);
      const { rules } = await scene.test.call(scene.alice, 'listRules');
      expect(rules).toHaveLength(1);
    },
    { platforms: { x: x.platform } },
  );

  row('F17', 'a rule whose answer was lost is found by its mark, and is there once', async (scene) => {
    const { sandbox } = scene;
    sandbox.throwFault('F17');
    const made = await scene.rule('sea', ['firehose']);
    expect(sandbox.rules('firehose').map(({ value }) => value)).toEqual(['storm', 'sea']);
    expect(ruleCalls(scene, 'POST')).toHaveLength(2);
    await scene.pass(11 * MINUTE, 10_000);
    expect(sandbox.rules('firehose')).toHaveLength(2);
    sandbox.throwFault('F17');
    await scene.test.call(scene.alice, 'deleteRule', { rule_id: made });
    await scene.pass(MINUTE);
    expect([sandbox.rules('firehose').length, sandbox.fired('F17')]).toEqual([1, 2]);
  });
}
