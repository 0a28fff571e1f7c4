import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { type KeptTally, keepTally, newTally } from '../rehearsal/tally.ts';
import { type ReportContext, rehearsalResult, resultOf } from './rehearsal-report.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const local = { shape: 'local' } as never;
const upstream = { shape: 'upstream' } as never;

const contextOf = (change: Partial<ReportContext> = {}): ReportContext => ({
  languages: languages({ local: true }),
  platforms: { x: local, firehose: local },
  settings: {},
  ...change,
});

const keptOf = (change: Partial<KeptTally> = {}): KeptTally => ({
  ...keepTally(newTally(2), { count: 0, now: 0, sizes: [] }),
  ...change,
});

interface Stored {
  readonly kept?: Partial<KeptTally>;
  readonly value?: string;
  readonly history?: object;
  readonly samples?: object[];
  readonly context?: ReportContext;
}

function resultWith({ kept = {}, value = 'lava ash', history = { kind: 'recent' }, samples = [], context }: Stored) {
  const rehearsal = { request: JSON.stringify({ texts: { x: { value, flags: {} } }, history }) };
  const state = JSON.stringify({ tally: { x: keptOf(kept), unreadable: 3 }, tries: 0 });
  const result = resultOf(context ?? contextOf(), { rehearsal, state, samples } as never);
  rehearsalResult.parse(result);
  return result;
}

const xOf = (stored: Stored) => resultWith(stored).platforms.x!;

const sample = (kind: string, postId: string, more: object = {}) => ({
  platform: 'x',
  kind,
  postId,
  at: new Date(0),
  source: undefined,
  payload: { data: { id: postId, text: `text of ${postId}` } },
  highlights: [{ field: 'data.text', start: 0, end: 4 }],
  ...more,
});

