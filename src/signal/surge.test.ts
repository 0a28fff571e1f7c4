import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addHour,
  type Baseline,
  excess,
  HOURS_OF_WEEK,
  LEAST_DAYS,
  newBaseline,
  sum,
  usualAt,
  usualOf,
} from './baseline.ts';
import { isMissingMuch, lookForSurge, ordinaryIn, outlookOf, quietOf, surgeStep } from './surge.ts';

const NONE: readonly number[] = Array.from({ length: 60 }, () => 0);

/** Matches of an hour spread evenly. */
const hourOf = (matches: number): number[] =>
  NONE.map((_, minute) => Math.floor(((minute + 1) * matches) / 60) - Math.floor((minute * matches) / 60));

/** Hours one after the other, from the first on; an unheard one is undefined. */
function learnt(hours: number, matches: (hour: number) => number | undefined, from = 0): Baseline {
  let baseline = newBaseline(from);
  let before = NONE;
  for (let hour = from; hour < from + hours; hour++) {
    const count = matches(hour);
    baseline = added(baseline, count, before);
    before = hourOf(count ?? 0);
  }
  return baseline;
}

/** One more hour; the one before it was even. */
function added(
  baseline: Baseline,
  count: number | undefined,
  before: readonly number[] = hourOf(count ?? 0),
): Baseline {
  const ordinary = ordinaryIn(outlookOf(baseline));
  return addHour(baseline, { minutes: hourOf(count ?? 0), before, heard: count !== undefined, ordinary });
}

/** Ten by day, two by night, a fifth of that at the end of the week. */
const rhythm = (hour: number): number => (hour % 24 < 12 ? 10 : 2) * (hour % HOURS_OF_WEEK < 120 ? 5 : 1);
const WEEKS = 4 * HOURS_OF_WEEK;

describe('what is usual', () => {
  it('is what the rule did at the same hour of the week', () => {
    const baseline = learnt(WEEKS, rhythm);
    for (const hour of [3, 15, 123, 140]) {
      const share = usualAt(baseline, WEEKS + hour) / rhythm(hour);
      // A week's end was calm: the level of the last day holds the next hours down a little.
      expect(share).toBeGreaterThan(0.7);
      expect(share).toBeLessThan(1.6);
    }
  });

  it('goes by UTC alone: an hour of the week is the same number of hours after the last one, all year', () => {
    const [summer, winter] = [Date.parse('2026-10-24T10:00Z'), Date.parse('2026-10-31T10:00Z')].map(
      (at) => at / 3_600_000,
    );
    expect(winter! - summer!).toBe(HOURS_OF_WEEK);
    const baseline = learnt(
      WEEKS,
      (hour) => (hour % HOURS_OF_WEEK === summer! % HOURS_OF_WEEK ? 60 : 0),
      summer! - WEEKS,
    );
    expect(usualAt(baseline, winter!)).toBeGreaterThan(20);
    expect(usualAt(baseline, winter! + 1)).toBeLessThan(5);
  });

  it('is the same an hour early or late: a change of people’s clocks is neither a surge nor a silence', () => {
    const office = (hour: number) => (hour % 24 >= 9 && hour % 24 < 17 ? 60 : 1);
    for (const shift of [-1, 0, 1]) {
      let baseline = learnt(WEEKS, office);
      let before = NONE;
      const told = { surges: 0, silences: 0 };
      for (let hour = WEEKS; hour < WEEKS + 48; hour++) {
        const outlook = outlookOf(baseline);
        const minutes = hourOf(office(hour + shift));
        const quiet = quietOf(outlook, undefined);
        const firstAt = hour * 60 + minutes.findIndex((matches) => matches > 0);
        if (quiet !== undefined && quiet.until < firstAt) told.silences++;
        const windows = { minute: hour * 60 + 59, ten: sum(minutes.slice(50)), sixty: sum(minutes) };
        if (lookForSurge(outlook, windows)!.isSurge) told.surges++;
        baseline = addHour(baseline, { minutes, before, heard: true, ordinary: ordinaryIn(outlook) });
        before = minutes;
      }
      expect(told, `shifted by ${shift}`).toEqual({ surges: 0, silences: 0 });
    }
  });

  it('leaves out what was not heard: a month with half of it missing has the same rhythm', () => {
    const holes = learnt(WEEKS, (hour) => (hour % 7 < 3 ? undefined : rhythm(hour)));
    const whole = learnt(WEEKS, rhythm);
    for (const hour of [3, 15, 123]) {
      const share = usualAt(holes, WEEKS + hour) / usualAt(whole, WEEKS + hour);
      expect([share > 0.8, share < 1.25]).toEqual([true, true]);
    }
    expect(
      usualAt(
        learnt(WEEKS, () => undefined),
        WEEKS,
      ),
    ).toBe(0);
  });

  it('follows a new level within two days, and does not learn a surge as usual', () => {
    const before = learnt(WEEKS, () => 20);
    const usualAfter = (hours: number, matches: number) => {
      let baseline = before;
      for (let passed = 0; passed < hours; passed++)
        baseline = addHour(baseline, {
          minutes: hourOf(matches),
          before: hourOf(matches),
          heard: true,
          ordinary: ordinaryIn(outlookOf(baseline)),
        });
      return usualAt(baseline, baseline.next);
    };
    expect(usualAfter(48, 40)).toBeGreaterThan(30);
    expect(usualAfter(1, 2_000)).toBeLessThan(30);
  });

  it('counts a window by the parts of the hours that it covers', () => {
    expect(usualOf([60, 120, 600], 60, 60)).toBe(120);
    expect(usualOf([60, 120, 600], 30, 60)).toBe(90);
    expect(usualOf([60, 120, 600], 5, 10)).toBe(15);
    expect(usualOf([60, 120, 600], 70, 10)).toBe(100);
  });
});

