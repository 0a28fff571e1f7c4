import { describe, expect, it } from 'vitest';
import type { Gap } from '../../domain/coverage.ts';
import { createHearings } from './hearing.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const watch = { accountId: 'a', ruleId: 'r', platform: 'x' as const, isRunning: true };
const gap = (from: number, to: number | undefined, ruleId?: string): Gap =>
  ({ from: new Date(from), to: to === undefined ? undefined : new Date(to), ruleId }) as Gap;

function stage(gaps: readonly Gap[], answer: object = {}) {
  const asked: object[] = [];
  const covered: object[] = [];
  const hearings = createHearings(
    {
      store: {
        gaps: async (query) => {
          asked.push(query);
          return gaps.filter(({ ruleId }) => query.ruleId === undefined || (ruleId ?? query.ruleId) === query.ruleId);
        },
      },
      coverage: {
        of: async (query) => {
          covered.push(query);
          return { from: new Date(0), through: new Date(NOW), reasons: [], ...answer } as never;
        },
      },
    },
    NOW - 5 * HOUR,
    NOW,
  );
  return { hearings, asked, covered };
}

describe('what was heard', () => {
  it('is everything since the feed began, without a gap', async () => {
    const { hearings } = stage([], { from: new Date(NOW - 4 * HOUR) });
    const { heard, through, isListening } = await hearings.of(watch);
    expect([through, isListening]).toEqual([NOW, true]);
    expect([heard(NOW - 4 * HOUR, NOW), heard(NOW - 4 * HOUR - 1, NOW)]).toEqual([true, false]);
  });

  it('is nothing where no feed ever began', async () => {
    const { hearings } = stage([], { from: undefined, through: undefined, reasons: ['no_feed'] });
    const { heard, through, isListening } = await hearings.of(watch);
    expect([heard(NOW - HOUR, NOW), through, isListening]).toEqual([false, Number.NEGATIVE_INFINITY, false]);
  });

  it('misses a gap and the hour after it', async () => {
    const { hearings } = stage([gap(NOW - 3 * HOUR, NOW - 2 * HOUR)]);
    const { heard, through } = await hearings.of(watch);
    expect(through).toBe(NOW);
    expect(heard(NOW - 4 * HOUR, NOW - 3 * HOUR)).toBe(true);
    expect(heard(NOW - 4 * HOUR, NOW - 3 * HOUR + 1)).toBe(false);
    expect(heard(NOW - HOUR, NOW)).toBe(true);
    expect(heard(NOW - HOUR - 1, NOW)).toBe(false);
  });

  it('ends where a gap that lasts began', async () => {
    const { hearings } = stage([gap(NOW - 2 * HOUR, undefined)]);
    const { heard, through } = await hearings.of(watch);
    expect(through).toBe(NOW - 2 * HOUR);
    expect([heard(NOW - 3 * HOUR, NOW - 2 * HOUR), heard(NOW - HOUR, NOW)]).toEqual([true, false]);
  });

  it('by one rule is not spoilt by the gap of another', async () => {
    const { hearings } = stage([gap(NOW - HOUR, undefined, 'other'), gap(NOW - HOUR, NOW, 'r')]);
    const other = await hearings.of({ ...watch, ruleId: 'other' });
    const third = await hearings.of({ ...watch, ruleId: 'third' });
    expect([other.through, third.through]).toEqual([NOW - HOUR, NOW]);
    expect(third.heard(NOW - HOUR, NOW)).toBe(true);
    expect((await hearings.of(watch)).heard(NOW - HOUR, NOW)).toBe(false);
  });
});

describe('listening', () => {
  it.each([
    [[], true],
    [['gap'], true],
    [['gap', 'not_started'], true],
    [['gap', 'stale'], false],
  ])('with the reasons %j is %s', async (reasons, isListening) => {
    const { hearings } = stage([], { reasons });
    expect((await hearings.of(watch)).isListening).toBe(isListening);
    expect((await hearings.of({ ...watch, isRunning: false })).isListening).toBe(false);
  });
});

describe('the rules of an account', () => {
  it('share one question, from an hour before the look on; other accounts and platforms have their own', async () => {
    const { hearings, asked, covered } = stage([]);
    await Promise.all([hearings.of(watch), hearings.of({ ...watch, ruleId: 'other' })]);
    await hearings.of({ ...watch, accountId: 'b' });
    await hearings.of({ ...watch, platform: 'firehose' });
    const span = { since: new Date(NOW - 6 * HOUR), until: new Date(NOW) };
    expect(asked).toEqual([
      { platform: 'x', accountId: 'a', limit: 200, ...span },
      { platform: 'x', accountId: 'b', limit: 200, ...span },
      { platform: 'firehose', accountId: 'a', limit: 200, ...span },
    ]);
    expect(covered[0]).toMatchObject({ accountId: 'a', platforms: ['x'], rule: { id: '' }, ...span });
  });

  it('are asked about one by one when the account has very many gaps, and a rule with as many heard nothing', async () => {
    const many = Array.from({ length: 199 }, () => gap(0, 1, 'other'));
    const few = await stage(many).hearings.of({ ...watch, ruleId: 'other' });
    expect(few.heard(NOW - HOUR, NOW)).toBe(true);
    const { hearings, asked } = stage([...many, gap(0, 1, 'other')]);
    expect((await hearings.of(watch)).heard(NOW - HOUR, NOW)).toBe(true);
    expect(asked.at(-1)).toMatchObject({ ruleId: 'r', limit: 200 });
    expect((await hearings.of({ ...watch, ruleId: 'other' })).heard(NOW - HOUR, NOW)).toBe(false);
  });
});
