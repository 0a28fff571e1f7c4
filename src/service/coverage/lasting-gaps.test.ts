import { describe, expect, it } from 'vitest';
import type { Gap } from '../../domain/coverage.ts';
import { beginGap, endGap, type LastingGap } from './lasting-gaps.ts';

const AT = new Date('2026-11-15T08:30:00.000Z');
const paused: LastingGap = { platform: 'x', accountId: 'a', ruleId: 'r', cause: 'paused' };
const spent: LastingGap = { platform: 'x', accountId: 'a', cause: 'budget_spent' };

function stage(...stored: Partial<Gap>[]) {
  const noted: Gap[] = [];
  const asked: unknown[] = [];
  const store = {
    gaps: async (query: object) => {
      asked.push(query);
      return stored as Gap[];
    },
    noteGaps: async (gaps: readonly Gap[]) => void noted.push(...gaps),
  };
  return { store, noted, asked };
}

const open = (of: LastingGap, change: Partial<Gap> = {}): Gap => ({
  ...of,
  from: new Date(0),
  to: undefined,
  recovered: false,
  ...change,
});

describe('a gap that begins with a state of ours', () => {
  it('is noted once, as one that lasts', async () => {
    const none = stage();
    await beginGap(none.store, paused, AT);
    expect(none.noted).toStrictEqual([{ ...paused, from: AT, to: undefined, recovered: false }]);
    expect(none.asked).toStrictEqual([{ platform: 'x', accountId: 'a', isMissing: true, limit: 100, ruleId: 'r' }]);
    const one = stage(open(paused));
    await beginGap(one.store, paused, AT);
    expect(one.noted).toEqual([]);
  });

  it('is not taken for another one: of another cause or rule, or one that ended', async () => {
    for (const other of [
      open(paused, { cause: 'budget_spent' }),
      open(paused, { ruleId: 's' }),
      open(paused, { to: AT }),
    ]) {
      const { store, noted } = stage(other);
      await beginGap(store, paused, AT);
      expect(noted).toHaveLength(1);
      const ending = stage(other);
      await endGap(ending.store, paused, AT);
      expect(ending.noted).toEqual([]);
    }
  });

  it('of an account is of none of its rules', async () => {
    const { store, noted, asked } = stage(open(spent, { ruleId: 'r' }));
    await beginGap(store, spent, AT);
    expect(noted).toHaveLength(1);
    expect(asked).toStrictEqual([{ platform: 'x', accountId: 'a', isMissing: true, limit: 100 }]);
  });
});

describe('the end of such a gap', () => {
  it('ends all that are open, and notes nothing where none is', async () => {
    const { store, noted } = stage(open(paused), open(paused, { from: new Date(1) }), open(spent));
    await endGap(store, paused, AT);
    expect(noted).toEqual([open(paused, { to: AT }), open(paused, { from: new Date(1), to: AT })]);
    const none = stage();
    await endGap(none.store, paused, AT);
    expect(none.noted).toEqual([]);
  });
});
