import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gapsOf, idsOf, liveStage, streamCalls, type XStage } from '../../../test/stages/x-stage.ts';

const MINUTE = 60_000;

describe('where the access level of X has replays', () => {
  const outage = async (stage: XStage, seconds: number, step = 1_000): Promise<string[]> => {
    const lost: string[] = [];
    stage.sandbox.throwFault('X15', { seconds });
    const end = stage.clock.now().getTime() + seconds * 1_000;
    for (let post = 0; stage.clock.now().getTime() < end; post++) {
      if (post % 10 === 0) lost.push(stage.post());
      await stage.pass(step, step);
    }
    return lost;
  };

  it('asks for a backfill of a little more than what is missing, and then says that nothing is', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    const first = stage.post();
    await stage.until(() => idsOf(stage).length === 1);
    const lost = await outage(stage, 80);
    await stage.until(() => stage.counts.connect === 2, 1_000);
    const missing = (stage.clock.now().getTime() - gapsOf(stage)[0]!.from.getTime()) / 1_000;
    expect(streamCalls(stage).at(-1)?.path).toContain(`backfill_minutes=${Math.ceil((missing + 30) / 60)}`);
    await stage.until(() => gapsOf(stage).length === 2, 1_000);
    expect(gapsOf(stage)[1]).toMatchObject({ from: gapsOf(stage)[0]?.from, recovered: true });
    expect(idsOf(stage)).toEqual([first, ...lost]);
    expect(stage.counts.dup).toBe(1);
  });

  it('has every post once, wherever its connections are cut', async () => {
    let fired = 0;
    const cut = fc.record({ after: fc.nat(3_000), posts: fc.integer({ min: 1, max: 8 }), pause: fc.nat(4_000) });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 5, maxLength: 15 }), async (cuts) => {
        await using stage = await liveStage({ level: 'enterprise' });
        const posted: string[] = [];
        for (const { after, posts, pause } of cuts) {
          stage.sandbox.throwFault('X4', { after_bytes: after });
          for (let post = 0; post < posts; post++) {
            posted.push(stage.post(`storm ☔ ${'größer '.repeat(post)}`));
            await stage.pass(pause / posts, pause / posts);
          }
        }
        stage.sandbox.clearFaults();
        fired += stage.sandbox.fired('X4');
        const open = () => {
          const recovered = new Set(gapsOf(stage).flatMap((gap) => (gap.recovered ? [gap.from.getTime()] : [])));
          return gapsOf(stage).filter(({ from }) => !recovered.has(from.getTime()));
        };
        // The last cut may show only with the next heartbeat, and what it took comes back some seconds later.
        await stage.pass(45_000, 500);
        await stage.until(() => open().length === 0, 500);
        expect(idsOf(stage).toSorted()).toEqual(posted);
        expect(stage.counts.broken).toBeUndefined();
      }),
      { numRuns: 10 },
    );
    expect(fired).toBeGreaterThan(20);
  });

  it('fetches what is missing for longer beside the live stream, and begins anew when that is cut', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    await stage.pass(1_000);
    const lost = await outage(stage, 20 * 60, 10_000);
    stage.sandbox.throwFault('X17');
    await stage.until(() => stage.state() === 'live', 1_000);
    const live = stage.post();
    await stage.until(() => gapsOf(stage).length === 2, 1_000);
    expect(gapsOf(stage)[1]).toMatchObject({ from: gapsOf(stage)[0]?.from, cause: 'dropped', recovered: true });
    expect(stage.sandbox.fired('X17')).toBe(1);
    expect(streamCalls(stage).filter(({ path }) => path.includes('start_time'))).toHaveLength(2);
    await stage.until(() => idsOf(stage).length > lost.length);
    expect(idsOf(stage).toSorted()).toEqual([...lost, live].toSorted());
  });

  it('goes on after a restart with what was still missing', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    await stage.pass(1_000);
    const lost = await outage(stage, 20 * 60, 10_000);
    stage.sandbox.throwFault('X17', { times: 100, count: 1 });
    await stage.until(() => stage.sandbox.fired('X17') > 0, 1_000);
    await stage.until(() => (stage.cursor ?? '').includes('missing'), 1_000);
    await stage.stop();
    stage.sandbox.clearFaults();
    stage.start();
    await stage.until(() => gapsOf(stage).filter(({ recovered }) => recovered).length === 2, 1_000);
    expect(new Set(idsOf(stage))).toEqual(new Set(lost));
  });

  it('says that it is gone when X does not replay after all', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    await stage.pass(1_000);
    stage.sandbox.throwFault('X16', { seconds: 60 });
    await stage.pass(61_000);
    await stage.until(() => stage.state() === 'live', 1_000);
    expect(streamCalls(stage).at(-2)).toMatchObject({ status: 403 });
    expect(gapsOf(stage)).toMatchObject([{ to: undefined }, { recovered: false }]);
  });

  it('asks for the second of its return as well, of which only the beginning is known', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    await stage.pass(1_000);
    await stage.stop();
    await stage.clock.pass(10 * MINUTE + 400);
    const last = stage.post();
    await stage.clock.pass(1);
    stage.start();
    await stage.until(() => gapsOf(stage).at(-1)?.recovered === true, 500);
    expect(idsOf(stage)).toEqual([last]);
  });

  it('gives up what is older than a day, and fetches the rest', async () => {
    await using stage = await liveStage({ level: 'enterprise' });
    await stage.pass(1_000);
    await stage.stop();
    await stage.clock.pass(30 * 60 * MINUTE);
    const lost = [stage.post()];
    await stage.clock.pass(10 * MINUTE);
    stage.start();
    await stage.until(() => gapsOf(stage).length === 4, 1_000);
    const [open, old, rest, fetched] = gapsOf(stage);
    expect(old).toMatchObject({ from: open?.from, recovered: false, to: rest?.from });
    expect(fetched).toMatchObject({ from: rest?.from, recovered: true });
    expect(idsOf(stage)).toEqual(lost);
  });
});
