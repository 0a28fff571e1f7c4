/** The loop that keeps a connection to X open, with an X that is played by the test. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { StreamCounter } from '../platform.ts';
import type { Freed } from './connections.ts';
import { type ConnectedSpan, X_DELAY_MS } from './coverage.ts';
import { writeXCursor } from './cursor.ts';
import type { OpenResult } from './open-stream.ts';
import { createPresence, createQuota } from './quota.ts';
import { runReconnectLoop } from './reconnect-loop.ts';
import type { DisconnectReason } from './reconnect-policy.ts';
import { createSilenceDetector } from './silence.ts';
import type { BacklogEntry } from './spill.ts';
import { problemIn, type StreamRange } from './wire.ts';

type Opening = { readonly span: StreamRange; readonly at: number };
type Script = (opening: Opening, number: number) => OpenResult | undefined;

const MINUTE = 60_000;

interface Options {
  readonly replay?: boolean;
  readonly committed?: string;
  readonly freed?: Freed;
  readonly rulesHeld?: () => Promise<void>;
}

/** Runs the loop. Where the script says nothing, a connection opens that stays open. */
function stand(script: Script = () => undefined, options: Options = {}) {
  const { replay = false, committed, freed = { closed: 0, others: 1 }, rulesHeld = async () => {} } = options;
  const clock = fakeClock();
  const start = clock.elapsed();
  const entries: BacklogEntry[] = [];
  const counted: StreamCounter[] = [];
  const logged: string[] = [];
  const openings: Opening[] = [];
  const bodies: PassThrough[] = [];
  const frees: (readonly ConnectedSpan[])[] = [];
  const stopping = new AbortController();
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const stage = { token: 'secret', spent: 0 };
  const quota = createQuota({ most: 45 }, clock);
  const parts = {
    clock,
    log: { info: note, warn: note, error: note },
    count: (counter: StreamCounter) => void counted.push(counter),
    token: () => stage.token,
    silence: createSilenceDetector(clock),
    random: () => 0,
    async openStream(span: StreamRange): Promise<OpenResult> {
      openings.push({ span, at: clock.elapsed() - start });
      const answer = script(openings.at(-1)!, openings.length - 1);
      if (answer !== undefined) return answer;
      bodies.push(new PassThrough());
      return { kind: 'open', body: bodies.at(-1)!, headers: {}, date: clock.now() };
    },
    presence: createPresence(),
    quota: {
      get wait() {
        return quota.wait;
      },
      spend() {
        stage.spent++;
        quota.spend();
      },
      note: quota.note.bind(quota),
    },
    async free(connected: readonly ConnectedSpan[]) {
      frees.push([...connected]);
      return freed;
    },
    replay,
  };
  const control = { signal: stopping.signal, committed: () => committed, rulesHeld };
  const push = (entry: BacklogEntry) => entries.push(entry) > 0;
  const running = runReconnectLoop(parts, control, push);
  const states = () =>
    entries.flatMap((one) => (one.kind === 'state' ? [`${one.state} ${one.reason ?? ''}`.trim()] : []));
  const gaps = () => entries.filter((one) => one.kind === 'gap');
  return Object.assign(stage, {
    clock,
    entries,
    counted,
    logged,
    openings,
    bodies,
    frees,
    states,
    gaps,
    times: () => openings.map(({ at }) => at),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  });
}

const refused = (reason: DisconnectReason, status: number, problem: object = {}, headers = {}): OpenResult => ({
  kind: 'refused',
  reason,
  status,
  headers,
  problem: problemIn(problem),
});
const failed = (reached: boolean): OpenResult => ({ kind: 'failed', reason: 'network', reached, message: 'gone' });

