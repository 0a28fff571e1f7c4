import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import type { StreamItem } from '../../platforms/platform.ts';
import { type Consumer, createOpenGaps } from './consumer.ts';
import { createOrderedCursor } from './ordered-cursor.ts';
import { takeItem } from './take-item.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
const AT = new Date(START);

function stage() {
  const clock = fakeClock();
  const order = createOrderedCursor();
  const done: unknown[] = [];
  const stopping = new AbortController();
  const answers = {
    judged: { events: [{}], unknown: [] as string[], doubted: [] as object[], isLate: false } as object,
    behind: 0,
    reconcile: async () => {},
  };
  const consumer = {
    clock,
    order,
    signal: stopping.signal,
    platform: { name: 'x' },
    gaps: createOpenGaps([]),
    current: async () => {
      done.push('current');
      if (answers.behind-- > 0) throw new Error('behind');
    },
    verdicts: slow({
      judge: async (_: object, verdicts: readonly string[]) => {
        done.push(['judge', ...verdicts]);
        return answers.judged;
      },
    }),
    batch: slow({
      begin: () => void done.push('begin'),
      add: async (events: readonly object[]) => void done.push(['add', events.length]),
      gaps: (gaps: readonly { to: Date | undefined }[]) => {
        if (gaps.length > 0) done.push(['gaps', ...gaps.map(({ to }) => to?.getTime())]);
      },
      broken: (reason: string, sample: string) => void done.push(['broken', reason, sample]),
    }),
    registrations: {
      reconcile: (name: string) => {
        done.push(`compare ${name}`);
        return answers.reconcile();
      },
    },
    metrics: {
      stream: (_: string, counter: string) => void done.push(counter),
      gap: (name: string) => void done.push(`gap of ${name}`),
    },
    log: {
      info: (_: object, message: string) => void done.push(message),
      warn: (_: object, message: string) => void done.push(message),
    },
    change: (changed: object) => void done.push(changed),
    onState: (...told: unknown[]) => void done.push(['told', ...told]),
    pause: () => undefined,
  } as unknown as Consumer;
  const take = async (item: StreamItem) => {
    await takeItem(consumer, item);
    await clock.pass(0);
    return done.splice(0);
  };
  return { clock, order, consumer, stopping, answers, done, take };
}

const arrival = (change: object = {}): StreamItem => ({
  kind: 'arrival',
  postId: '1',
  payload: { data: { id: '1', text: 'a storm' } },
  cursor: 'c1',
  verdicts: ['v'],
  at: AT,
  through: AT,
  ...change,
});

