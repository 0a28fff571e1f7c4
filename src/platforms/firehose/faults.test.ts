/** The stream under each fault that an upstream can show. */
import { describe, expect, it } from 'vitest';
import { type FirehoseStage, firehoseStage } from '../../../test/stages/firehose-stage.ts';
import { FIREHOSE_DELAY_MS } from './stream-position.ts';

const HOUR = 3_600_000;

/** A stage that is live, with one event seen. */
async function liveStage(): Promise<FirehoseStage & { readonly first: string }> {
  const stage = await firehoseStage();
  stage.follow();
  await stage.live();
  const first = stage.post();
  await stage.until(() => stage.arrivals().length === 1);
  return Object.assign(stage, { first });
}

/** The last state of each gap, by where it begins. */
/** Up to when the stream was shown to be complete. */
const completeThrough = (stage: FirehoseStage): Date => {
  const { through } = stage.items.findLast((item) => item.kind === 'arrival' || item.kind === 'mark')!;
  expect(stage.clock.now().getTime() - through.getTime()).toBeGreaterThanOrEqual(FIREHOSE_DELAY_MS);
  return through;
};

const gapsOf = (stage: FirehoseStage) => [
  ...new Map(stage.of('gap').map(({ gap }) => [gap.from.getTime(), gap])).values(),
];

describe('a connection that is lost', () => {
  it.each(['id', 'data', 'blank'] as const)(
    'inside an event (%s) yields that event once, after resuming',
    async (at) => {
      await using stage = await liveStage();
      stage.sandbox.throwFault('F2', { at });
      const lostAt = completeThrough(stage);
      const second = stage.post();
      await stage.until(() => stage.counted('disconnect') === 1);
      expect(stage.sandbox.fired('F2')).toBe(1);
      await stage.clock.pass(3_000);
      await stage.until(() => stage.arrivals().length === 2);
      await stage.live();
      expect(stage.ids()).toEqual([stage.first, second]);
      expect(stage.connects().at(-1)!.lastId).toBe(stage.first);
      expect(gapsOf(stage)).toMatchObject([{ from: lostAt, cause: 'disconnected', recovered: true }]);
      expect(stage.of('state').map(({ state }) => state)).toEqual(['connecting', 'live', 'connecting', 'live']);
    },
  );

  it('is resumed from what is committed and from nothing later', async () => {
    await using stage = await liveStage();
    stage.isForgetful = true;
    stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    stage.sandbox.throwFault('F2');
    stage.post();
    await stage.until(() => stage.counted('disconnect') === 1);
    await stage.clock.pass(3_000);
    await stage.until(() => stage.arrivals().length === 4);
    expect(stage.connects().at(-1)!.lastId).toBe(stage.first);
    expect(new Set(stage.ids()).size).toBe(3);
  });

  it('by silence is noticed ten seconds after its timeout, and not before', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('F3');
    stage.follow();
    await stage.until(() => stage.connects().length === 1);
    await stage.clock.pass(129_000);
    expect(stage.counted('stall')).toBe(0);
    await stage.clock.pass(1_000);
    expect(stage.counted('stall')).toBe(1);
    expect(stage.of('state').map(({ state }) => state)).toContain('stalled');
    await stage.live();
    expect(stage.connects()[1]!.at - stage.connects()[0]!.at).toBe(130_000);
  });

  it('is not one while bytes come one at a time, or late', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F22', { kind: 'hold', seconds: 60 });
    const held = stage.post();
    await stage.clock.pass(60_000);
    await stage.until(() => stage.arrivals().length === 2);
    stage.sandbox.throwFault('F22', { kind: 'drip' });
    const dripped = stage.post();
    await stage.until(() => stage.arrivals().length === 3);
    expect(stage.ids()).toEqual([stage.first, held, dripped]);
    expect(stage.counted('stall')).toBe(0);
  });

  it('to an upstream that is gone is told of, and its gap stays open', async () => {
    await using stage = await liveStage();
    await stage.sandbox.stop();
    await stage.until(() => stage.of('state').at(-1)?.state !== 'live');
    await stage.clock.pass(10_000);
    await stage.until(() => stage.of('state').at(-1)?.state === 'degraded');
    expect(gapsOf(stage)).toMatchObject([{ to: undefined, recovered: false }]);
  });
});

