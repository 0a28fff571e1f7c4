import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  connectTimes,
  differences,
  gapsOf,
  idsOf,
  liveStage,
  streamCalls,
  type XStage,
  xStage,
} from '../../../test/stages/x-stage.ts';

import { X_DELAY_MS } from './coverage.ts';

const MINUTE = 60_000;

describe('the stream of X', () => {
  it('is taken for dead after 22 silent seconds, and is back at once', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X1');
    stage.post();
    const from = stage.clock.now().getTime();
    await stage.until(() => stage.counts.stall === 1, 500);
    expect(stage.clock.now().getTime() - from).toBeLessThanOrEqual(23_000);
    await stage.until(() => stage.counts.connect === 2, 500);
    expect(stage.items.some((item) => item.kind === 'state' && item.state === 'stalled')).toBe(true);
    expect(gapsOf(stage)).toMatchObject([
      { to: undefined, cause: 'stall', recovered: false },
      { from: gapsOf(stage)[0]?.from, recovered: false, to: stage.clock.now() },
    ]);
  });

  it('is not cut off for heartbeats that come late', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X3');
    await stage.pass(10 * MINUTE, 500);
    expect(stage.counts).toEqual({ connect: 1 });
  });

  it.each(['record', 'character', 'crlf', 'chunk-header', 'gzip'])(
    'drops what a cut inside a %s left over',
    async (at) => {
      await using stage = await liveStage({ gzip: at === 'gzip' });
      const first = stage.post();
      await stage.until(() => idsOf(stage).length === 1);
      stage.sandbox.throwFault('X4', { at });
      stage.post('storm ☔ again');
      await stage.until(() => stage.counts.connect === 2, 100);
      const last = stage.post();
      await stage.until(() => idsOf(stage).length === 2, 10);
      expect(idsOf(stage)).toEqual([first, last]);
      expect(stage.sandbox.fired('X4')).toBe(1);
      expect(stage.counts.broken).toBeUndefined();
      expect(gapsOf(stage)).toHaveLength(2);
    },
  );

  it('climbs by quarters of a second when connections break before they are answered', async () => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X5', { on: 'connect', times: 5 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 50);
    expect(differences(connectTimes(stage))).toEqual(
      [250, 500, 750, 1_000, 1_250].map((wait) => expect.closeTo(wait, -2)),
    );
  });

  it('waits 5 s, 10 s, 20 s, … after server errors, and begins anew only after a healthy minute', async () => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X6', { times: 3 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 500);
    expect(differences(connectTimes(stage))).toEqual([5_000, 10_000, 20_000].map((wait) => expect.closeTo(wait, -3)));
    stage.sandbox.throwFault('X6');
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.connect === 2, 500);
    expect(differences(connectTimes(stage)).at(-1)).toBeGreaterThanOrEqual(40_000);
    await stage.pass(61_000);
    stage.sandbox.throwFault('X6');
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.connect === 3, 500);
    expect(differences(connectTimes(stage)).at(-1)).toBeLessThan(6_000);
  });

  it.each([
    [300, 0, 300_000],
    [300, 3_600, 300_000],
    [10, 0, 60_000],
    [100_000, 0, 16 * MINUTE],
  ])('does not come back before a reset %d s ahead, with a clock %d s off', async (seconds, skew, wait) => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X7', { seconds, skew });
    stage.start();
    await stage.until(() => stage.state() === 'live', 1_000);
    const [waited] = differences(connectTimes(stage));
    expect(waited).toBeGreaterThanOrEqual(wait);
    expect(waited).toBeLessThan(wait + 5_000);
  });

  it('closes what is left of its own connection when X counts it still, and no other', async () => {
    await using stage = await liveStage();
    await stage.pass(10_000);
    stage.sandbox.throwFault('X8');
    await stage.pass(15_000);
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.connect === 2, 500);
    expect(stage.sandbox.fired('X8')).toBe(1);
    expect(stage.sandbox.calls.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    expect(stage.clock.now().getTime() - connectTimes(stage)[0]!).toBeLessThan(40_000);
  });

  it('waits for the connection of somebody else to end', async () => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X8', { seconds: 100 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 1_000);
    expect(stage.sandbox.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(differences(connectTimes(stage)).map((wait) => Math.round(wait / 1_000))).toEqual([60, 120]);
  });

  it('is degraded when the monthly cap is used up, and looks once an hour', async () => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X9');
    stage.start();
    await stage.until(() => stage.state() === 'degraded: quota');
    await stage.pass(2 * 60 * MINUTE + 1_000, MINUTE);
    expect(streamCalls(stage)).toHaveLength(3);
    expect(gapsOf(stage)).toMatchObject([{ to: undefined, cause: 'quota' }]);
    stage.sandbox.clearFaults();
    await stage.pass(60 * MINUTE, MINUTE);
    expect(stage.state()).toBe('live');
    expect(gapsOf(stage)).toHaveLength(2);
  });

  it('ends with a message that says so, though the socket stays open', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X10');
    await stage.until(() => stage.counts.connect === 2, 10);
    expect(stage.arrivals()).toEqual([]);
    expect(stage.counts).toEqual({ connect: 2, disconnect: 1 });
    stage.sandbox.throwFault('X10');
    await stage.until(() => stage.counts.connect === 3, 500);
    expect(differences(connectTimes(stage)).at(-1)).toBeGreaterThanOrEqual(5_000);
  });

  it('reads on after a message it does not know, and takes a post with errors for a post', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X11');
    await stage.until(() => stage.counts.unknown_message === 1, 10);
    stage.sandbox.throwFault('X11', { with_data: true });
    stage.post();
    await stage.until(() => stage.arrivals().length === 1, 10);
    expect(stage.arrivals()[0]?.payload).toHaveProperty('errors');
    expect(stage.counts.connect).toBe(1);
  });

  it('gives a post once, however often it comes', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X12', { copies: 20 });
    stage.post();
    await stage.until(() => stage.counts.dup === 19, 10);
    expect(stage.arrivals()).toHaveLength(1);
    stage.sandbox.throwFault('X12', { copies: 1, reconnect: true });
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.dup === 20, 10);
    expect(stage.arrivals()).toHaveLength(1);
  });

  it('opens a gap and closes it, where nothing can be replayed', async () => {
    await using stage = await liveStage();
    stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    const last = new Date(stage.clock.now().getTime() - X_DELAY_MS);
    await stage.pass(5_000);
    stage.sandbox.throwFault('X15', { seconds: 600 });
    await stage.pass(9 * MINUTE);
    expect(gapsOf(stage)).toEqual([{ from: last, to: undefined, cause: 'dropped', recovered: false }]);
    await stage.until(() => stage.state() === 'live', 1_000);
    expect(gapsOf(stage)[1]).toMatchObject({ from: last, recovered: false });
    expect(streamCalls(stage).some(({ path }) => /backfill|start_time/.test(path))).toBe(false);
  });

  it('begins at the cursor after a restart, and says what is missing since', async () => {
    await using stage = await liveStage();
    await stage.pass(21_000);
    await stage.until(() => stage.cursor !== undefined);
    await stage.stop();
    const { through } = stage.items.findLast((item) => item.kind === 'mark')!;
    await stage.pass(MINUTE);
    stage.start();
    await stage.until(() => stage.state() === 'live' && gapsOf(stage).length === 2);
    expect(gapsOf(stage)).toEqual([
      { from: through, to: undefined, cause: 'restart', recovered: false },
      { from: through, to: stage.clock.now(), cause: 'restart', recovered: false },
    ]);
  });

  it('gives up on a token after three tries, looks every five minutes, and takes a new one at once', async () => {
    await using stage = await liveStage({ sandbox: { xToken: 'token-1' } });
    stage.token = 'token-2';
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.state() === 'degraded: auth', 500);
    expect(streamCalls(stage)).toHaveLength(4);
    await stage.pass(5 * MINUTE + 5_000);
    expect(streamCalls(stage)).toHaveLength(5);
    stage.token = 'token-1';
    await stage.pass(6_000);
    await stage.until(() => stage.state() === 'live');
    expect(stage.logged()).not.toContain('token-');
  });

  it('waits without growing when there are no rules', async () => {
    await using stage = await xStage({ rules: [] });
    stage.start();
    await stage.pass(3 * MINUTE);
    expect(differences(connectTimes(stage)).map((wait) => Math.round(wait / 1_000))).toEqual([30, 30, 30, 30, 30, 30]);
    await stage.platform.register([{ value: 'storm', flags: {}, tag: 't' }]);
    await stage.until(() => stage.state() === 'live', 1_000);
  });

  it('keeps strange posts aside and reads on; a line without end costs the connection', async () => {
    await using stage = await liveStage();
    for (const kind of ['missing-fields', 'reordered', 'huge-numbers', 'lone-surrogate', 'deep', 'not-json']) {
      stage.sandbox.throwFault('X28', { kind });
    }
    const last = stage.post();
    await stage.until(() => idsOf(stage).at(-1) === last, 10);
    expect(stage.counts.connect).toBe(1);
    stage.sandbox.throwFault('X28', { kind: 'long-line' });
    await stage.until(() => stage.counts.connect === 2, 100);
    const broken = stage.items.filter((item) => item.kind === 'broken');
    expect(broken.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['it is not valid JSON', 'it is nested deeper than 64 levels', 'it is longer than 1 MiB']),
    );
    expect(broken.every(({ sample }) => sample.length <= 4_096)).toBe(true);
    expect(stage.counts.broken).toBe(broken.length);
  });

  it('follows no redirect', async () => {
    await using stage = await xStage();
    stage.sandbox.throwFault('X32');
    stage.start();
    await stage.until(() => stage.state() === 'live', 500);
    expect(stage.sandbox.calls.some(({ path }) => path.includes('elsewhere'))).toBe(false);
    expect(differences(connectTimes(stage))).toEqual([expect.closeTo(5_000, -3)]);
  });

  it('trusts no certificate that nobody vouches for, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    await using stage = await xStage({ rules: [], sandbox: { tls: true } });
    stage.start();
    await stage.until(() => stage.state() === 'connecting: certificate');
    await stage.pass(36_000);
    expect(stage.counts.connect).toBeUndefined();
    expect(stage.sandbox.calls).toEqual([]);
  });

  it('is read on while nobody takes what it brings', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using stage = await xStage({ isStuck: () => released });
    stage.start();
    await stage.until(() => stage.counts.connect === 1);
    const ids = Array.from({ length: 2_000 }, () => stage.post());
    await stage.pass(5 * MINUTE, 5_000);
    expect(stage.arrivals()).toEqual([]);
    expect(stage.counts).toEqual({ connect: 1 });
    release();
    await stage.until(() => stage.arrivals().length === ids.length);
    expect(idsOf(stage)).toEqual(ids);
  });

  it('connects no more often than X allows, however often it is cut', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('X5', { times: 10_000 });
    await stage.pass(90 * MINUTE, 5_000);
    const times = connectTimes(stage);
    for (const at of times) {
      expect(times.filter((one) => one > at - 15 * MINUTE && one <= at).length).toBeLessThanOrEqual(45);
    }
    expect(times.length).toBeGreaterThan(60);
    expect(streamCalls(stage).some(({ status }) => status === 429)).toBe(false);
  });

  it('suspects a stream of nothing but heartbeats, once in half an hour', async () => {
    await using stage = await liveStage();
    for (let post = 0; post < 90; post++) {
      stage.post();
      await stage.pass(10_000, 5_000);
    }
    const last = stage.arrivals().at(-1)!.through;
    stage.sandbox.throwFault('X2');
    await stage.until(() => stage.counts.suspect === 1, 5_000);
    await stage.until(() => stage.counts.connect === 2, 100);
    await stage.pass(25 * MINUTE, 5_000);
    expect(stage.counts.suspect).toBe(1);
    expect(stage.state()).toBe('stalled: suspect');
    expect(gapsOf(stage)).toMatchObject([{ from: last, to: undefined, cause: 'suspect' }]);
    stage.sandbox.clearFaults();
    stage.post();
    await stage.until(() => stage.state() === 'live');
    const to = stage.clock.now();
    expect(gapsOf(stage).slice(1)).toMatchObject([{ from: last, to, cause: 'suspect', recovered: false }]);
  });

  it('has every post, or says that it may be missing', async () => {
    const trouble = fc.record({
      strike: fc.constantFrom<(sandbox: XStage['sandbox'], seconds: number) => void>(
        (sandbox) => sandbox.throwFault('X1'),
        (sandbox) => sandbox.throwFault('X4'),
        (sandbox) => sandbox.throwFault('X5'),
        (sandbox) => sandbox.throwFault('X10'),
        (sandbox) => sandbox.throwFault('X18'),
        (sandbox, seconds) => sandbox.throwFault('X15', { seconds }),
      ),
      seconds: fc.integer({ min: 1, max: 120 }),
      late: fc.nat({ max: X_DELAY_MS }),
      restarts: fc.boolean(),
    });
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(trouble, { minLength: 2, maxLength: 6 }), async (troubles) => {
        await using stage = await liveStage({ sandbox: { limits: 'off' } });
        const posted = new Map<string, Date>();
        for (const { strike, seconds, late, restarts } of troubles) {
          strike(stage.sandbox, seconds);
          for (let second = 0; second < seconds; second++) {
            // It was written `late` milliseconds before X delivers it.
            posted.set(stage.post(), new Date(stage.clock.now().getTime() - late));
            await stage.pass(1_000);
          }
          stage.sandbox.clearFaults();
          if (restarts) {
            await stage.stop();
            await stage.pass(5_000);
            stage.start();
          }
        }
        // A stall is known only by its silence.
        await stage.pass(25_000);
        await stage.until(() => stage.state() === 'live', 5_000);
        const stored = new Set(idsOf(stage));
        const gaps = gapsOf(stage).filter(({ to }) => to !== undefined);
        for (const [id, at] of posted) {
          const isKnownToMiss = gaps.some(({ from, to }) => from <= at && at <= to!);
          expect(stored.has(id) || isKnownToMiss, `${id} of ${at.toISOString()}`).toBe(true);
          if (!stored.has(id)) lost++;
        }
        expect(stored.size).toBe(stage.arrivals().length);
      }),
      { numRuns: 8 },
    );
    expect(lost).toBeGreaterThan(0);
  });
});
