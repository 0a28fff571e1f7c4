import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';
import type { RecentEvent } from '../../store/store.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-15T08:30:00.000Z');

interface Recent {
  /** Minutes ago. */
  readonly ago: number;
  readonly text?: string;
  readonly source?: string;
}

/** A service whose recent events are these. */
async function stage(events: readonly Recent[]) {
  const test = await openService({ clock: fakeClock() });
  const alice = await test.caller('alice');
  const recent = events.map(
    ({ ago, text = 'storm', source = 'push' }, at): RecentEvent => ({
      event: { platform: 'x', accountId: 'a', postId: String(at), payload: { data: { id: String(at), text } }, source },
      at: new Date(NOW - ago * MINUTE),
    }),
  );
  Object.assign(test.store, {
    async *recentEvents() {
      yield recent;
    },
  });
  const preview = async (input: object = {}) => {
    const asked = { platforms: ['x'], overrides: { x: 'storm' }, ...input };
    return (await test.call(alice, 'previewRule', asked)).platforms.x!;
  };
  return Object.assign(test, { preview });
}

const times = (count: number, of: Partial<Recent> = {}) => Array.from({ length: count }, () => ({ ago: 1, ...of }));

describe('the rate of a preview', () => {
  it('rests on ten minutes of events, from the oldest until now', async () => {
    await using short = await stage([{ ago: 0 }, { ago: 9.999 }]);
    expect(await short.preview()).toMatchObject({ basis: 'too_short', rate_per_day: null, matched: 2 });
    await using enough = await stage([{ ago: 5 }, { ago: 10, text: 'calm' }, { ago: 15 }]);
    expect(await enough.preview()).toMatchObject({
      basis: 'whole_stream',
      rate_per_day: 190,
      estimate: expect.stringMatching(/^at most \d+ a day, judged by 3 events over 10 minutes$/),
    });
    await using odd = await stage([{ ago: 0 }, { ago: 70 }]);
    expect((await odd.preview()).rate_per_day).toBe(41);
  });

  it('counts nothing that the demo feed invented', async () => {
    const demo = { source: 'demo' };
    await using invented = await stage([
      { ago: 0, ...demo },
      { ago: 60, ...demo },
    ]);
    expect(await invented.preview()).toMatchObject({ basis: 'demo', rate_per_day: null, demo_events: 2, matched: 2 });
    await using mixed = await stage([{ ago: 0 }, { ago: 5, ...demo }, { ago: 60, text: 'calm' }]);
    const answer = await mixed.preview();
    expect(answer).toMatchObject({ basis: 'whole_stream', rate_per_day: 24, demo_events: 1, matched: 2 });
    expect(answer.matches.map(({ demo: isInvented }) => isInvented)).toEqual([undefined, true]);
  });

  it('is a range that most counts of the same stream lie in, and wider where matches come together', async () => {
    const even = Array.from({ length: 480 }, (_, at) => ({ ago: at * 3 }));
    await using regular = await stage(even);
    const { rate_per_day, rate_range, estimate } = await regular.preview();
    expect([rate_per_day, rate_range]).toEqual([480, { low: 440, high: 520 }]);
    expect(estimate).toBe('440 to 520 a day, judged by 480 events over 24 hours');
    const together = even.map(({ ago }) => ({ ago, text: ago % 360 < 60 ? 'storm' : 'calm' }));
    await using uneven = await stage(together);
    const { low, high } = (await uneven.preview()).rate_range!;
    expect(high - low).toBeGreaterThan(4 * Math.sqrt(80));
  });

  it('is none of a few bursts, whatever time lies between them, and is one of visits at intervals', async () => {
    const burst = (ago: number) => Array.from({ length: 250 }, () => ({ ago }));
    await using bursts = await stage([...burst(0), ...burst(88)]);
    expect(await bursts.preview()).toMatchObject({
      basis: 'too_short',
      rate_per_day: null,
      rate_range: null,
      estimate: 'no rate: 500 events over 88 minutes, in a few bursts',
    });
    await using visits = await stage(Array.from({ length: 24 }, (_, hour) => burst(hour * 60)).flat());
    expect(await visits.preview()).toMatchObject({ basis: 'whole_stream', rate_per_day: 6300 });
  });

  it('is none without events', async () => {
    await using test = await stage([]);
    expect(await test.preview()).toStrictEqual({
      events: 0,
      matched: 0,
      from: null,
      to: null,
      basis: 'too_short',
      rate_per_day: null,
      rate_range: null,
      estimate: 'no rate: there are no recent events',
      matches: [],
    });
  });
});

