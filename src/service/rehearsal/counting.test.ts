import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSlowLane } from '../../base/cooperate.ts';
import type { RehearsalSample } from '../../store/store.ts';
import { createSamples } from './samples.ts';
import { createStoryTally } from './story-tally.ts';
import { countAt, countEvent, countMatch, intervalsOf, keepTally, newTally, newTimeline, tallyOf } from './tally.ts';

const MINUTE = 60_000;

describe('the timeline of a rehearsal', () => {
  it('counts by the minute, oldest first', () => {
    const timeline = newTimeline();
    for (const at of [3 * MINUTE, 2 * MINUTE - 1, MINUTE, 3 * MINUTE + 1]) countAt(timeline, at);
    expect(timeline.step).toBe(MINUTE);
    expect(intervalsOf(timeline)).toEqual([
      [MINUTE, 2],
      [3 * MINUTE, 2],
    ]);
  });

  it('joins each two intervals when there are more than 240, and loses no count', () => {
    const timeline = newTimeline();
    for (let minute = 0; minute < 240; minute++) countAt(timeline, minute * MINUTE);
    expect([timeline.step, timeline.counts.size]).toEqual([MINUTE, 240]);
    countAt(timeline, 240 * MINUTE);
    expect([timeline.step, timeline.counts.size]).toEqual([2 * MINUTE, 121]);
    expect(intervalsOf(timeline).slice(-2)).toEqual([
      [238 * MINUTE, 2],
      [240 * MINUTE, 1],
    ]);
  });
});

describe('the tally of a rehearsal', () => {
  const matchIn = (lang: string | undefined) =>
    ({ at: 0, platform: 'x', payload: { data: { lang } }, isInvented: false }) as const;

  it('spans the real events that have a time', () => {
    const tally = newTally(2);
    countEvent(tally, undefined, false);
    expect([tally.events, tally.from, tally.to]).toEqual([1, undefined, undefined]);
    for (const at of [20, 30, 10]) countEvent(tally, at, false);
    for (const at of [1, 99]) countEvent(tally, at, true);
    expect(tally).toMatchObject({ events: 6, from: 10, to: 30, demo: { events: 2, matched: 0 }, missed: [0, 0] });
  });

  it('counts matches by language, and those without a time in no interval', () => {
    const tally = newTally(1);
    for (const lang of ['en', 'de', 'en', undefined]) countMatch(tally, matchIn(lang));
    countMatch(tally, { at: undefined, platform: 'firehose', payload: { language: 'en' }, isInvented: true });
    countMatch(tally, { at: 1, platform: 'firehose', payload: { data: { lang: 'fr' } }, isInvented: false });
    countMatch(tally, matchIn('x'.repeat(30)));
    countMatch(tally, { at: undefined, platform: 'x', payload: {}, isInvented: false });
    expect(Object.fromEntries(tally.languages)).toEqual({ en: 3, de: 1, und: 3, ['x'.repeat(20)]: 1 });
    expect([tally.matched, tally.demo.matched, intervalsOf(tally.timeline)]).toEqual([8, 1, [[0, 6]]]);
  });

  it('knows two hundred languages, and counts the others together', () => {
    const tally = newTally(1);
    for (let number = 0; number < 202; number++) countMatch(tally, matchIn(`l${number}`));
    countMatch(tally, matchIn('l0'));
    expect([tally.languages.size, tally.languages.get('und'), tally.languages.get('l0')]).toEqual([201, 2, 2]);
  });

  it('is the same after it was kept as JSON', () => {
    const tally = newTally(2);
    countEvent(tally, 7, false);
    countMatch(tally, matchIn('en'));
    tally.missed[1]!++;
    const { stories: _, ...kept } = JSON.parse(JSON.stringify(keepTally(tally, { count: 0, now: 0, sizes: [] })));
    expect(tallyOf(kept)).toEqual(tally);
    const { stories: __, ...empty } = JSON.parse(
      JSON.stringify(keepTally(newTally(1), { count: 0, now: 0, sizes: [] })),
    );
    expect(empty).toMatchObject({ from: null, to: null });
    expect(tallyOf(empty)).toEqual(newTally(1));
  });
});

