/** An open stream of X that goes wrong: silence, cuts, strange and repeated records. */
import { expect } from 'vitest';
import { connectTimes, differences } from '../stages/x-stage.ts';
import { row } from './rows.ts';
import { expectBeginning } from './service-stage.ts';

const MINUTE = 60_000;

export function xStreamRows(): void {
  row(
    'X1',
    'a silent stream is dead after 22 s, its socket is destroyed, and the next one opens at once',
    async (scene) => {
      const stage = await scene.service();
      stage.post();
      await stage.stored(1);
      const heard = stage.clock.now();
      await stage.pass(5_000);
      stage.sandbox.throwFault('X1');
      await stage.until(() => stage.counts.stall === 1, 250);
      const silence = stage.clock.now().getTime() - heard.getTime();
      expect(silence).toBeGreaterThanOrEqual(22_000);
      expect(silence).toBeLessThanOrEqual(23_000);
      await stage.live();
      expect(stage.counts).toEqual({ connect: 2, disconnect: 1, stall: 1 });
      expect(stage.sandbox.connections('x')).toBe(1);
      const [gap, ...others] = await stage.gaps();
      expect(gap).toMatchObject({ to: stage.clock.now().toISOString(), cause: 'stall', recovered: false });
      expectBeginning(gap, heard);
      expect(others).toEqual([]);
      stage.post();
      await stage.stored(2);
    },
  );

  row('X2', 'a stream of heartbeats alone is suspected: one new connection in 30 min, rules checked', async (scene) => {
    const stage = await scene.service();
    for (let post = 0; post < 60; post++) {
      stage.post();
      await stage.pass(10_000, 5_000);
    }
    await stage.stored(60);
    const last = stage.clock.now().getTime() - 10_000;
    stage.sandbox.throwFault('X2');
    const withheld = stage.post();
    await stage.until(() => stage.counts.suspect === 1, 5_000);
    const suspected = stage.clock.now().getTime();
    await stage.until(() => stage.counts.connect === 2);
    const reads = () => stage.sandbox.calls.filter(({ path }) => path.includes('/rules?max_results'));
    await stage.until(() => reads().some(({ at }) => at.getTime() === suspected));
    await stage.until(() => stage.counts.suspect === 2, 10_000);
    expect(stage.clock.now().getTime() - suspected).toBeGreaterThanOrEqual(30 * MINUTE);
    expect(await stage.posts()).not.toContain(withheld);
    // The new connection brings heartbeats alone, too: the gap is open until a post comes.
    const [open, ...others] = await stage.gaps();
    expect(open).toMatchObject({ to: null, cause: 'suspect', recovered: false });
    expectBeginning(open, new Date(last));
    expect(others).toEqual([]);
    stage.sandbox.clearFaults();
    stage.post();
    await stage.stored(61, 100);
    expect(await stage.gaps()).toMatchObject([{ from: open!.from, to: expect.any(String), recovered: false }]);
  });

  row('X3', 'heartbeats between 19 and 21.5 s cost no connection', async (scene) => {
    const stage = await scene.liveWire();
    stage.sandbox.throwFault('X3');
    await stage.pass(30 * MINUTE, 500);
    expect(stage.counts).toEqual({ connect: 1 });
  });

  for (const at of ['record', 'character', 'crlf', 'chunk-header', 'gzip']) {
    row('X4', `what a cut inside a ${at} left over is dropped, and the gap begins before it`, async (scene) => {
      const stage = await scene.service({ gzip: at === 'gzip' });
      const first = stage.post();
      await stage.stored(1);
      const from = stage.clock.now();
      await stage.pass(7_000);
      stage.sandbox.throwFault('X4', { at });
      stage.post('storm ☔ again');
      await stage.until(() => stage.counts.connect === 2, 100);
      const last = stage.post();
      await stage.stored(2);
      expect(await stage.posts()).toEqual([first, last]);
      expect(await stage.store.broken('x', 10)).toEqual([]);
      expect(stage.counts).toEqual({ connect: 2, disconnect: 1 });
      const gaps = await stage.gaps();
      expect(gaps).toMatchObject([{ to: expect.any(String) }]);
      expectBeginning(gaps[0], from);
    });
  }

  row('X5', 'a broken stream is replaced at once, then a quarter of a second later each time', async (scene) => {
    for (const how of ['reset', 'fin', 'end']) {
      const stage = await scene.liveWire({ random: () => 0.999 });
      stage.sandbox.throwFault('X5', { how, times: 5 });
      await stage.until(() => stage.counts.connect === 6, 10);
      // Up to a fifth more than X asks for, and never less.
      const waits = differences(connectTimes(stage));
      for (const [index, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(index * 250);
        expect(wait).toBeLessThanOrEqual(index * 300 + 20);
      }
      expect(stage.counts).toEqual({ connect: 6, disconnect: 5 });
    }
    const stage = await scene.wire({ sandbox: { limits: 'off' } });
    stage.sandbox.throwFault('X5', { on: 'connect', times: 30 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 100);
    const climbing = differences(connectTimes(stage)).slice(0, 20);
    expect(climbing).toEqual(climbing.map((_, index) => expect.closeTo((index + 1) * 250, -3)));
  });

  row('X10', 'an announced end is an end, though the socket stays open; it is no post', async (scene) => {
    const stage = await scene.service();
    const from = stage.clock.now();
    stage.sandbox.throwFault('X10');
    await stage.until(() => stage.counts.connect === 2);
    expect(stage.clock.now()).toEqual(from);
    expect(stage.sandbox.connections('x')).toBe(1);
    stage.sandbox.throwFault('X10', { times: 2 });
    await stage.until(() => stage.counts.connect === 4, 500);
    const waits = differences(stage.streamCalls().map(({ at }) => at));
    expect(waits).toEqual([0, 5_000, 10_000].map((wait) => expect.closeTo(wait, -3)));
    expect(stage.counts).toEqual({ connect: 4, disconnect: 3 });
    expect([await stage.posts(), await stage.store.broken('x', 10)]).toEqual([[], []]);
    expect((await stage.gaps()).map(({ cause }) => cause)).toContain('operational');
  });

  row('X11', 'an unknown message is counted and read past; errors beside a post stay with it', async (scene) => {
    const stage = await scene.service();
    stage.sandbox.throwFault('X11');
    await stage.until(() => stage.counts.unknown_message === 1);
    stage.sandbox.throwFault('X11', { with_data: true });
    const id = stage.post();
    await stage.stored(1);
    const { matches } = await stage.test.call(stage.caller, 'listMatches');
    expect(matches[0]).toMatchObject({ platform_post_id: id, payload: { errors: [{ title: 'Authorization Error' }] } });
    expect(stage.counts).toEqual({ connect: 1, unknown_message: 1 });
  });

  row('X12', 'fifty copies of a post are one match, over connections and restarts', async (scene) => {
    const stage = await scene.service();
    stage.sandbox.throwFault('X12', { copies: 50 });
    const id = stage.post();
    await stage.until(() => stage.counts.dup === 49);
    stage.sandbox.throwFault('X12', { copies: 1, reconnect: true });
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.dup === 50, 10);
    await stage.test.service.close();
    stage.sandbox.throwFault('X12', { copies: 1, reconnect: true });
    const next = await scene.service({ beside: stage });
    await next.until(() => next.counts.dup === 1, 10);
    expect(await next.posts()).toEqual([id]);
    expect(stage.sandbox.fired('X12')).toBe(3);
  });

  row('X13', 'posts come in any order, and the cursor is a time, never the highest id', async (scene) => {
    const stage = await scene.service();
    stage.sandbox.throwFault('X13', { count: 3 });
    const ids = [stage.post(), stage.post(), stage.post()];
    await stage.stored(3);
    expect((await stage.posts()).toSorted()).toEqual(ids);
    const cursor = (await stage.store.cursor('x'))!;
    for (const id of ids) expect(cursor).not.toContain(id);
    expectBeginning({ from: (JSON.parse(cursor) as { at: string }).at }, stage.clock.now());
    const old = '1700000000000000001';
    const created = new Date(stage.clock.now().getTime() - 10 * MINUTE).toISOString();
    stage.post('a storm of ten minutes ago', { id: old, created_at: created });
    await stage.stored(4);
    expect(await stage.posts()).toContain(old);
    expect(stage.counts).toEqual({ connect: 1 });
  });

  row('X28', 'strange records are tolerated or kept aside; one without end costs the connection', async (scene) => {
    const stage = await scene.service();
    const kinds = ['missing-fields', 'reordered', 'huge-numbers', 'lone-surrogate', 'deep', 'not-json'];
    for (const kind of kinds) stage.sandbox.throwFault('X28', { kind });
    const id = stage.post();
    await stage.stored(1);
    expect(stage.counts.connect).toBe(1);
    stage.sandbox.throwFault('X28', { kind: 'long-line' });
    await stage.until(() => stage.counts.connect === 2, 100);
    const next = stage.post();
    await stage.stored(2);
    expect(await stage.posts()).toEqual([id, next]);
    const broken = await stage.store.broken('x', 100);
    expect(broken.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['it is longer than 1 MiB', 'it is not valid JSON', 'it is nested deeper than 64 levels']),
    );
    expect(broken.every(({ sample }) => sample.length > 0 && sample.length <= 4_096)).toBe(true);
    expect(stage.counts.broken).toBe(broken.length);
    expect(stage.sandbox.fired('X28')).toBe(kinds.length + 1);
  });
}
