/** Rules of X: answers that are lost, partial or late, and rules that others change. */
import { expect } from 'vitest';
import { row } from './rows.ts';
import type { ServiceStage } from './service-stage.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

const values = ({ sandbox }: ServiceStage) =>
  sandbox
    .rules('x')
    .map(({ value }) => value)
    .toSorted();
const ourRules = async ({ test, caller }: ServiceStage) =>
  (await test.call(caller, 'listRules')).rules.map(({ name }) => name).toSorted();
const rulePosts = ({ sandbox }: ServiceStage) =>
  sandbox.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/stream/rules'));

export function xRuleRows(): void {
  for (const with_id of [true, false]) {
    row('X20', `a rule that is there already is adopted, its id ${with_id ? 'given' : 'found'}`, async (scene) => {
      const stage = await scene.service({ rules: [] });
      stage.sandbox.throwFault('X20', { with_id });
      const { id } = await stage.create('storm');
      expect(stage.sandbox.rules('x')).toMatchObject([{ id, value: 'storm' }]);
      await stage.live();
      const asked = rulePosts(stage).length;
      const second = await stage.create('storm');
      expect(second.id).toBe(id);
      expect(rulePosts(stage)).toHaveLength(asked);
      const post = stage.post();
      await stage.stored(2);
      expect(await stage.posts()).toEqual([post, post]);
      // It goes with the last rule that needs it, and not before.
      await stage.done(stage.test.call(stage.caller, 'deleteRule', { rule_id: second.rule_id }));
      await stage.pass(5 * SECOND);
      expect(values(stage)).toEqual(['storm']);
    });
  }

  row('X21', 'an answer that is lost leaves one rule, whether or not the caller tries again', async (scene) => {
    const stage = await scene.service({ rules: ['sea'] });
    stage.sandbox.throwFault('X21');
    const first = await stage.create('storm').catch((error: unknown) => error);
    if (first instanceof Error) {
      expect(first).toMatchObject({ code: 'unavailable' });
      expect(await ourRules(stage)).toEqual(['sea']);
      await stage.create('storm');
    }
    expect(values(stage)).toEqual(['sea', 'storm']);
    const id = stage.post();
    await stage.stored(1);
    expect(await stage.posts()).toEqual([id]);

    stage.sandbox.throwFault('X21');
    await stage.create('gale').catch(() => {});
    await stage.pass(20 * MINUTE, 10 * SECOND);
    expect(values(stage)).toEqual(await ourRules(stage));
    expect(stage.sandbox.fired('X21')).toBe(2);
  });

  row('X22', 'what became of each rule is read from the body of a 200, and the reason told', async (scene) => {
    const wire = await scene.wire({ rules: [] });
    wire.sandbox.throwFault('X22');
    const answers = await wire.platform.register(['storm', 'gale'].map((value) => ({ value, flags: {}, tag: 'ours' })));
    const [held] = wire.sandbox.rules('x');
    expect(answers).toMatchObject([{ error: { fault: 'refused' } }, { id: held!.id }]);
    expect(wire.sandbox.calls.map(({ status }) => status)).toEqual([200]);

    const stage = await scene.service({ rules: ['sea'] });
    stage.sandbox.throwFault('X22', { reason: 'No\u0000 positive\u202e clause (at position 1)' });
    const refused = await stage.create('storm').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'overrides.x', message: expect.stringMatching(/^[ -~]*\(at position 1\)$/) }] },
    });
    expect([values(stage), await ourRules(stage)]).toEqual([['sea'], ['sea']]);
  });

  row('X23', 'a full upstream is resource_exhausted, and nothing is kept anywhere', async (scene) => {
    const stage = await scene.service({ rules: ['sea'], firehose: 'sandbox' });
    stage.sandbox.throwFault('X23', { times: 20 });
    await expect(stage.create('storm', ['x', 'firehose'])).rejects.toMatchObject({ code: 'resource_exhausted' });
    await stage.pass(MINUTE);
    expect([values(stage), stage.sandbox.rules('firehose')]).toEqual([['sea'], []]);
    expect(await ourRules(stage)).toEqual(['sea']);
    stage.sandbox.clearFaults();
    await stage.create('storm', ['x', 'firehose']);
    expect([values(stage).length, stage.sandbox.rules('firehose').length]).toEqual([2, 1]);
  });

  for (const kind of ['missing', 'wrong-tag', 'delete-all', 'extra']) {
    row('X24', `rules that drifted (${kind}) are mended, and those of others never touched`, async (scene) => {
      const stage = await scene.service({ rules: ['sea', 'storm', 'gale'] });
      const prefix = /^sluice-[0-9a-f]+-/.exec(stage.sandbox.rules('x')[0]!.tag!)![0];
      stage.sandbox.throwFault('X24', { kind, count: 2, tag: kind === 'extra' ? `${prefix}lost` : 'theirs' });
      const foreign = stage.sandbox.addForeignRule('x', 'lava', 'theirs');
      const ours = () => values(stage).filter((value) => value !== 'lava');
      if (kind === 'extra') {
        await stage.pass(9 * MINUTE, 10 * SECOND);
        expect(ours()).toHaveLength(5);
        await stage.pass(7 * MINUTE, 10 * SECOND);
      } else {
        await stage.pass(5 * MINUTE + SECOND, 10 * SECOND);
      }
      expect(ours()).toEqual(['gale', 'sea', 'storm']);
      expect(stage.sandbox.rules('x')).toContainEqual(foreign);
      expect(stage.test.logged.join('\n')).toContain('the upstream also holds rules of other programs');
      expect(stage.sandbox.calls.some(({ path }) => path.includes('delete_all'))).toBe(false);
      const before = (await stage.posts()).length;
      stage.post('storm, gale and sea');
      await stage.stored(before + 3, 100);
    });
  }

  row('X24', 'drift is looked for at the start and with every new connection', async (scene) => {
    const stage = await scene.service();
    await stage.pass(2 * SECOND);
    stage.sandbox.throwFault('X24', { kind: 'missing' });
    const post = stage.sandbox.addForeignRule('x', 'lava');
    expect(values(stage)).toEqual(['lava']);
    stage.sandbox.throwFault('X5');
    await stage.until(() => values(stage).length === 2, 100);
    await stage.test.service.close();
    for (const { id } of stage.sandbox.rules('x')) if (id !== post.id) stage.sandbox.dropRule('x', id);
    const next = await scene.service({ beside: stage });
    await next.until(() => values(next).length === 2);
  });

  row('X25', 'a match that comes before its rule is held for it, and given up when it stays unknown', async (scene) => {
    const stage = await scene.service({ rules: ['sea'] });
    stage.sandbox.throwFault('X25', { seconds: 10 });
    const creating = stage.create('storm');
    await stage.until(() => stage.sandbox.rules('x').length === 2);
    const early = stage.post();
    await stage.pass(9 * SECOND);
    expect(await stage.posts()).toEqual([]);
    await stage.done(creating, 100);
    await stage.stored(1, 100);
    expect(await stage.posts()).toEqual([early]);
    expect(stage.counts.orphan).toBeUndefined();

    stage.sandbox.throwFault('X25', { orphan: true });
    stage.post();
    // It also matches a rule that it does not name, so it waits for the comparisons of registrations.
    await stage.pass(149 * SECOND);
    expect(stage.counts.orphan).toBeUndefined();
    await stage.pass(3 * SECOND);
    expect(stage.counts.orphan).toBe(1);
    expect(await stage.posts()).toEqual([early]);
  });

  row('X26', 'a match that comes after its rule was deleted is dropped', async (scene) => {
    const stage = await scene.service({ rules: ['sea'] });
    const { rule_id } = await stage.create('storm');
    stage.post();
    await stage.stored(1);
    stage.sandbox.throwFault('X26', { seconds: 500 });
    await stage.done(stage.test.call(stage.caller, 'deleteRule', { rule_id }));
    await stage.until(() => values(stage).length === 1, SECOND);
    await stage.pass(8 * MINUTE, 10 * SECOND);
    stage.post();
    await stage.until(() => stage.counts.late === 1);
    const kept = stage.post('the sea');
    await stage.until(async () => (await stage.posts()).includes(kept));
    expect(stage.counts).toEqual({ connect: 1, late: 1 });
  });

  row('X27', 'an edited post is a match of its own, linked to the earlier one', async (scene) => {
    const stage = await scene.service();
    stage.sandbox.throwFault('X27');
    const id = stage.post();
    await stage.stored(2);
    const { matches } = await stage.test.call(stage.caller, 'listMatches');
    const first = matches.find((one) => one.platform_post_id === id)!;
    const edited = matches.find((one) => one !== first)!;
    expect(edited.edit_of).toBe(first.id);
    expect(edited.payload).toMatchObject({ data: { edit_history_tweet_ids: [id, edited.platform_post_id] } });
  });
}
