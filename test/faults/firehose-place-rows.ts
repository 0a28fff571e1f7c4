/** Our place in Firehose's stream: ids that jump, begin again, split or grow too old, and clocks that differ. */
import { expect } from 'vitest';
import { gapsOf, row, type Scene } from './firehose-rows.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** How long ago, as `since` says it. */
function minutesOf(since: string): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(since) ?? [];
  return Number(count) * (unit === 'h' ? 60 : 1);
}

const sinces = (scene: Scene): string[] =>
  scene.connects().flatMap(({ query }) => (query.has('since') ? [query.get('since')!] : []));

const probes = (scene: Scene): string[] =>
  scene.connects().flatMap(({ query }) => (query.has('offset') ? [query.get('offset')!] : []));

export function firehosePlaceRows(): void {
  row('F4', 'ids that are left out are asked for once: found ones are stored, none are counted', async (scene) => {
    const { sandbox, first } = scene;
    sandbox.throwFault('F4', { count: 2 });
    const ids = [first, scene.page()];
    await scene.pass(3_000);
    await scene.stored(2);
    expect(scene.counted('firehose', 'gap_benign')).toBe(1);
    expect(probes(scene)).toEqual([String(Number(first.slice(2)) + 1)]);

    sandbox.throwFault('F4', { count: 2, lost: true });
    ids.push(scene.page(), scene.page(), scene.page());
    await scene.pass(3_000);
    await scene.stored(5);
    expect(await scene.matches()).toEqual(ids);
    expect(scene.counted('firehose', 'gap_benign')).toBe(1);

    for (let jump = 0; jump < 8; jump++) {
      sandbox.throwFault('F4', { count: 2 });
      ids.push(scene.page());
      await scene.pass(4_000);
    }
    await scene.stored(ids.length);
    expect(probes(scene)).toHaveLength(6);
    expect(await gapsOf(scene)).toEqual([]);
  });

  row('F5', 'what was seen already is one match, and is counted', async (scene) => {
    const { sandbox, first } = scene;
    const ids = [first, scene.page(), scene.page()];
    await scene.stored(3);
    sandbox.throwFault('F5', { count: 3 });
    sandbox.throwFault('F1');
    await scene.until(() => scene.counted('firehose', 'dup') === 3);
    expect(await scene.matches()).toEqual(ids);
  });

  row('F6', 'ids that begin again are a new epoch: nothing is overwritten, and it is told', async (scene) => {
    const { sandbox, first, clock } = scene;
    await clock.pass(1_000);
    sandbox.throwFault('F6', { to: Number(first.slice(2)) });
    expect(scene.page()).toBe(first);
    await scene.stored(2);
    await clock.pass(1_000);
    sandbox.throwFault('F6', { to: 0 });
    scene.page();
    await scene.stored(3);
    expect(await scene.matches()).toEqual(['0-0@2', first, `${first}@1`]);
    expect(scene.logged.filter((line) => line.includes('the ids of the stream began again'))).toHaveLength(2);
    sandbox.throwFault('F1');
    await scene.pass(5_000);
    expect(await scene.matches()).toHaveLength(3);
  });

  row(
    'F7',
    'each partition has its own place; resuming asks for the time of the outage and a minute',
    async (scene) => {
      const { sandbox, first } = scene;
      sandbox.throwFault('F7');
      const ids = [first, ...Array.from({ length: 4 }, () => scene.page())];
      await scene.stored(5);
      expect(JSON.parse((await scene.store.cursor('firehose'))!)).toMatchObject({ ids: { 0: ids[4], 1: ids[3] } });
      sandbox.throwFault('F2', { after_bytes: 0 });
      await scene.until(() => scene.counted('firehose', 'disconnect') === 1);
      ids.push(scene.page(), scene.page());
      await scene.pass(3_000);
      await scene.stored(7);
      expect(await scene.matches()).toEqual(ids.toSorted());
      expect([scene.connects()[1]!.query.get('since'), scene.connects()[1]!.lastId]).toEqual(['2m', undefined]);
      await scene.live('firehose');
      expect(await gapsOf(scene)).toMatchObject([{ cause: 'disconnected', recovered: true }]);
    },
  );

  row('F8', 'what the buffer no longer has is a gap up to the first event; it is asked for once', async (scene) => {
    const { sandbox, clock } = scene;
    const from = clock.now();
    sandbox.throwFault('F2', { after_bytes: 0 });
    await scene.until(() => scene.counted('firehose', 'disconnect') === 1);
    scene.page();
    sandbox.throwFault('F8');
    await scene.pass(3_000);
    await scene.live('firehose');
    await scene.pass(MINUTE);
    scene.page();
    const seen = clock.now();
    await scene.pass(10_000);
    await scene.stored(2);
    await scene.live('firehose');
    expect((await gapsOf(scene))[0]).toMatchObject({ to: seen.toISOString(), recovered: false });
    expect(Date.parse((await gapsOf(scene))[0]!.from)).toBeLessThanOrEqual(from.getTime());
    expect(sinces(scene).filter((since) => since === '24h')).toHaveLength(1);

    const left = clock.now();
    await scene.leave();
    await clock.pass(20 * HOUR);
    scene.page();
    const kept = clock.now();
    await clock.pass(10 * HOUR);
    await scene.comeBack();
    await scene.stored(3);
    await scene.live('firehose');
    await scene.pass(10 * MINUTE, 10_000);
    expect(sinces(scene).filter((since) => since === '24h')).toHaveLength(2);
    const lost = (await gapsOf(scene)).find(({ to }) => to === kept.toISOString());
    expect(lost).toMatchObject({ recovered: false });
    expect(Date.parse(lost!.from)).toBeLessThanOrEqual(left.getTime());
  });

  row('F9', 'no more than a day is ever asked for, and a replay that was cut short is noticed', async (scene) => {
    const { sandbox, clock } = scene;
    sandbox.throwFault('F7');
    scene.page();
    await scene.stored(2);
    sandbox.throwFault('F13');
    sandbox.throwFault('F1');
    await scene.until(() => scene.counted('firehose', 'refused') === 1);
    await scene.pass(2 * HOUR, MINUTE);
    scene.page();
    await scene.pass(2 * HOUR, MINUTE);
    scene.page();
    const matched = clock.now();
    sandbox.clearFaults();
    sandbox.throwFault('F9', { seconds: 3_600 });
    await scene.pass(15 * MINUTE, MINUTE);
    await scene.stored(3);
    await scene.live('firehose');
    expect(await gapsOf(scene)).toMatchObject([
      { to: matched.toISOString(), recovered: false },
      { from: matched.toISOString(), recovered: true },
    ]);
    await scene.leave();
    await clock.pass(40 * HOUR);
    await scene.comeBack();
    await scene.live('firehose');
    expect(
      sinces(scene)
        .map(minutesOf)
        .filter((minutes) => !(minutes <= 1_440)),
    ).toEqual([]);
    expect(scene.connects().filter(({ status }) => status === 422)).toEqual([]);
  });

  row('F25', 'a clock that is ten minutes off on their side changes no length of an outage', async (scene) => {
    const { sandbox, clock } = scene;
    sandbox.throwFault('F7');
    scene.page();
    await scene.stored(2);
    let stored = 2;
    for (const seconds of [-600, 600]) {
      sandbox.throwFault('F25', { seconds });
      scene.page();
      await scene.stored(++stored);
      await scene.pass(130_000);
      const left = clock.now().getTime();
      await scene.leave();
      await clock.pass(30 * MINUTE);
      scene.page();
      await scene.comeBack();
      await scene.stored(++stored);
      await scene.live('firehose');
      const gap = (await gapsOf(scene)).at(-1)!;
      expect(gap).toMatchObject({ cause: 'restart', recovered: true });
      // Up to where the stream was whole when we left, and up to where it was so again.
      expect(left - Date.parse(gap.from)).toBeLessThanOrEqual(130_000);
      expect(clock.now().getTime() - Date.parse(gap.to!)).toBeLessThanOrEqual(3_000);
      const asked = minutesOf(sinces(scene).at(-1)!);
      expect(asked).toBeGreaterThanOrEqual(31);
      expect(asked).toBeLessThanOrEqual(34);
    }
  });
}