describe('ids', () => {
  it('that are left out are asked for once, and nothing is found', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F4', { count: 2 });
    const second = stage.post();
    await stage.clock.pass(3_000);
    await stage.until(() => stage.counted('gap_benign') === 1);
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, second]);
    const [probe, ...others] = stage.connects().filter(({ query }) => query.has('offset'));
    expect(probe!.query.get('offset')).toBe(String(Number(stage.first.slice(2)) + 1));
    expect([probe!.lastId, probe!.query.get('since'), others.length]).toEqual([undefined, null, 0]);
  });

  it('that are left out and were matched are found, in order', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F4', { count: 2, lost: true });
    const sent = [stage.post(), stage.post(), stage.post()];
    await stage.clock.pass(3_000);
    await stage.until(() => stage.arrivals().length === 4);
    expect(stage.ids()).toEqual([stage.first, ...sent]);
    expect(stage.counted('gap_benign')).toBe(0);
  });

  it('that are left out again and again are asked for six times an hour', async () => {
    await using stage = await liveStage();
    for (let jump = 0; jump < 10; jump++) {
      stage.sandbox.throwFault('F4', { count: 2 });
      stage.post();
      await stage.clock.pass(4_000);
      await stage.until(() => stage.arrivals().length === jump + 2);
    }
    expect(stage.connects().filter(({ query }) => query.has('offset'))).toHaveLength(6);
  });

  it('that begin again are told apart from those of before', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F6', { to: 43_368 });
    await stage.clock.pass(1_000);
    stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    stage.sandbox.throwFault('F6', { to: 0 });
    stage.post();
    await stage.until(() => stage.arrivals().length === 3);
    expect(stage.ids()).toEqual(['0-43368', '0-43368@1', '0-0@2']);
    expect(stage.logged.some((line) => line.includes('began again'))).toBe(true);
  });

  it('of a second partition are kept apart; resuming asks for the time of the outage', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F7');
    const sent = [stage.first, ...Array.from({ length: 4 }, () => stage.post())];
    await stage.until(() => stage.arrivals().length === 5);
    stage.sandbox.throwFault('F2', { after_bytes: 0 });
    await stage.until(() => stage.counted('disconnect') === 1);
    sent.push(stage.post(), stage.post());
    await stage.clock.pass(3_000);
    await stage.until(() => new Set(stage.ids()).size === 7);
    expect(new Set(stage.ids())).toEqual(new Set(sent));
    expect(stage.connects().at(-1)!.query.get('since')).toBe('2m');
    expect(stage.connects().at(-1)!.lastId).toBeUndefined();
    await stage.live();
    expect(gapsOf(stage)).toMatchObject([{ recovered: true }]);
  });

  it('that come again have the same names', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F5', { count: 1 });
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, stage.first]);
  });
});