describe('the result of a rehearsal', () => {
  it('is empty before its first checkpoint', () => {
    const rehearsal = { request: JSON.stringify({ texts: {}, history: { kind: 'recent' } }) };
    const result = resultOf(contextOf(), { rehearsal, state: undefined, samples: [] } as never);
    expect(result).toEqual({ unreadable: 0, platforms: {} });
  });

  it('has the counts, and leaves out what did not happen', () => {
    expect(resultWith({}).unreadable).toBe(3);
    const bare = xOf({ kept: { events: 7, matched: 2 } });
    expect(bare).toMatchObject({ events: 7, matched: 2, from: null, to: null });
    expect(bare).not.toHaveProperty('rejected');
    expect(bare).not.toHaveProperty('demo_events');
    const full = xOf({ kept: { events: 7, rejected: 1, demo: { events: 2, matched: 1 }, from: 0, to: MINUTE } });
    expect(full).toMatchObject({
      rejected: 1,
      demo_events: 2,
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-01T00:01:00.000Z',
    });
  });

  it('has the timeline, oldest first, and the twenty most frequent languages', () => {
    const spoken = Array.from({ length: 22 }, (_, at) => [`l${at}`, at] as const);
    const x = xOf({
      kept: {
        step: 2 * MINUTE,
        counts: [
          [2 * MINUTE, 1],
          [0, 4],
        ],
        languages: spoken,
      },
    });
    expect(x.timeline).toEqual({
      seconds: 120,
      counts: [
        { at: '1970-01-01T00:00:00.000Z', matched: 4 },
        { at: '1970-01-01T00:02:00.000Z', matched: 1 },
      ],
    });
    expect(x.languages).toHaveLength(20);
    expect([x.languages[0], x.languages[19]]).toEqual([
      { language: 'l21', matched: 21 },
      { language: 'l2', matched: 2 },
    ]);
  });

  it('has the ten largest stories, named by their sample', () => {
    const sizes = Array.from({ length: 12 }, (_, at) => ({ number: at, size: at === 5 ? 9 : 1, first: 0, last: at }));
    const x = xOf({
      kept: { stories: { count: 40, now: 0, sizes } },
      samples: [sample('story 5', 'five'), sample('story 0', 'other', { platform: 'firehose' })],
    });
    expect(x.stories.count).toBe(40);
    expect(x.stories.largest.map(({ matches }) => matches)).toEqual([9, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(x.stories.largest[0]).toEqual({
      title: 'text of five',
      matches: 9,
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-01T00:00:00.005Z',
    });
    expect(x.stories.largest[1]).toMatchObject({ title: null, to: '1970-01-01T00:00:00.000Z' });
    expect(x.stories.largest.at(-1)).toMatchObject({ to: '1970-01-01T00:00:00.009Z' });
  });

  it('has each clause with what it alone kept out, in the order of the text', () => {
    const x = xOf({ value: 'lava ash', kept: { missed: [4, 9] }, samples: [sample('miss 1', 'near')] });
    expect(x.near_misses).toMatchObject([
      { text: 'lava', span: { start: 0, end: 4 }, missed: 4, samples: [] },
      { text: 'ash', span: { start: 5, end: 8 }, missed: 9, samples: [{ platform_post_id: 'near' }] },
    ]);
    expect(xOf({ value: 'lava', kept: { missed: [4] } }).near_misses).toEqual([]);
    expect(xOf({ value: 'lava ash', kept: { missed: [4] } }).near_misses).toEqual([]);
  });

  it('has the thirty-two clauses that kept most out', () => {
    const words = Array.from({ length: 33 }, (_, at) => `w${at}`);
    const missed = words.map((_, at) => (at === 7 ? 0 : 1));
    const { near_misses } = xOf({ value: words.join(' '), kept: { missed } });
    expect(near_misses.map(({ text }) => text)).toEqual(words.filter((word) => word !== 'w7'));
  });

  it('has its samples apart, with the time where it is known, and says which were invented', () => {
    const x = xOf({
      samples: [
        sample('newest', 'n'),
        sample('first', 'f', { at: undefined, source: 'demo' }),
        sample('newest', 'other', { platform: 'firehose' }),
      ],
    });
    expect(x.newest).toEqual([
      {
        platform_post_id: 'n',
        at: '1970-01-01T00:00:00.000Z',
        payload: { data: { id: 'n', text: 'text of n' } },
        highlights: [{ field: 'data.text', start: 0, end: 4 }],
      },
    ]);
    expect(x.first).toMatchObject([{ platform_post_id: 'f', at: null, demo: true }]);
  });
});

describe('what a rehearsal expects of a month', () => {
  const day = { from: 0, to: DAY, matched: 10, events: 100 };

  it.each<[string, Stored, object]>([
    ['of the whole stream', { kept: day }, { matches: 300, cost: null, currency: null, basis: 'whole_stream' }],
    [
      'of a file',
      { kept: day, history: { kind: 'file', file: 'a' } },
      { matches: 300, cost: null, currency: null, basis: 'file' },
    ],
    [
      'without what the demo feed invented',
      { kept: { ...day, demo: { events: 50, matched: 4 } } },
      { matches: 180, cost: null, currency: null, basis: 'whole_stream' },
    ],
    [
      'of ten minutes',
      { kept: { ...day, to: 10 * MINUTE, matched: 1 } },
      { matches: 4_320, cost: null, currency: null, basis: 'whole_stream' },
    ],
    [
      'of less',
      { kept: { ...day, to: 10 * MINUTE - 1 } },
      { matches: null, cost: null, currency: null, basis: 'too_short' },
    ],
    [
      'of a few bursts',
      {
        kept: {
          ...day,
          matched: 200,
          counts: [
            [0, 100],
            [DAY, 100],
          ],
        },
      },
      { matches: null, cost: null, currency: null, basis: 'too_short' },
    ],
    [
      'of visits at intervals',
      { kept: { ...day, matched: 240, counts: Array.from({ length: 24 }, (_, hour) => [(hour * DAY) / 24, 10]) } },
      { matches: 7_200, cost: null, currency: null, basis: 'whole_stream' },
    ],
    ['of nothing', { kept: {} }, { matches: null, cost: null, currency: null, basis: 'too_short' }],
    [
      'of the demo feed alone',
      { kept: { ...day, demo: { events: 100, matched: 10 } } },
      { matches: null, cost: null, currency: null, basis: 'demo' },
    ],
    [
      'of what existing rules caught',
      { kept: day, context: contextOf({ platforms: { x: upstream, firehose: local } }) },
      { matches: null, cost: null, currency: null, basis: 'existing_rules' },
    ],
    [
      'of a file, at the price of an upstream',
      {
        kept: day,
        history: { kind: 'file', file: 'a' },
        context: contextOf({
          platforms: { x: upstream, firehose: local },
          settings: { prices: { x: 0.00512, firehose: 1 }, currency: 'EUR' },
        }),
      },
      { matches: 300, cost: 1.54, currency: 'EUR', basis: 'file' },
    ],
  ])('%s', (_, stored, month) => {
    expect(xOf(stored).month).toEqual(month);
  });
});