describe('the loop of connections to X', () => {
  it('asks for nothing before there are rules, and says that it is connecting', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using stage = stand(undefined, { rulesHeld: () => promise });
    await stage.clock.pass(MINUTE);
    expect([stage.openings, stage.states()]).toEqual([[], ['connecting']]);
    resolve();
    await stage.clock.pass(0);
    expect([stage.openings, stage.states(), stage.counted]).toEqual([
      [{ span: { backfillMinutes: 0 }, at: MINUTE }],
      ['connecting', 'live'],
      ['connect'],
    ]);
    expect(stage.gaps()).toEqual([]);
  });

  it('misses nothing before there are rules, and everything from then on', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using stage = stand((_, number) => (number === 0 ? failed(true) : undefined), { rulesHeld: () => promise });
    await stage.clock.pass(MINUTE);
    resolve();
    await stage.clock.pass(0);
    expect(stage.gaps()).toMatchObject([{ from: Date.parse('2026-11-15T08:31:00.000Z') - X_DELAY_MS }]);
  });

  it('waits for rules again when the last one is gone', async () => {
    let held: Promise<void> = Promise.resolve();
    await using stage = stand(undefined, { rulesHeld: () => held });
    await stage.clock.pass(1_000);
    held = new Promise(() => {});
    stage.bodies[0]!.end();
    await stage.clock.pass(MINUTE);
    expect(stage.openings).toHaveLength(1);
  });

  it('ends while it waits for rules', async () => {
    const stage = stand(undefined, { rulesHeld: () => new Promise(() => {}) });
    await stage[Symbol.asyncDispose]();
    expect(stage.openings).toEqual([]);
  });

  it('connects at once after the end of a connection, and counts how it ended', async () => {
    await using stage = stand();
    await stage.clock.pass(10_000);
    stage.bodies[0]!.end();
    await stage.clock.pass(1);
    expect(stage.times()).toEqual([0, 10_000]);
    expect(stage.counted).toEqual(['connect', 'disconnect', 'connect']);
    expect(stage.states()).toEqual(['connecting', 'live', 'connecting dropped', 'live']);
    expect(stage.gaps()).toMatchObject([{ cause: 'dropped' }, { cause: 'dropped', recovered: false }]);
    expect(stage.logged).toContain('the stream of X ended {"platform":"x","reason":"end"}');
  });

  it('says that it is stalled after a silence, and counts that', async () => {
    await using stage = stand();
    await stage.clock.pass(22_000);
    expect(stage.counted).toEqual(['connect', 'disconnect', 'stall', 'connect']);
    expect(stage.states()).toEqual(['connecting', 'live', 'stalled stall', 'live']);
  });

  it('counts no request that reached no host', async () => {
    await using stage = stand((_, number) => (number < 2 ? failed(number === 1) : undefined));
    await stage.clock.pass(5_000);
    expect([stage.openings.length, stage.spent]).toEqual([3, 2]);
    expect(stage.logged).toContain('X cannot be reached {"platform":"x","reason":"network","detail":"gone"}');
    expect(stage.gaps()).toMatchObject([{ cause: 'network' }, { cause: 'network' }]);
  });

  it('begins its waits anew after a connection of a minute, and not after a shorter one', async () => {
    const ends = [failed(true), failed(true), failed(true)];
    await using stage = stand((_, number) => ends[number]);
    const cut = async (after: number) => {
      const { length } = stage.openings;
      for (let passed = 0; passed < after; passed += 10_000) {
        stage.bodies.at(-1)!.write('\r\n');
        await stage.clock.pass(Math.min(10_000, after - passed));
      }
      const at = stage.clock.elapsed();
      stage.bodies.at(-1)!.end();
      for (let waited = 0; stage.openings.length === length && waited < 100; waited++) await stage.clock.pass(250);
      return stage.clock.elapsed() - at;
    };
    await stage.clock.pass(1_500);
    expect(stage.openings).toHaveLength(4);
    expect(await cut(59_999)).toBe(1_000);
    expect(await cut(60_000)).toBe(250);
  });

  it('says what X said when it refuses, without our token', async () => {
    const problem = { title: 'Forbidden', detail: 'for secret' };
    await using stage = stand((_, number) => (number === 0 ? refused('server', 503, problem) : undefined));
    await stage.clock.pass(4_999);
    expect(stage.openings).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.times()).toEqual([0, 5_000]);
    expect(stage.counted).toEqual(['refused', 'connect']);
    expect(stage.logged[0]).toBe(
      'X refused the connection {"platform":"x","status":503,"reason":"server","detail":"Forbidden for [secret]"}',
    );
  });

  it('does not come back before the time that X stated', async () => {
    const headers = { 'retry-after': '500' };
    await using stage = stand((_, number) => (number === 0 ? refused('rate', 429, {}, headers) : undefined));
    await stage.clock.pass(499_999);
    expect(stage.openings).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.openings).toHaveLength(2);
  });

  it('looks every five seconds for another token, and takes it', async () => {
    await using stage = stand((_, number) => (number < 3 ? refused('auth', 401) : undefined));
    await stage.clock.pass(15_000);
    expect(stage.times()).toEqual([0, 5_000, 15_000]);
    expect(stage.states().at(-1)).toBe('degraded auth');
    await stage.clock.pass(20_000);
    stage.token = 'another';
    await stage.clock.pass(4_999);
    expect(stage.openings).toHaveLength(3);
    await stage.clock.pass(1);
    expect(stage.times().at(-1)).toBe(40_000);
  });

  it('asks again after five minutes with the same token', async () => {
    await using stage = stand((_, number) => (number < 3 ? refused('auth', 401) : undefined));
    await stage.clock.pass(15_000 + 5 * MINUTE - 1);
    expect(stage.openings).toHaveLength(3);
    await stage.clock.pass(1);
    expect(stage.openings).toHaveLength(4);
  });
});