const sampleOf = (postId: string, at: number | undefined, text = ''): Omit<RehearsalSample, 'kind'> => ({
  platform: 'x',
  postId,
  at: at === undefined ? undefined : new Date(at),
  source: undefined,
  payload: { text },
  highlights: [],
});

describe('the samples of a rehearsal', () => {
  const idsOf = (samples: readonly RehearsalSample[], kind: string) =>
    samples.filter((one) => one.kind === kind).map(({ postId }) => postId);

  it('are the ten newest and the five first matches, in whatever order they come', () => {
    const samples = createSamples();
    for (const at of [7, 3, 11, 1, 9, 5, 2, 12, 8, 4, 10, 6]) samples.match(sampleOf(String(at), at));
    const all = samples.all();
    expect(idsOf(all, 'newest')).toEqual(['12', '11', '10', '9', '8', '7', '6', '5', '4', '3']);
    expect(idsOf(all, 'first')).toEqual(['1', '2', '3', '4', '5']);
  });

  it('take a match when one is missing, or it is newer or older than those that are shown', () => {
    const samples = createSamples();
    for (let at = 10; at < 40; at++) {
      expect(at >= 20 || samples.takesMatch(15)).toBe(true);
      samples.match(sampleOf(String(at), at));
    }
    const taken = [13, 14, 30, 31, undefined].map((at) => samples.takesMatch(at));
    expect(taken).toEqual([true, false, false, true, false]);
  });

  it('of a match without a time are taken for the oldest', () => {
    const samples = createSamples();
    for (let at = 10; at < 20; at++) samples.match(sampleOf(String(at), at));
    expect(samples.takesMatch(undefined)).toBe(false);
    samples.match(sampleOf('none', undefined));
    expect(idsOf(samples.all(), 'first')).toEqual(['none', '10', '11', '12', '13']);
  });

  it('are two misses of a clause, and twenty in all', () => {
    const samples = createSamples();
    for (let clause = 0; clause < 10; clause++) {
      for (let one = 0; one < 2; one++) {
        expect(samples.takesMiss(clause)).toBe(true);
        samples.miss(clause, sampleOf(`${clause}`, 0));
      }
      expect(samples.takesMiss(clause)).toBe(false);
    }
    expect(samples.takesMiss(10)).toBe(false);
    expect(idsOf(samples.all(), 'miss 3')).toEqual(['3', '3']);
  });

  it('have one of each large story, and drop that of a story that is no longer large', () => {
    const samples = createSamples();
    samples.story(1, undefined, sampleOf('one', 0));
    samples.story(2, 1, sampleOf('two', 0));
    expect(samples.all().map(({ kind, postId }) => [kind, postId])).toEqual([['story 2', 'two']]);
  });

  it('leave out what has more than 16,384 characters', () => {
    const samples = createSamples();
    const fits = sampleOf('fits', 1, 'x'.repeat(16_384 - JSON.stringify({ text: '' }).length));
    const long = sampleOf('long', 2, 'x'.repeat(16_385 - JSON.stringify({ text: '' }).length));
    for (const sample of [fits, long]) {
      samples.match(sample);
      samples.miss(0, sample);
      samples.story(1, undefined, sample);
    }
    expect(new Set(samples.all().map(({ postId }) => postId))).toEqual(new Set(['fits']));
    expect(samples.all()).toHaveLength(4);
  });

  it('go on from those that were kept', () => {
    const before = createSamples();
    before.match(sampleOf('a', 1));
    before.miss(0, sampleOf('b', 2));
    before.story(3, undefined, sampleOf('c', 3));
    const after = createSamples(before.all());
    expect(after.all()).toEqual(before.all());
    after.miss(0, sampleOf('d', 4));
    expect(after.takesMiss(0)).toBe(false);
  });
});