describe('a surge', () => {
  const steady = learnt(WEEKS, () => 12);
  const at = (ten: number, sixty: number, baseline = steady) =>
    lookForSurge(outlookOf(baseline), { minute: baseline.next * 60 + 30, ten, sixty });

  it('is far more than the past allows, in ten minutes or in sixty', () => {
    expect(at(2, 12)).toMatchObject({ isSurge: false, isCalm: true });
    expect(at(4, 20)).toMatchObject({ isSurge: false });
    expect(at(60, 70)).toMatchObject({ isSurge: true, rate: 360, usualRate: expect.closeTo(12, 5), isCalm: false });
    expect(at(10, 90)).toMatchObject({ isSurge: true });
  });

  it('needs ten days of past: with less, nothing is said', () => {
    expect(
      at(
        1_000,
        1_000,
        learnt(24 * LEAST_DAYS - 1, () => 12),
      ),
    ).toBeUndefined();
    expect(
      at(
        1_000,
        1_000,
        learnt(24 * LEAST_DAYS, () => 12),
      ),
    ).toMatchObject({ isSurge: true });
    // Days that were heard for less than half do not count.
    expect(
      at(
        1_000,
        1_000,
        learnt(WEEKS, (hour) => (hour % 24 < 13 ? undefined : 12)),
      ),
    ).toBeUndefined();
  });

  it('is more than nine matches, even of a rule that never had one', () => {
    const empty = learnt(WEEKS, () => 0);
    expect(at(9, 9, empty)).toMatchObject({ isSurge: false });
    expect(at(50, 50, empty)).toMatchObject({ isSurge: true });
  });

  it('is not what the rule does every day', () => {
    const wild = learnt(WEEKS, (hour) => (hour % 24 === (Math.floor(hour / 24) * 7) % 24 ? 150 : 12));
    expect(at(5, 150)).toMatchObject({ isSurge: true });
    expect(at(5, 150, wild)).toMatchObject({ isSurge: false });
  });

  it('takes more the more matches are usual, whatever the past', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(200), { minLength: 24, maxLength: 24 }),
        fc.nat(5_000),
        fc.nat(5_000),
        (day, one, other) => {
          const baseline = learnt(24 * 14, (hour) => day[hour % 24]);
          const [less, more] = [Math.min(one, other), Math.max(one, other)];
          const [low, high] = [at(less, less, baseline)!, at(more, more, baseline)!];
          expect(low.isSurge && !high.isSurge).toBe(false);
          expect(high.isCalm && !low.isCalm).toBe(false);
          expect(low.isSurge && low.isCalm).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is one episode until it was calm for an hour; waves within it belong to it', () => {
    const look = (isSurge: boolean, isCalm: boolean, rate = 100) => ({ isSurge, isCalm, rate, usualRate: 1, from: 0 });
    const opened = surgeStep(undefined, look(true, false), 0);
    expect(opened).toMatchObject({ change: 'opened', episode: { rate: 100 } });
    expect(surgeStep(undefined, look(false, false), 0)).toEqual({ change: 'none', episode: undefined });
    const grown = surgeStep(opened.episode, look(true, false, 300), 1);
    expect(grown).toMatchObject({ change: 'grown', episode: { rate: 300 } });
    const calm = surgeStep(grown.episode, look(false, true, 1), 10);
    expect(calm).toEqual({ change: 'none', episode: { rate: 300, calmSince: 10 } });
    // Neither calm nor a surge: the episode goes on, and calm begins anew.
    const wave = surgeStep(calm.episode, look(false, false, 50), 40);
    expect(wave).toEqual({ change: 'none', episode: { rate: 300 } });
    const again = surgeStep(wave.episode, look(false, true, 1), 50);
    expect(surgeStep(again.episode, look(false, true, 1), 109)).toMatchObject({ change: 'none' });
    expect(surgeStep(again.episode, undefined, 110)).toEqual({ change: 'closed', episode: undefined, to: 50 });
  });
});