describe('the share of a preview', () => {
  it('rests on a thousand events that are not invented', async () => {
    await using few = await stage([...times(333), ...times(666, { text: 'calm' }), ...times(9, { source: 'demo' })]);
    expect(await few.preview()).not.toHaveProperty('share');
    await using many = await stage([...times(333), ...times(667, { text: 'calm' }), ...times(9, { source: 'demo' })]);
    expect((await many.preview()).share).toBe(0.333);
  });
});

describe('the histogram of a preview', () => {
  it('shows what another clock dates later than now in its last column', async () => {
    await using test = await stage([{ ago: -5 }, { ago: 0 }, { ago: 30 }]);
    const { histogram } = await test.preview();
    expect(histogram!.at(-1)!.matched).toBe(2);
    expect(histogram!.reduce((sum, { matched }) => sum + matched, 0)).toBe(3);
  });

  it('has 48 columns from the oldest event until now, and each match in its own', async () => {
    await using test = await stage([{ ago: 0 }, { ago: 1 }, { ago: 30 }, { ago: 48 }]);
    const { histogram, from, to } = await test.preview();
    expect([from, to]).toEqual([new Date(NOW - 48 * MINUTE).toISOString(), new Date(NOW).toISOString()]);
    expect(histogram).toHaveLength(48);
    expect(histogram!.map(({ matched }) => matched).reduce((sum, one) => sum + one)).toBe(4);
    const step = Math.ceil((48 * MINUTE + 1) / 48);
    expect(histogram!.map(({ at }) => Date.parse(at))).toEqual(
      Array.from({ length: 48 }, (_, column) => NOW - 48 * MINUTE + column * step),
    );
    const filled = histogram!.flatMap(({ matched }, column) => (matched > 0 ? [[column, matched]] : []));
    expect(filled).toEqual([
      [0, 1],
      [17, 1],
      [46, 1],
      [47, 1],
    ]);
  });

  it('has one column of a millisecond where all came just now, and is absent where nothing matched', async () => {
    await using now = await stage([{ ago: 0 }, { ago: 0 }]);
    expect((await now.preview()).histogram).toEqual([{ at: new Date(NOW).toISOString(), matched: 2 }]);
    await using none = await stage([{ ago: 1, text: 'calm' }]);
    expect(await none.preview()).not.toHaveProperty('histogram');
  });
});

describe('the difference of a preview', () => {
  it('has what each of the two texts alone matches, the newest up to the limit', async () => {
    await using test = await stage([
      { ago: 0, text: 'storm rain' },
      { ago: 10, text: 'storm' },
      { ago: 20, text: 'rain' },
      { ago: 30, text: 'rain', source: 'demo' },
      { ago: 60, text: 'rain' },
    ]);
    const { difference } = await test.preview({ instead_of: { overrides: { x: 'rain' } }, limit: 2 });
    const idsOf = (matches: readonly { platform_post_id: string }[]) => matches.map((one) => one.platform_post_id);
    expect(difference!.added).toMatchObject({
      matched: 1,
      rate_per_day: 24,
      matches: [{ highlights: [{ start: 0, end: 5 }] }],
    });
    expect(idsOf(difference!.added.matches)).toEqual(['1']);
    expect(difference!.removed).toMatchObject({ matched: 3, rate_per_day: 48 });
    expect(difference!.removed.matches[0]!.highlights).toEqual([{ field: 'data.text', start: 0, end: 4 }]);
    expect(idsOf(difference!.removed.matches)).toEqual(['2', '3']);
    expect(await test.preview()).not.toHaveProperty('difference');
    expect((await test.preview({ instead_of: { overrides: { x: '(' } } })).difference).toBeNull();
  });
});

it('says what the upstream takes for a match, and nothing of a price where Sluice matches itself', async () => {
  const { test, caller } = await upstreamStage({ prices: { x: 0.5, firehose: 9 } });
  const asked = { platforms: ['x', 'firehose'], overrides: { x: 'storm', firehose: 'storm' } };
  const { x, firehose } = (await test.call(caller, 'previewRule', asked)).platforms;
  expect(x).toMatchObject({ price: { per_match: 0.5, currency: null } });
  expect(firehose).not.toHaveProperty('price');
  await test.service.close();
});