describe('too many connections', () => {
  const busy: Script = (_, number) => (number === 1 || number === 2 ? refused('connections', 429) : undefined);
  const closed = async (freed: Freed) => {
    const stage = stand(busy, { freed });
    await stage.clock.pass(10_000);
    stage.bodies[0]!.end();
    await stage.clock.pass(0);
    return stage;
  };

  it('are freed, and then we are back in a second, but only the first time', async () => {
    await using stage = await closed({ closed: 1, others: 0 });
    await stage.clock.pass(999);
    expect(stage.openings).toHaveLength(2);
    await stage.clock.pass(1);
    expect(stage.times()).toEqual([0, 10_000, 11_000]);
    expect(stage.frees[0]).toMatchObject([{ from: new Date('2026-11-15T08:30:00.000Z') }]);
    await stage.clock.pass(2 * MINUTE - 1);
    expect(stage.openings).toHaveLength(3);
    await stage.clock.pass(1);
    expect(stage.openings).toHaveLength(4);
  });

  it('of others are waited for', async () => {
    await using stage = await closed({ closed: 0, others: 0 });
    await stage.clock.pass(MINUTE - 1);
    expect(stage.openings).toHaveLength(2);
    await stage.clock.pass(1);
    expect(stage.openings).toHaveLength(3);
  });

  it.each([
    [0, 1_000],
    [1, MINUTE],
  ])('that cost us ours are waited for if there are any: %i', async (others, wait) => {
    await using stage = stand(undefined, { freed: { closed: 0, others } });
    await stage.clock.pass(10_000);
    stage.bodies[0]!.write('{"errors":[{"disconnect_type":"ForceDisconnect"}]}\r\n');
    await stage.clock.pass(wait - 1);
    expect(stage.openings).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.openings).toHaveLength(2);
  });
});