describe('an outage', () => {
  /** Leaves, lets events happen, comes back. */
  async function outage(stage: FirehoseStage, hours: number, during: () => void): Promise<void> {
    await stage.leave();
    await stage.clock.pass(hours * HOUR);
    during();
    stage.follow();
  }

  it('within the buffer is made good for', async () => {
    await using stage = await liveStage();
    const from = completeThrough(stage);
    let second = '';
    await outage(stage, 20, () => (second = stage.post()));
    await stage.clock.pass(HOUR);
    await stage.until(() => stage.arrivals().length === 2);
    await stage.live();
    expect(stage.ids()).toEqual([stage.first, second]);
    expect(gapsOf(stage)).toMatchObject([{ from, cause: 'restart', recovered: true }]);
  });

  it('beyond it is a gap up to the first event; the buffer is asked for once', async () => {
    await using stage = await liveStage();
    const from = completeThrough(stage);
    await stage.leave();
    await stage.clock.pass(20 * HOUR);
    stage.post();
    const matchedAt = stage.clock.now();
    await stage.clock.pass(10 * HOUR);
    stage.follow();
    await stage.until(() => stage.arrivals().length === 2);
    await stage.live();
    expect(gapsOf(stage)).toMatchObject([
      { from, to: matchedAt, recovered: false },
      { from: matchedAt, recovered: true },
    ]);
    await stage.clock.pass(300_000);
    await stage.until(() => stage.connects().length === 4);
    expect(stage.connects().map(({ query }) => query.get('since'))).toEqual(['1m', '24h', null, null]);
  });

  it('after which the buffer no longer has the last event is a gap too', async () => {
    await using stage = await liveStage();
    const from = completeThrough(stage);
    stage.sandbox.throwFault('F2', { after_bytes: 0 });
    await stage.until(() => stage.counted('disconnect') === 1);
    stage.post();
    stage.sandbox.throwFault('F8');
    await stage.clock.pass(3_000);
    await stage.live();
    await stage.clock.pass(60_000);
    stage.post();
    const seenAt = stage.clock.now();
    await stage.clock.pass(10_000);
    await stage.until(() => stage.arrivals().length === 2);
    await stage.live();
    const [lost] = gapsOf(stage);
    expect(lost).toMatchObject({ from, to: seenAt, recovered: false });
    expect(stage.connects().filter(({ query }) => query.get('since') === '24h')).toHaveLength(1);
  });

  it('after which the replay by time was cut short is a gap up to the first event', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F7');
    stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    const from = completeThrough(stage);
    await stage.leave();
    await stage.clock.pass(2 * HOUR);
    stage.post();
    await stage.clock.pass(2 * HOUR);
    stage.post();
    const matchedAt = stage.clock.now();
    await stage.clock.pass(HOUR / 2);
    stage.sandbox.throwFault('F9', { seconds: 3_600 });
    stage.follow();
    await stage.until(() => stage.arrivals().length === 3);
    await stage.live();
    expect(stage.sandbox.fired('F9')).toBe(1);
    expect(gapsOf(stage)).toMatchObject([
      { from, to: matchedAt, recovered: false },
      { from: matchedAt, recovered: true },
    ]);
  });

  it.each([0, 2])(
    'after which a replay by time (of %i events) does not have what we know of that time is a gap too',
    async (replayed) => {
      await using stage = await liveStage();
      stage.sandbox.throwFault('F7');
      for (const _ of [1, 2, 3]) stage.post();
      await stage.until(() => stage.arrivals().length === 4);
      const from = completeThrough(stage);
      stage.sandbox.throwFault('F2', { after_bytes: 0 });
      await stage.until(() => stage.counted('disconnect') === 1);
      const lost = stage.post();
      await stage.clock.pass(500);
      stage.sandbox.throwFault('F8');
      for (let event = 0; event < replayed; event++) stage.post();
      await stage.clock.pass(5_000);
      await stage.until(() => stage.connects().length === 2);
      await stage.clock.pass(10_000);
      await stage.live();
      const to = stage.clock.now();
      expect(stage.connects().at(-1)!.query.get('since')).toBe('2m');
      expect(stage.ids()).not.toContain(lost);
      const [gap] = gapsOf(stage);
      expect(gap).toMatchObject({ from, recovered: false });
      expect(gap!.to!.getTime()).toBeLessThanOrEqual(to.getTime());
    },
  );

  it('is measured by our own clocks, whatever theirs says', async () => {
    await using stage = await firehoseStage();
    stage.sandbox.throwFault('F25', { seconds: -600 });
    stage.follow();
    await stage.live();
    stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    const from = completeThrough(stage);
    await outage(stage, 1, () => {});
    await stage.live();
    const to = stage.clock.now();
    expect(gapsOf(stage)).toMatchObject([{ from, recovered: true }]);
    expect(to.getTime() - gapsOf(stage)[0]!.to!.getTime()).toBeLessThan(2_000);
  });
});