describe('an arrival of a stream', () => {
  it('is judged, stored and passed', async () => {
    const { take, order } = stage();
    expect(await take(arrival())).toEqual(['begin', { lastEventAt: AT }, 'current', ['judge', 'v'], ['add', 1]]);
    expect([order.held, order.reached()]).toEqual([[], { cursor: 'c1', through: AT }]);
  });

  it('that cannot be read is counted and kept as broken, and is a gap, and passed', async () => {
    const { take, order, answers, clock } = stage();
    answers.judged = { rejected: 'it has no text' };
    expect((await take(arrival())).slice(-4)).toEqual([
      'broken',
      ['broken', 'it has no text', '{"data":{"id":"1","text":"a storm"}}'],
      ['gaps', clock.now().getTime()],
      'gap of x',
    ]);
    expect(order.reached()?.cursor).toBe('c1');
  });

  it('of a registration that has gone is counted as late', async () => {
    const { take, answers } = stage();
    answers.judged = { events: [], unknown: [], doubted: [], isLate: true };
    expect((await take(arrival())).slice(-2)).toEqual(['late', ['add', 0]]);
  });

  it('waits a minute for a registration, and two and a half for a comparison', async () => {
    const { take, order, answers } = stage();
    answers.judged = { events: [], unknown: ['v'], doubted: [], isLate: false };
    await take(arrival());
    answers.judged = { events: [], unknown: ['v'], doubted: [{}], isLate: false };
    await take(arrival({ cursor: 'c2' }));
    answers.judged = { events: [], unknown: [], doubted: [{}], isLate: false };
    await take(arrival({ cursor: 'c3' }));
    expect(order.held.map(({ until }) => until - START)).toEqual([60_000, 150_000, 150_000]);
    expect(order.held.map(({ unknown, doubted }) => [unknown.length, doubted.length])).toEqual([
      [1, 0],
      [1, 1],
      [0, 1],
    ]);
    expect(order.reached()).toBeUndefined();
  });

  it('waits until this node has the rules that callers count on, and asks every half second', async () => {
    const { clock, consumer, answers, done } = stage();
    answers.behind = 2;
    const taking = takeItem(consumer, arrival());
    await clock.pass(499);
    expect(done.filter((one) => one === 'current')).toHaveLength(1);
    await clock.pass(1);
    expect(done.filter((one) => one === 'current')).toHaveLength(2);
    await clock.pass(500);
    await taking;
    expect(done.slice(-3)).toEqual(['current', ['judge', 'v'], ['add', 1]]);
  });

  it('waits no longer once the stream is to end', async () => {
    const { clock, consumer, answers, stopping } = stage();
    answers.behind = Number.POSITIVE_INFINITY;
    const taking = takeItem(consumer, arrival());
    await clock.pass(0);
    stopping.abort();
    await expect(taking).resolves.toBeUndefined();
  });
});

describe('what a stream says beside arrivals', () => {
  it('moves the cursor by a mark, and by a record that is broken', async () => {
    const { take, order, clock } = stage();
    expect(await take({ kind: 'mark', cursor: 'm', through: AT })).toEqual(['begin']);
    expect(order.reached()?.cursor).toBe('m');
    const broken = { kind: 'broken', reason: 'no JSON', sample: '{', cursor: 'b', through: AT } as const;
    const told = [['gaps', clock.now().getTime()], 'gap of x'];
    expect(await take(broken)).toEqual(['begin', ['broken', 'no JSON', '{'], ...told]);
    expect(order.reached()?.cursor).toBe('b');
  });

  it('compares registrations when it is live or stalled, and tells of every state', async () => {
    const { take } = stage();
    const told = 'the stream of an upstream changed its state';
    const inState = async (state: 'live' | 'stalled' | 'connecting' | 'degraded', reason?: string) =>
      take({ kind: 'state', state, ...(reason !== undefined && { reason }) });
    expect(await inState('live')).toEqual([
      'begin',
      { state: 'live', reason: undefined },
      ['told', 'x', 'live', undefined],
      told,
      'compare x',
    ]);
    expect((await inState('stalled')).at(-1)).toBe('compare x');
    expect((await inState('connecting')).at(-1)).toBe(told);
    expect(await inState('degraded', 'quota')).toEqual([
      'begin',
      { state: 'degraded', reason: 'quota' },
      ['told', 'x', 'degraded', 'quota'],
      told,
    ]);
  });

  it('goes on when a comparison fails, and says so', async () => {
    const { take, answers } = stage();
    answers.reconcile = () => Promise.reject(new Error('away'));
    expect((await take({ kind: 'state', state: 'live' })).at(-1)).toBe(
      'comparing registrations failed; it is repeated every minute',
    );
  });

  it('counts a gap once, when it begins, and stores its end', async () => {
    const { take } = stage();
    const gap = { from: AT, to: undefined, cause: 'stall', recovered: false };
    expect(await take({ kind: 'gap', gap })).toEqual(['begin', 'gap of x', 'a gap has begun', ['gaps', undefined]]);
    const to = new Date(START + 1_000);
    expect(await take({ kind: 'gap', gap: { ...gap, to } })).toEqual([
      'begin',
      'a gap has ended',
      ['gaps', START + 1_000],
    ]);
  });
});
