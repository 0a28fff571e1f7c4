import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { turnsDuring } from '../../../test/stages/turns.ts';
import { visitInTurns } from '../../base/cooperate.ts';
import {
  coverageFrame,
  createFrameCache,
  dataOf,
  digestFrame,
  endFrame,
  gapFrame,
  heartbeatFrame,
  matchFrame,
  openingFrame,
} from './frames.ts';
import { filterKey, isWanted } from './match-log.ts';
import { OutletWriter } from './outlet.ts';
import { chunksOf, joinFrames } from './pump.ts';
import type { LiveFrame } from './ring.ts';

/** A connection that notes what happens to it. */
function connection(takes = true) {
  const happened: string[] = [];
  const state = { takes };
  const outlet = {
    queued: 7,
    write(bytes: Uint8Array) {
      happened.push(`write ${Buffer.from(bytes).toString()}`);
      return state.takes;
    },
    end: (bytes: Uint8Array) => void happened.push(`end ${Buffer.from(bytes).toString()}`),
    destroy: () => void happened.push('destroy'),
  };
  const clock = fakeClock();
  return { happened, state, clock, writer: new OutletWriter(outlet, clock) };
}

describe('the writer to a connection', () => {
  it('knows since when its reader does not read, and that it reads again', async () => {
    const { state, clock, writer } = connection();
    const start = clock.now().getTime();
    writer.write(Buffer.from('a'));
    expect([writer.isReady, writer.blockedSince, writer.queued]).toEqual([true, undefined, 7]);
    state.takes = false;
    await clock.pass(1_000);
    writer.write(Buffer.from('b'));
    await clock.pass(1_000);
    writer.write(Buffer.from('c'));
    expect([writer.isReady, writer.blockedSince, writer.wroteAt]).toEqual([false, start + 1_000, start + 2_000]);
    writer.drained();
    expect([writer.isReady, writer.blockedSince]).toEqual([true, undefined]);
  });

  it('measures by a clock that is never set', async () => {
    const { clock, writer } = connection(false);
    const start = clock.elapsed();
    clock.set(-3_600_000);
    writer.write(Buffer.from('a'));
    expect([writer.blockedSince, writer.wroteAt]).toEqual([start, start]);
  });

  it('gives the client five seconds to read why it was ended', async () => {
    const { happened, clock, writer } = connection();
    writer.end(Buffer.from('why'));
    writer.end(Buffer.from('again'));
    expect([happened, writer.isReady]).toEqual([['end why'], false]);
    await clock.pass(4_999);
    expect(happened).toEqual(['end why']);
    await clock.pass(1);
    expect(happened).toEqual(['end why', 'destroy']);
  });

  it('waits for no client that has gone', async () => {
    const { happened, clock, writer } = connection();
    writer.end(Buffer.from('why'));
    writer.closed();
    await clock.pass(0);
    expect(clock.sleepers).toBe(0);
    const gone = connection();
    gone.writer.closed();
    gone.writer.end(Buffer.from('why'));
    expect([gone.happened, happened]).toEqual([[], ['end why', 'destroy']]);
  });
});