describe('an upstream that refuses', () => {
  it('because there are no rules is left alone until there is one', async () => {
    await using stage = await liveStage();
    stage.sandbox.dropRule('firehose', stage.sandbox.rules('firehose')[0]!.id);
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    await stage.until(() => stage.of('state').at(-1)?.reason === 'no rules');
    await stage.clock.pass(600_000);
    expect(stage.connects().length).toBeLessThan(12);
    await stage.platform.register([{ value: 'storm', flags: { quality: false }, tag: 'again' }]);
    await stage.clock.pass(5_000);
    await stage.live();
    expect(gapsOf(stage)).toMatchObject([{ cause: 'no rules', recovered: false }]);
  });

  it('because the last of our rules went is no gap: nobody wants anything', async () => {
    await using stage = await liveStage();
    stage.sandbox.dropRule('firehose', stage.sandbox.rules('firehose')[0]!.id);
    const held = Promise.withResolvers<void>();
    stage.rulesHeld = held.promise;
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    await stage.until(() => stage.of('state').at(-1)?.reason === 'no rules yet');
    const tries = stage.connects().length;
    await stage.clock.pass(HOUR);
    expect(stage.connects()).toHaveLength(tries);
    await stage.platform.register([{ value: 'storm', flags: { quality: false }, tag: 'again' }]);
    held.resolve();
    await stage.live();
    expect(gapsOf(stage)).toEqual([]);
  });

  it('with an error is tried again from five seconds on, and quoted clean', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F12', { message: 'Down\u0000 for\nfh_stage' });
    await stage.until(() => stage.of('state').at(-1)?.state === 'degraded');
    expect(stage.of('state').at(-1)!.reason).toBe('Down for [secret]');
    const at = stage.clock.now().getTime();
    await stage.clock.pass(5_000);
    await stage.live();
    expect(stage.connects().at(-1)!.at - at).toBe(5_000);
  });

  it('for want of credit is asked again every quarter of an hour', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F13');
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    await stage.until(() => stage.of('state').at(-1)?.reason === 'billing');
    const tries = stage.connects().length;
    await stage.clock.pass(HOUR);
    await stage.until(() => stage.connects().length === tries + 4);
    expect(gapsOf(stage)).toMatchObject([{ cause: 'billing', to: undefined }]);
    stage.sandbox.clearFaults();
    await stage.clock.pass(900_000);
    await stage.live();
    expect(gapsOf(stage)).toMatchObject([{ cause: 'billing', recovered: true }]);
    expect(stage.sandbox.rules('firehose')).toHaveLength(1);
  });

  it.each([401, 403, 404])(
    'the token (%s) is asked every five minutes, and at once with another one',
    async (status) => {
      await using stage = await liveStage();
      stage.sandbox.throwFault('F14', { status });
      await stage.until(() => stage.of('state').at(-1)?.state === 'connecting');
      await stage.clock.pass(3_000);
      await stage.until(() => stage.of('state').at(-1)?.reason === 'auth');
      const tries = stage.connects().length;
      await stage.clock.pass(600_000);
      await stage.until(() => stage.connects().length === tries + 2);
      stage.sandbox.clearFaults();
      stage.token = 'fh_other';
      await stage.clock.pass(5_000);
      await stage.live();
      expect(stage.sandbox.calls.some(({ path }) => path.startsWith('/v1/taps'))).toBe(false);
    },
  );

  it.each([
    [0, 10],
    [45, 45],
  ])('for too many connections (Retry-After %s) is given %s seconds', async (seconds, waited) => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F15', { on: 'stream', seconds });
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    await stage.until(() => stage.of('state').at(-1)?.reason === 'quota');
    const at = stage.connects().at(-1)!.at;
    await stage.clock.pass(waited * 1_000);
    await stage.live();
    expect(stage.connects().at(-1)!.at - at).toBe(waited * 1_000);
  });
});

