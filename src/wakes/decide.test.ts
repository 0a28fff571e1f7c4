import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WakeAccount, WakeContract, WakeStory } from '../domain/wake.ts';
import { decideWakes, digestDue, type WakeCandidate, wakeAccountAt, wakeWindow } from './decide.ts';

const NOW = new Date('2026-11-15T08:30:00Z');
const NOTHING = { account: undefined, stories: new Map<string, WakeStory>() };
const of = (story?: string, relevance: number | null = null): WakeCandidate => ({ story, relevance });
const wakesOf = (contract: WakeContract, ...candidates: WakeCandidate[]) =>
  decideWakes(contract, NOTHING, candidates, { now: NOW }).wakes;

describe('a wake contract', () => {
  it('per match wakes for every match', () => {
    expect(wakesOf({ per: 'match' }, of('a'), of('a'), of())).toEqual([true, true, true]);
  });

  it('per story wakes once for a story, and for every match that has none', () => {
    expect(wakesOf({ per: 'story' }, of('a'), of('a'), of('b'), of(), of())).toEqual([true, false, true, true, true]);
    const past = { account: undefined, stories: new Map([['a', { woke: true, seen: 0 }]]) };
    expect(decideWakes({ per: 'story' }, past, [of('a')], { now: NOW }).wakes).toEqual([false]);
  });

  it('wakes for a story whose earlier matches were all held', () => {
    const contract: WakeContract = { per: 'story', minRelevance: 0.6 };
    expect(wakesOf(contract, of('a', 0.2), of('a', 0.9), of('a', 0.9))).toEqual([false, true, false]);
  });

  it('holds matches of less relevance, and none of unknown relevance', () => {
    expect(wakesOf({ per: 'match', minRelevance: 0.6 }, of('a', 0.59), of('a', 0.6), of('a', null))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('wakes at most as often in an hour or a day of UTC as it says', () => {
    const contract: WakeContract = { per: 'match', atMost: { count: 2, window: 'hour' } };
    const first = decideWakes(contract, NOTHING, [of(), of(), of()], { now: NOW });
    expect(first.wakes).toEqual([true, true, false]);
    const later = { ...first, account: first.account };
    expect(decideWakes(contract, later, [of()], { now: new Date('2026-11-15T08:59:59.999Z') }).wakes).toEqual([false]);
    expect(decideWakes(contract, later, [of()], { now: new Date('2026-11-15T09:00:00Z') }).wakes).toEqual([true]);
    const day = wakeWindow({ atMost: { count: 1, window: 'day' } }, NOW);
    expect(day).toEqual({ from: new Date('2026-11-15'), until: new Date('2026-11-16') });
    expect(wakeWindow({}, NOW)).toEqual(day);
  });

  it('stops before the wake that has no room, and decides nothing after it', () => {
    const { wakes, account } = decideWakes({ per: 'story' }, NOTHING, [of('a'), of('a'), of('b'), of('c')], {
      now: NOW,
      mostWakes: 1,
    });
    expect(wakes).toEqual([true, false]);
    expect(account).toMatchObject({ wakes: 1, held: 1, stories: 1 });
  });

  it('counts the stories of a window once, and begins anew with the next window', () => {
    const contract: WakeContract = { per: 'story' };
    const first = decideWakes(contract, NOTHING, [of('a'), of('a'), of('b'), of()], { now: NOW });
    expect(first.account).toEqual({ windowFrom: new Date('2026-11-15'), wakes: 3, held: 1, stories: 3 });
    const second = decideWakes(contract, first, [of('a'), of('c')], { now: NOW });
    expect(second.account).toMatchObject({ wakes: 4, held: 2, stories: 4 });
    const tomorrow = new Date('2026-11-16T00:00:00Z');
    expect(wakeAccountAt(contract, second.account, tomorrow)).toMatchObject({ wakes: 0, held: 0, stories: 0 });
    expect(decideWakes(contract, first, [of('a')], { now: tomorrow }).account).toMatchObject({ held: 1, stories: 1 });
  });
});

describe('quiet hours and digests', () => {
  const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
  const at = (time: string) => new Date(`2026-11-15T${time}Z`);

  it('hold everything in quiet hours, and a story that was held may wake after them', () => {
    const contract: WakeContract = { per: 'story', quiet };
    const night = decideWakes(contract, NOTHING, [of('a'), of()], { now: at('21:00:00') });
    expect(night.wakes).toEqual([false, false]);
    expect(night.account).toMatchObject({ wakes: 0, held: 2 });
    const past = { account: night.account, stories: night.stories };
    expect(decideWakes(contract, past, [of('a'), of('a')], { now: at('06:00:00') }).wakes).toEqual([true, false]);
  });

  it('tell of what was held at the end of the window, at a local time, and never in quiet hours', () => {
    const due = (contract: Partial<WakeContract>, time: string) => digestDue({ per: 'match', ...contract }, at(time));
    expect(due({}, '08:30:00')).toEqual(new Date('2026-11-16T00:00:00Z'));
    expect(due({ quiet }, '08:30:00')).toEqual(new Date('2026-11-16T06:00:00Z'));
    expect(due({ quiet, atMost: { count: 1, window: 'hour' } }, '08:30:00')).toEqual(at('09:00:00'));
    const digest = { at: '08:00', zone: 'America/New_York' };
    expect(due({ digest }, '08:30:00')).toEqual(at('13:00:00'));
    expect(due({ digest: { at: '23:00', zone: 'Europe/Berlin' }, quiet }, '08:30:00')).toEqual(
      new Date('2026-11-16T06:00:00Z'),
    );
  });

  it('stop after the match that fills a digest, and count anew for the next', () => {
    const contract: WakeContract = { per: 'match', minRelevance: 0.5, digest: { whenWaiting: 3 } };
    const first = decideWakes(contract, NOTHING, [of('a', 0), of('b', 0.9), of('c', 0)], { now: NOW });
    expect([first.wakes, first.isFull]).toEqual([[false, true, false], false]);
    const second = decideWakes(contract, first, [of('d', 0), of('e', 0)], { now: NOW });
    expect([second.wakes, second.isFull]).toEqual([[false], true]);
    const third = decideWakes(contract, second, [of('e', 0)], { now: NOW });
    expect(third.account.waiting).toMatchObject({ count: 1 });
    // The match that waited for an earlier digest has been told.
    const tomorrow = decideWakes(contract, third, [of('f', 0)], { now: new Date('2026-11-16T08:00:00Z') });
    expect(tomorrow.account.waiting).toMatchObject({ count: 1 });
  });
});

describe('decisions in batches of any size', () => {
  const candidate = fc.record({
    story: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
    relevance: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
  });
  const contract = fc.record({
    per: fc.constantFrom('match' as const, 'story' as const),
    atMost: fc.option(
      fc.record({ count: fc.integer({ min: 1, max: 4 }), window: fc.constantFrom('hour' as const, 'day' as const) }),
      { nil: undefined },
    ),
    minRelevance: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  });

  it('decide every match once, wake as one decision would, and keep a true account', () => {
    const sizes = fc.array(
      fc.record({ matches: fc.integer({ min: 1, max: 5 }), most: fc.integer({ min: 1, max: 3 }) }),
      {
        minLength: 1,
        maxLength: 9,
      },
    );
    fc.assert(
      fc.property(contract, fc.array(candidate, { maxLength: 40 }), sizes, (terms, candidates, batches) => {
        const whole = decideWakes(terms, NOTHING, candidates, { now: NOW });
        const stories = new Map<string, WakeStory>();
        let account: WakeAccount | undefined;
        const decided: boolean[] = [];
        for (let turn = 0; decided.length < candidates.length; turn++) {
          const { matches, most } = batches[turn % batches.length]!;
          const batch = candidates.slice(decided.length, decided.length + matches);
          const step = decideWakes(terms, { account, stories }, batch, { now: NOW, mostWakes: most });
          expect(step.wakes.length).toBeGreaterThan(0);
          expect(step.wakes.filter(Boolean).length).toBeLessThanOrEqual(most);
          decided.push(...step.wakes);
          for (const [story, state] of step.stories) stories.set(story, state);
          ({ account } = step);
        }
        expect(decided).toEqual(whole.wakes);
        if (account === undefined) return;
        expect(account).toEqual(whole.account);
        expect(account.wakes + account.held).toBe(candidates.length);
        const own = candidates.filter(({ story }) => story === undefined).length;
        expect(account.stories).toBe(own + new Set(candidates.flatMap(({ story }) => story ?? [])).size);
        expect(account.wakes).toBeLessThanOrEqual(terms.atMost?.count ?? candidates.length);
      }),
      { numRuns: 500 },
    );
  });
});