describe('where X replays', () => {
  const cutAfter = async (stage: ReturnType<typeof stand>, milliseconds: number) => {
    await stage.clock.pass(milliseconds);
    stage.bodies.at(-1)!.end();
    await stage.clock.pass(0);
  };

  it('a connection asks for the minutes that were missed', async () => {
    await using stage = stand(undefined, { replay: true });
    await cutAfter(stage, 10_000);
    expect(stage.openings.map(({ span }) => span)).toEqual([{ backfillMinutes: 0 }, { backfillMinutes: 1 }]);
  });

  it.each([400, 403])(
    'a refusal with %i may be about that: the next connection asks for none, at once',
    async (status) => {
      await using stage = stand((_, number) => (number === 1 ? refused('auth', status) : undefined), { replay: true });
      await cutAfter(stage, 10_000);
      expect(stage.openings).toEqual([
        { span: { backfillMinutes: 0 }, at: 0 },
        { span: { backfillMinutes: 1 }, at: 10_000 },
        { span: { backfillMinutes: 0 }, at: 10_000 },
      ]);
      expect(stage.gaps().at(-1)).toMatchObject({ to: expect.any(Number) as number, recovered: false });
    },
  );

  it('a second refusal is about something else, and so is one of a connection that asked for nothing', async () => {
    const script: Script = (_, number) => (number === 1 || number === 2 ? refused('request', 400) : undefined);
    await using stage = stand(script, { replay: true });
    await cutAfter(stage, 10_000);
    expect(stage.times()).toEqual([0, 10_000, 10_000]);
    await stage.clock.pass(5 * MINUTE);
    expect(stage.times().at(-1)).toBe(10_000 + 5 * MINUTE);
    await using plain = stand((_, number) => (number === 0 ? refused('request', 400) : undefined), { replay: true });
    await plain.clock.pass(5 * MINUTE - 1);
    expect(plain.openings).toHaveLength(1);
  });

  it('other refusals are not about that', async () => {
    await using stage = stand((_, number) => (number === 1 ? refused('server', 503) : undefined), { replay: true });
    await cutAfter(stage, 10_000);
    expect(stage.openings).toHaveLength(2);
    await stage.clock.pass(5_000);
    expect(stage.openings.map(({ span }) => span)).toEqual([
      { backfillMinutes: 0 },
      { backfillMinutes: 1 },
      { backfillMinutes: 1 },
    ]);
  });

  it.each([
    ['a slow reader', '{"errors":[{"disconnect_type":"SlowReader"}]}\r\n'],
    ['a line without end', 'x'.repeat(1024 * 1024 + 1)],
  ])('%s would meet the same again: nothing is asked for', async (_, bytes) => {
    await using stage = stand(undefined, { replay: true });
    await stage.clock.pass(10_000);
    stage.bodies[0]!.write(bytes);
    await stage.clock.pass(1);
    expect(stage.openings.map(({ span }) => span)).toEqual([{ backfillMinutes: 0 }, { backfillMinutes: 0 }]);
    expect(stage.gaps().at(-1)).toMatchObject({ recovered: false });
  });

  it('what an earlier run missed is fetched beside the stream, by the clock of X', async () => {
    const now = Date.parse('2026-11-15T08:30:00.000Z');
    const at = new Date(now - 60 * MINUTE);
    const committed = writeXCursor({ at, opened: undefined, missing: [] });
    const ahead = 7_000;
    const script: Script = ({ span }) => {
      const body = new PassThrough();
      if ('start' in span) body.end('\r\n');
      const date = new Date(now + ahead);
      return { kind: 'open', body, headers: {}, date };
    };
    await using stage = stand(script, { replay: true, committed });
    await stage.clock.pass(2_000);
    expect(stage.openings[1]).toEqual({
      span: { start: new Date(at.getTime() - MINUTE + ahead), end: new Date(now + 2_000 + ahead) },
      at: 2_000,
    });
    expect(stage.gaps()).toMatchObject([{ cause: 'restart' }, { cause: 'restart', recovered: true }]);
  });

  it('a failure to fetch is logged and costs the stream nothing', async () => {
    const at = new Date('2026-11-15T07:30:00.000Z');
    const committed = writeXCursor({ at, opened: undefined, missing: [] });
    const script: Script = ({ span }) => {
      if ('start' in span) throw new Error('a fault of ours');
      return undefined;
    };
    await using stage = stand(script, { replay: true, committed });
    await stage.clock.pass(2_000);
    expect(stage.logged.some((line) => line.startsWith('missing posts of X could not be fetched'))).toBe(true);
    expect(stage.states().at(-1)).toBe('live');
    // The next connection tries again.
    stage.bodies[0]!.end();
    await stage.clock.pass(2_000);
    expect(stage.openings.filter(({ span }) => 'start' in span)).toHaveLength(2);
  });
});