describe('an event', () => {
  it.each(['json', 'no-url'] as const)('that cannot be read (%s) is put aside, and never met again', async (kind) => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F19', { kind });
    const bad = stage.post();
    await stage.until(() => stage.of('broken').length === 1);
    expect(stage.counted('broken')).toBe(1);
    stage.sandbox.throwFault('F1');
    await stage.clock.pass(3_000);
    const next = stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, next]);
    expect(stage.connects().at(-1)!.lastId).toBe(bad);
    expect(stage.of('broken')).toHaveLength(1);
  });

  it.each(['bad-time', 'future-time'] as const)('with a wrong time (%s) is taken all the same', async (kind) => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F19', { kind });
    const second = stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, second]);
  });

  it('over four mebibytes is passed over', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F20');
    stage.post();
    const next = stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, next]);
    expect(stage.of('broken')[0]!.sample.length).toBeLessThanOrEqual(4_096);
  });

  it('among all oddities of the format is read', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F21');
    const second = stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    expect(stage.ids()).toEqual([stage.first, second]);
    expect(stage.counted('unknown_message')).toBeGreaterThan(0);
    stage.sandbox.throwFault('F2', { after_bytes: 0 });
    await stage.until(() => stage.counted('disconnect') === 1);
    const at = stage.clock.now().getTime();
    await stage.clock.pass(30_000);
    await stage.until(() => stage.connects().length === 2);
    expect(stage.connects()[1]!.at - at).toBe(30_000);
  });

  it('of one page with other changes is another event', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F24', { copies: 3 });
    stage.post();
    await stage.until(() => stage.arrivals().length === 4);
    expect(new Set(stage.ids()).size).toBe(4);
  });

  it('among thousands in one burst is read', async () => {
    await using stage = await liveStage();
    stage.sandbox.throwFault('F22', { kind: 'burst', count: 3_000 });
    for (let sent = 0; sent < 3_000; sent++) stage.post();
    await stage.until(() => stage.arrivals().length === 3_001);
    expect(stage.counted('disconnect')).toBe(0);
  });
});

it('lets the connection go when nobody takes what it brings, and resumes from what is committed', async () => {
  await using stage = await liveStage();
  stage.isBusy = true;
  for (let sent = 0; sent < 5_000; sent++) stage.post();
  await stage.until(() => stage.sandbox.sent.length > 1_500);
  await stage.clock.pass(30_000);
  await stage.until(() => stage.sandbox.connections('firehose') === 0);
  stage.isBusy = false;
  await stage.until(() => stage.of('gap').length === 1);
  await stage.clock.pass(3_000);
  await stage.until(() => new Set(stage.ids()).size === 5_001);
  await stage.live();
  expect(gapsOf(stage)).toMatchObject([{ cause: 'slow store', recovered: true }]);
});

it('calls nothing complete that may have waited in the socket while the process was frozen', async () => {
  await using stage = await liveStage();
  await stage.clock.pass(5_000);
  stage.clock.jump(20_000);
  stage.post();
  await stage.until(() => stage.arrivals().length === 2);
  const { at, through } = stage.arrivals().at(-1)!;
  expect(at.getTime() - through.getTime()).toBeGreaterThanOrEqual(FIREHOSE_DELAY_MS + 20_000);
  await stage.clock.pass(2_000);
  stage.post();
  await stage.until(() => stage.arrivals().length === 3);
  const next = stage.arrivals().at(-1)!;
  expect(next.at.getTime() - next.through.getTime()).toBeLessThanOrEqual(FIREHOSE_DELAY_MS + 2_000);
});