describe('silence', () => {
  const busy = learnt(WEEKS, () => 60);
  const outlook = outlookOf(busy);
  const start = busy.next * 60;

  it('is due once far more matches are missing than were ever missing before', () => {
    const quiet = quietOf(outlook, start + 10)!;
    expect(quiet).toMatchObject({ since: start + 11, usualRate: expect.closeTo(60, 0) });
    expect(quiet.until - quiet.since).toBeGreaterThanOrEqual(15);
    expect(quiet.until - quiet.since).toBeLessThan(40);
    // A later match moves it.
    expect(quietOf(outlook, start + 20)!.until).toBe(quiet.until + 10);
    // From before the hour on: the last hour ended with a match.
    expect(quietOf(outlook, undefined)!.since).toBe(start);
  });

  it('says nothing of a rule that is not busy, nor with little past, nor where Sluice did not listen', () => {
    expect(outlookOf(learnt(WEEKS, (hour) => (hour % 2 === 0 ? 1 : 0))).silence).toBeUndefined();
    expect(outlookOf(learnt(24 * LEAST_DAYS - 1, () => 60)).silence).toBeUndefined();
    const deaf = addHour(busy, { minutes: NONE, before: NONE, heard: false, ordinary: ordinaryIn(outlook) });
    expect(quietOf(outlookOf(deaf), undefined)).toBeUndefined();
    // The quiet before is forgotten: silence is counted anew from the next hour on.
    const heard = addHour(deaf, { minutes: NONE, before: NONE, heard: true, ordinary: ordinaryIn(outlook) });
    expect(heard.quiet).toEqual({ since: deaf.next * 60, usual: expect.closeTo(60, -1) });
  });

  it('goes on over hours: what was usual in them adds up', () => {
    const slow = learnt(WEEKS, () => 2);
    let baseline = slow;
    let due: number | undefined;
    for (let hour = 0; hour < 48 && due === undefined; hour++) {
      const now = outlookOf(baseline);
      due = quietOf(now, undefined)?.until;
      baseline = addHour(baseline, { minutes: NONE, before: NONE, heard: true, ordinary: ordinaryIn(now) });
    }
    expect((due! - slow.next * 60) / 60).toBeGreaterThan(7);
    expect((due! - slow.next * 60) / 60).toBeLessThan(20);
  });
});

describe('far fewer matches than usual for a day', () => {
  const office = (hour: number) => (hour % 24 >= 9 && hour % 24 < 17 && Math.floor(hour / 24) % 7 < 5 ? 20 : 1);
  const sine = (hour: number) => Math.round(20 * (1 + 0.8 * Math.sin((hour * Math.PI) / 12)));

  /** The hours after four weeks at whose end it is told. */
  function toldAt(usual: (hour: number) => number, then: (hour: number) => number): number[] {
    const told: number[] = [];
    let baseline = learnt(WEEKS, usual);
    for (let hour = WEEKS; hour < WEEKS + 48; hour++) {
      baseline = added(baseline, then(hour));
      if (isMissingMuch(outlookOf(baseline))) told.push(hour - WEEKS);
    }
    return told;
  }

  it('is told on the day, though no hour is silent', () => {
    for (const usual of [sine, office])
      expect(toldAt(usual, (hour) => Math.round(usual(hour) / 2))[0]).toBeLessThanOrEqual(24);
    expect(toldAt(sine, (hour) => Math.round(sine(hour) * 0.9))).toEqual([]);
  });

  it.each([-1, 1])('is not told of people’s clocks: %i', (shift) => {
    expect(toldAt(office, (hour) => office(hour + shift))).toEqual([]);
  });

  it('is not told again of the hours of a silence', () => {
    expect(
      toldAt(
        () => 20,
        (hour) => (hour < WEEKS + 12 ? 0 : 20),
      ),
    ).toEqual([]);
  });
});

it.each([
  ['in the middle of the first day of a week', 10],
  ['with that day, of which an hour early or late is no silence', 9],
])('tells an outage of office hours that begins %s within three hours', (_, hourOfDay) => {
  const office = (hour: number) => (hour % 24 >= 9 && hour % 24 < 17 && Math.floor(hour / 24) % 7 < 5 ? 20 : hour % 2);
  const from = WEEKS + hourOfDay;
  const outlook = outlookOf(learnt(from + 3, (hour) => (hour < from ? office(hour) : 0)));
  expect(quietOf(outlook, undefined)!.until).toBeLessThanOrEqual((from + 3) * 60);
  // The missing matches are measured as before it: the level does not fall with the hours of the outage.
  expect(outlook.least![0]).toBeGreaterThan(15);
});

it('the excess of small counts is tamed', () => {
  expect(excess(1, 0)).toBeLessThan(1);
  expect(excess(0, 0)).toBe(0);
  expect(excess(0, 10)).toBeLessThan(0);
});
