/** Events of Firehose that are strange: rules nobody knows, what cannot be read, what is too large, odd forms. */
import { expect } from 'vitest';
import type { Commit } from '../../src/store/store.ts';
import { postIdIn } from '../stages/committed.ts';
import { gapsOf, row, type Scene, waits } from './firehose-rows.ts';

const offsetsIn = async ({ store }: Scene): Promise<unknown> =>
  (JSON.parse((await store.cursor('firehose'))!) as { ids: unknown }).ids;

export function firehoseEventRows(): void {
  const commits: Commit[] = [];
  row(
    'F18',
    'an unknown rule is waited for; several of ours are one match each, in one transaction',
    async (scene) => {
      const { sandbox, first } = scene;
      await scene.rule('a storm', ['firehose']);
      const other = scene.page();
      await scene.stored(3);
      const together = commits.filter(({ events }) => events.some((event) => postIdIn(event) === other));
      expect(together.map(({ events }) => events.reduce((sum, one) => sum + one.matches.length, 0))).toEqual([2]);

      sandbox.throwFault('F18');
      const beside = scene.page();
      await scene.stored(5);
      sandbox.throwFault('F18', { only: true });
      const alone = scene.page();
      const after = scene.page();
      await scene.stored(7);
      expect(await offsetsIn(scene)).toEqual({ 0: other });
      await scene.pass(59_000);
      expect(scene.counted('firehose', 'orphan')).toBe(0);
      await scene.pass(3_000);
      expect(scene.counted('firehose', 'orphan')).toBe(1);
      // This one matches rules that it does not name, so it waits for the comparisons of registrations.
      await scene.pass(90_000);
      expect(scene.counted('firehose', 'orphan')).toBe(2);
      expect(await offsetsIn(scene)).toEqual({ 0: after });
      expect(await scene.matches()).toEqual([first, other, other, beside, beside, after, after]);
      expect(await scene.matches()).not.toContain(alone);
    },
    {
      around: (store) => ({
        ...store,
        commit(batch) {
          commits.push(batch);
          return store.commit(batch);
        },
      }),
    },
  );

  row('F19', 'what cannot be read is put aside, a wrong time is none, and the cursor goes on', async (scene) => {
    const { sandbox, first } = scene;
    const ids = [first];
    for (const kind of ['json', 'no-url'] as const) {
      sandbox.throwFault('F19', { kind });
      const bad = scene.page();
      await scene.until(async () => JSON.stringify(await offsetsIn(scene)) === JSON.stringify({ 0: bad }));
    }
    for (const kind of ['bad-time', 'future-time'] as const) {
      sandbox.throwFault('F19', { kind });
      ids.push(scene.page());
      await scene.stored(ids.length);
    }
    sandbox.throwFault('F1');
    await scene.until(() => scene.connects().length === 2);
    ids.push(scene.page());
    await scene.stored(ids.length);
    expect(await scene.matches()).toEqual(ids);
    const broken = await scene.store.broken('firehose', 10);
    expect(broken.map(({ reason }) => reason)).toContain('Its document has no url.');
    expect([broken.length, scene.counted('firehose', 'broken'), sandbox.fired('F19')]).toEqual([2, 2, 4]);
  });

  row('F20', 'an event over four mebibytes is passed over, its beginning kept', async (scene) => {
    const { sandbox, first } = scene;
    sandbox.throwFault('F20', { bytes: 5_000_000 });
    const huge = scene.page();
    await scene.until(async () => JSON.stringify(await offsetsIn(scene)) === JSON.stringify({ 0: huge }));
    const next = scene.page();
    await scene.stored(2);
    expect(await scene.matches()).toEqual([first, next]);
    const [broken] = await scene.store.broken('firehose', 10);
    expect(broken!.sample.length).toBeLessThanOrEqual(4_096);
    expect([scene.counted('firehose', 'broken'), scene.counted('firehose', 'disconnect')]).toEqual([1, 0]);
  });

  row(
    'F21',
    'every oddity of event streams is read by the standard, and a retry is believed within reason',
    async (scene) => {
      const { sandbox, first } = scene;
      sandbox.throwFault('F21');
      const odd = scene.page();
      await scene.stored(2);
      expect(scene.counted('firehose', 'unknown_message')).toBeGreaterThan(0);
      sandbox.throwFault('F21', { bom: true });
      sandbox.throwFault('F2', { after_bytes: 0 });
      await scene.until(() => scene.counted('firehose', 'disconnect') === 1);
      const cut = scene.clock.now().getTime();
      await scene.pass(60_000);
      expect(scene.connects()[1]!.at - cut).toBe(30_000);
      expect(scene.connects()[1]!.lastId).toBe(odd);
      const marked = scene.page();
      await scene.stored(3);
      expect(await scene.matches()).toEqual([first, odd, marked]);
      expect(sandbox.fired('F21')).toBe(2);
      expect(waits(scene, 0)).toHaveLength(1);
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'disconnected', recovered: true }]);
    },
  );

  row('F24', 'one page with other changes is another match each time', async (scene) => {
    const { sandbox, first } = scene;
    sandbox.throwFault('F24', { copies: 3 });
    scene.page();
    await scene.stored(4);
    expect(new Set(await scene.matches()).size).toBe(4);
    expect((await scene.matches())[0]).toBe(first);
    expect(scene.counted('firehose', 'dup')).toBe(0);
    const { matches } = await scene.test.call(scene.alice, 'listMatches', { limit: 10 });
    expect(new Set(matches.map(({ payload }) => payload['url'])).size).toBe(1);
    expect(new Set(matches.map(({ payload }) => JSON.stringify(payload['diff']))).size).toBe(3);
  });
}