describe('the stories of a rehearsal', () => {
  const words = (story: number) => Array.from({ length: 12 }, (_, at) => story * 1_000 + at);
  const told = (story: number, at: number) => ({ words: words(story), marks: [], at });

  it('join what is told alike, with its first and its last time', () => {
    const stories = createStoryTally();
    stories.put(told(1, 5_000));
    const { story } = stories.put(told(1, 1_000));
    stories.put(told(2, 3_000));
    expect(story).toEqual({ number: 1, size: 2, first: 1_000, last: 5_000 });
    expect(stories.count).toBe(2);
    expect(stories.largest().map(({ number }) => number)).toEqual([1, 2]);
  });

  it('know the ten largest, and say which one left them', () => {
    const stories = createStoryTally();
    for (let story = 1; story <= 10; story++) {
      expect(stories.put(told(story, 0))).toMatchObject({ isNewLargest: true, left: undefined });
    }
    expect(stories.put(told(11, 0))).toMatchObject({ isNewLargest: false, left: undefined });
    expect(stories.put(told(3, 0))).toMatchObject({ isNewLargest: false, left: undefined });
    expect(stories.put(told(11, 0))).toMatchObject({ isNewLargest: true, left: { number: 10 }, story: { size: 2 } });
    expect(stories.largest().map(({ number }) => number)).toEqual([3, 11, 1, 2, 4, 5, 6, 7, 8, 9]);
  });

  it('of one size are large in the order in which they began, however they were kept', () => {
    const sizes = Array.from({ length: 12 }, (_, at) => ({ number: 12 - at, size: 1, first: 0, last: 0 }));
    const stories = createStoryTally({ count: 12, now: 0, sizes });
    expect(stories.largest().map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(stories.keep(true).sizes.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(stories.keep(true)).toEqual({ count: 12, now: 0, sizes: stories.largest() });
  });

  it('go on from what was kept, and keep the largest alone when all is done', () => {
    const first = createStoryTally();
    for (let story = 1; story <= 11; story++) first.put(told(story, 0));
    const kept = first.keep(false);
    expect([kept.count, kept.sizes.length, typeof kept.book]).toEqual([11, 11, 'string']);
    const second = createStoryTally(JSON.parse(JSON.stringify(kept)));
    expect(second.put(told(11, 1))).toMatchObject({ story: { number: 11, size: 2 }, isNewLargest: true });
    expect(second.count).toBe(11);
    const done = second.keep(true);
    expect([done.sizes.length, done.book, done.now]).toEqual([10, undefined, 1]);
  });

  it('that are over are forgotten when there are many, but for those that are open and the largest', () => {
    const HOUR = 3_600_000;
    const sizes = Array.from({ length: 4_000 }, (_, at) => ({ number: at + 1, size: 1, first: 0, last: 0 }));
    sizes[3_999]!.size = 9;
    const stories = createStoryTally({ count: 4_000, now: 0, sizes });
    stories.put(told(1, HOUR));
    const knownIn = () => stories.keep(false).sizes.map(({ number }) => number);
    expect(knownIn()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 4_000, 4_001]);
    stories.put(told(2, 2 * HOUR));
    expect(knownIn()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 4_000, 4_001, 4_002]);
    expect(stories.put(told(1, 2 * HOUR))).toMatchObject({ story: { number: 4_001, size: 2 } });
  });

  it('are all known while there are four thousand', () => {
    const sizes = Array.from({ length: 3_999 }, (_, at) => ({ number: at + 1, size: 1, first: 0, last: 0 }));
    const stories = createStoryTally({ count: 3_999, now: 0, sizes });
    stories.put(told(1, 0));
    expect(stories.keep(false).sizes).toHaveLength(4_000);
  });
});

describe('the slow lane', () => {
  it('pauses after six thousand words, an event counting fifty more', async () => {
    const clock = fakeClock();
    const pause = createSlowLane(clock);
    expect(pause(5_949)).toBeUndefined();
    await pause(0);
    expect(pause(5_949)).toBeUndefined();
    expect(pause(-49)).toBeInstanceOf(Promise);
  });

  it('gives others as much time again when they had work, and fifty milliseconds at most', async () => {
    const slept: number[] = [];
    let took = 0;
    let time = 0;
    const clock = {
      now: () => new Date(0),
      elapsed: () => {
        time += took / 2;
        return time;
      },
      sleep: async (milliseconds: number) => void slept.push(milliseconds),
    };
    const pause = createSlowLane(clock);
    for (took of [2, 4, 6, 200]) {
      time = 0;
      await pause(6_000);
    }
    expect(slept).toEqual([3, 50]);
  });

  it('lets everything else run before it goes on', async () => {
    const pause = createSlowLane(fakeClock());
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    await pause(6_000);
    expect(hasRun).toBe(true);
  });
});