describe('frames for many readers', () => {
  const frame = (position: number, size: number): LiveFrame => ({
    position,
    platform: 'x',
    ruleId: 'rule_1',
    bytes: Buffer.alloc(size, position),
  });

  it('go out in pieces of 32 KiB at most, unless one alone is larger', () => {
    const sizes = [...chunksOf([frame(1, 20_000), frame(2, 12_768), frame(3, 1), frame(4, 50_000), frame(5, 1)])];
    expect(sizes.map((chunk) => chunk.map(({ position }) => position))).toEqual([[1, 2], [3], [4], [5]]);
    expect([...chunksOf([])]).toEqual([]);
    expect(joinFrames([frame(1, 2), frame(2, 1)])).toEqual(Buffer.from([1, 1, 2]));
    expect(joinFrames([])).toHaveLength(0);
  });

  it('are wanted by rule and by platform; a gap concerns every rule of its platform', () => {
    const match = { platform: 'x', ruleId: 'rule_1' } as const;
    expect([isWanted({}, match), isWanted({ ruleId: 'rule_1', platform: 'x' }, match)]).toEqual([true, true]);
    expect([isWanted({ ruleId: 'rule_2' }, match), isWanted({ platform: 'firehose' }, match)]).toEqual([false, false]);
    expect(isWanted({ ruleId: 'rule_2', platform: 'x' }, { platform: 'x', ruleId: undefined })).toBe(true);
    expect(isWanted({ ruleId: 'rule_2', platform: 'x' }, { platform: 'firehose', ruleId: undefined })).toBe(false);
  });

  it('are lines of server-sent events, each with its name, its id and its data', () => {
    const gap = { platform: 'x', from: new Date(0), to: new Date(1), cause: 'outage', recovered: true } as const;
    const data =
      '{"platform":"x","from":"1970-01-01T00:00:00.000Z","to":"1970-01-01T00:00:00.001Z","cause":"outage","recovered":true';
    expect(gapFrame('7', gap).toString()).toBe(`event: gap\nid: 7\ndata: ${data}}\n\n`);
    expect(gapFrame('7', { ...gap, ruleId: 'rule_1', source: 'bluesky' }).toString()).toBe(
      `event: gap\nid: 7\ndata: ${data},"rule_id":"rule_1","source":"bluesky"}\n\n`,
    );
    expect(matchFrame('7', '{"a":1}').toString()).toBe('event: match\nid: 7\ndata: {"a":1}\n\n');
    expect(dataOf(matchFrame('7', '{"a":1}'))).toBe('{"a":1}\n\n');
    expect(digestFrame('7', '{}').toString()).toBe('event: digest\nid: 7\ndata: {}\n\n');
    expect(openingFrame('7').toString()).toBe('retry: 3000\nid: 7\n\n');
    expect(heartbeatFrame('7').toString()).toBe(': heartbeat\nid: 7\n\n');
    expect(heartbeatFrame('7', '{}').toString()).toBe(': heartbeat\nid: 7\nevent: coverage\ndata: {}\n\n');
    expect(coverageFrame('{}').toString()).toBe('event: coverage\ndata: {}\n\n');
    expect(endFrame('session_ended').toString()).toBe(
      'event: end\ndata: {"reason":"session_ended","message":"The session has ended. Sign in again."}\n\n',
    );
  });

  it('are shared by readers that catch up through the same place with the same filter, until a match is deleted', () => {
    const cache = createFrameCache();
    const [one, other] = [filterKey({ ruleId: 'rule_1' }), filterKey({ platform: 'x' })];
    const next = { position: 9, bytes: Buffer.from('a') };
    cache.put(one, 3, next);
    expect([cache.next(one, 3), cache.next(one, 4), cache.next(other, 3)]).toEqual([next, undefined, undefined]);
    expect(new Set([one, other, filterKey({}), filterKey({ ruleId: 'rule_1', platform: 'x' })]).size).toBe(4);
    cache.clear();
    expect(cache.next(one, 3)).toBeUndefined();
    const large = Buffer.alloc(2 * 1024 * 1024);
    for (const after of [1, 2, 3]) cache.put(one, after, { position: after + 1, bytes: large });
    expect([1, 2, 3].map((after) => cache.next(one, after) !== undefined)).toEqual([false, true, true]);
  });

  it('say that a gap is still open, and why a stream ends', () => {
    const gap = { platform: 'x', from: new Date(0), to: undefined, cause: 'outage', recovered: false } as const;
    expect(gapFrame('7', gap).toString()).toContain('"to":null');
    for (const reason of ['too_slow', 'key_revoked', 'rule_deleted', 'stopping'] as const)
      expect(endFrame(reason).toString()).toMatch(
        new RegExp(`^event: end\\ndata: {"reason":"${reason}","message":"\\w`),
      );
  });
});

describe('visits of subscribers', () => {
  it('let everything else run after every 200', async () => {
    const visited: number[] = [];
    const all = Array.from({ length: 1_000 }, (_, number) => number);
    const visiting = visitInTurns(fakeClock(), all, (number) => void visited.push(number));
    expect(await turnsDuring(visiting)).toBeGreaterThanOrEqual(5);
    expect(visited).toEqual(all);
  });
});
