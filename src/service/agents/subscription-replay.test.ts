import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { positionAt, timeOf } from '../../store/order.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import type { EventArguments, EventType } from '../webhooks/event-types.ts';
import { beginAfter, cursorPlace, settledCursor } from './subscription-replay.ts';

const caller = { account: { id: 'a' } } as Caller;
const webhook = { id: 'w', accountId: 'a', events: ['match'] } as unknown as Parameters<typeof settledCursor>[1];

interface Stored {
  readonly latest?: number;
  readonly oldest?: number;
  /** The position that the replay begins at; it is the one that was asked for, unless given. */
  readonly begun?: number;
  /** The position of the first match after the cursor. */
  readonly first?: number;
  readonly gaps?: readonly string[];
  readonly platforms?: object;
  readonly watermark?: (at: Date | undefined) => number;
}

function stage(stored: Stored = {}) {
  const clock = fakeClock();
  const asked: Record<string, unknown[]> = { replay: [], after: [], gaps: [] };
  const store = {
    latest: async () => stored.latest ?? 1_000,
    oldest: async () => stored.oldest ?? 1,
    replay: async (id: string, start: number, most: number) => {
      asked['replay']!.push([id, start, most]);
      return stored.begun ?? start;
    },
    matchesAfter: async (query: object) => {
      asked['after']!.push(query);
      return { matches: stored.first === undefined ? [] : [{ position: stored.first }] };
    },
    rule: async () => ({ platforms: stored.platforms ?? { x: {} } }),
    gaps: async (query: { platform: string }) => {
      asked['gaps']!.push(query);
      return stored.gaps?.includes(query.platform) ? [{ from: new Date(0), to: undefined }] : [];
    },
    watermark: async (_: string, at?: Date) => stored.watermark?.(at) ?? 0,
  };
  const cursors = {
    read: (_: string, __: string, ___: string, cursor: string) => Number(cursor),
    writePlace: (accountId: string, kind: string, place: number) => `${accountId} ${kind} ${place}`,
  };
  const context = { store, clock, cursors } as unknown as Context;
  const begin = async (
    cursor?: string | null,
    chosen: object = { rule_id: 'r' },
    isMatch = true,
    maxAgeMs?: number,
  ) => {
    const place = cursorPlace(context, caller, { cursor, maxAgeMs });
    const of = { type: { isMatch } as EventType, chosen: chosen as EventArguments };
    const beginning = await beginAfter(context, caller, of, place);
    return { start: beginning.start, ...(await beginning.carryOut(webhook)) };
  };
  return { clock, context, asked, begin };
}

describe('a subscription begins', () => {
  it('with what comes from now on when it has no cursor, and nothing of it is cut', async () => {
    const { begin, asked } = stage({ first: 1 });
    for (const cursor of [undefined, null])
      expect(await begin(cursor)).toEqual({ start: 1_000, cursor: 'a event 1000', truncated: false });
    expect([asked['replay']![0], asked['after']]).toEqual([['w', 1_000, 1_000], []]);
  });

  it('after its cursor, and never beyond what is stored', async () => {
    const { begin } = stage();
    expect((await begin('500')).start).toBe(500);
    expect((await begin('2000')).start).toBe(1_000);
  });

  it('of events that are no matches at their time', async () => {
    const { begin, clock } = stage({ oldest: 1e15 });
    const now = positionAt(clock.now().getTime());
    expect((await begin(undefined, {}, false)).start).toBe(now);
    expect(await begin('500', {}, false)).toMatchObject({ start: 500, truncated: false });
  });

  it('with what is young enough, and with what is still stored', async () => {
    const { begin, clock } = stage({ oldest: 301, latest: positionAt(fakeClock().now().getTime()) });
    expect((await begin('100')).start).toBe(300);
    expect((await begin('100', { rule_id: 'r' }, true, 60_000)).start).toBe(positionAt(clock.now().getTime() - 60_000));
  });
});

describe('a beginning is cut', () => {
  const truncated = async (stored: Stored, cursor = '500', chosen: object = { rule_id: 'r' }) =>
    (await stage(stored).begin(cursor, chosen)).truncated;

  it('where matches after the cursor have been erased', async () => {
    expect([await truncated({ oldest: 501 }), await truncated({ oldest: 502 })]).toEqual([false, true]);
  });

  it('where the first match lies before the beginning', async () => {
    expect(await truncated({ begun: 600 })).toBe(false);
    expect(await truncated({ begun: 600, first: 600 })).toBe(true);
    expect(await truncated({ begun: 600, first: 601 })).toBe(false);
  });

  it('where something was missed on a platform of the rule since the cursor', async () => {
    expect(await truncated({ gaps: ['x'] })).toBe(true);
    expect(await truncated({ gaps: ['firehose'] })).toBe(false);
    expect(await truncated({ gaps: ['firehose'], platforms: { x: {}, firehose: {} } })).toBe(true);
    const { begin, asked } = stage();
    await begin('500');
    expect(asked['after']).toEqual([{ accountId: 'a', ruleId: 'r', after: 500, limit: 1 }]);
    const since = new Date(timeOf(500) + 1);
    expect(asked['gaps']).toMatchObject([{ platform: 'x', since, accountId: 'a', ruleId: 'r', isMissing: true }]);
  });

  it('never where it is of no rule', async () => {
    expect(await truncated({ oldest: 999, gaps: ['x'], first: 1 }, '1', {})).toBe(false);
  });
});

describe('a subscription that goes on', () => {
  it('is where its deliveries have come to, and never before its beginning', async () => {
    const at = (watermark: number, start?: number) => {
      const { context } = stage({ watermark: () => watermark });
      const subscription = start === undefined ? undefined : { start };
      return settledCursor(context, { ...webhook, subscription } as typeof webhook);
    };
    expect(await at(700, 500)).toEqual({ cursor: 'a event 700', truncated: false });
    expect(await at(300, 500)).toMatchObject({ cursor: 'a event 500' });
    expect(await at(300)).toMatchObject({ cursor: 'a event 300' });
  });

  it('is asked for the time only where its events are no matches', async () => {
    const { context, clock } = stage({ watermark: (at) => (at === undefined ? 1 : at.getTime()) });
    expect((await settledCursor(context, webhook)).cursor).toBe('a event 1');
    const ofAlerts = { ...webhook, events: ['alert'] } as typeof webhook;
    expect((await settledCursor(context, ofAlerts)).cursor).toBe(`a event ${clock.now().getTime()}`);
  });
});
