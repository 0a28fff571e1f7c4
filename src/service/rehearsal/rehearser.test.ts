import { describe, expect, it } from 'vitest';
import { turnsDuring } from '../../../test/stages/turns.ts';
import { languages } from '../../rules/languages.ts';
import { textsOfRequest } from '../../rules/rule-text.ts';
import type { RecentEvent } from '../../store/store.ts';
import { rehearseRecent } from './recent.ts';
import { createRehearser } from './rehearser.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
const known = languages({ local: true });
const eventOf = (id: string, text: string | undefined, change: object = {}) => ({
  platform: 'x' as const,
  payload: { data: { id, ...(text !== undefined && { text }) } },
  source: undefined,
  at: START as number | undefined,
  ...change,
});

async function tried(value: string, ...events: ReturnType<typeof eventOf>[]) {
  const rehearser = createRehearser({ texts: textsOfRequest({ x: value }, undefined), languages: known });
  const work: number[] = [];
  for (const event of events) work.push(await rehearser.take(event));
  return { rehearser, work, tally: rehearser.state(true).x!, samples: rehearser.samples() };
}

describe('an event of the past', () => {
  it('of many thousand words is analysed in slices, and matched like any other', async () => {
    const long = `storm ${'calm '.repeat(10_000)}`;
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    const { tally, samples, work } = await tried('storm', eventOf('1', long), eventOf('2', 'a storm'));
    expect([tally.events, tally.matched, hasRun]).toEqual([2, 2, true]);
    expect(work[0]!).toBeGreaterThan(10_000);
    // Too long to be shown, and counted all the same.
    expect(new Set(samples.map(({ postId }) => postId))).toEqual(new Set(['2']));
  });

  it('whose phrase takes long to find is judged in many turns', async () => {
    const texts = textsOfRequest({ firehose: `added:"${'b '.repeat(500)}"~3` }, undefined);
    const rehearser = createRehearser({ texts, languages: known });
    const words = Array.from({ length: 30_000 }, (_, at) => (at % 90 === 89 ? 'c' : 'b'));
    const payload = { id: '1', added: words.join(' ') };
    const taking = Promise.resolve(rehearser.take({ platform: 'firehose', payload, at: START }));
    expect(await turnsDuring(taking)).toBeGreaterThan(60);
    expect(rehearser.state(true).firehose).toMatchObject({ events: 1, matched: 0 });
    expect(await taking).toBeGreaterThan(60_000);
  });

  it('that no rule can see is counted with its time, and as rejected', async () => {
    const { tally, work } = await tried('storm', eventOf('1', undefined), eventOf('2', 'calm', { at: START + 5 }));
    expect(tally).toMatchObject({ events: 2, rejected: 1, matched: 0, from: START, to: START + 5 });
    expect(work[0]).toBe(0);
  });

  it('of a platform that is not asked for takes no work', async () => {
    const { tally, work } = await tried('storm', eventOf('1', 'a storm', { platform: 'firehose' }));
    expect([tally.events, work]).toEqual([0, [0]]);
  });

  it('without a time of arrival has that of its publication', async () => {
    const written = { data: { id: '1', text: 'a storm', created_at: '2026-11-01T00:00:00.000Z' } };
    const { tally, samples } = await tried('storm', eventOf('1', '', { at: undefined, payload: written }));
    const published = Date.parse('2026-11-01T00:00:00.000Z');
    expect([tally.from, tally.to, samples[0]!.at]).toEqual([published, published, new Date(published)]);
  });

  it('takes a step of work for each word and each clause', async () => {
    const workOf = async (value: string, text: string) => (await tried(value, eventOf('1', text))).work[0]!;
    const usual = await workOf('storm rain', 'calm weather today');
    expect(await workOf('storm rain', 'calm weather today again')).toBe(usual + 1);
    expect(await workOf('storm rain hail', 'calm weather today')).toBe(usual + 1);
  });
});

describe('recent events, which come newest first', () => {
  const DAY = 24 * 60 * 60_000;
  /** What is told every other day is a story of its own each time. */
  const told = Array.from({ length: 5 }, (_, time) => [
    eventOf(`a${time}`, 'Gale warning storm hits Cornwall harbour tonight', { at: START + 2 * time * DAY }),
    eventOf(`b${time}`, 'Storm warning: gale hits Cornwall harbour', { at: START + (2 * time + 0.5) * DAY }),
    eventOf(`c${time}`, `storm over budget talks of ministry${time}`, { at: START + (2 * time + 0.6) * DAY }),
  ]).flat();
  const texts = textsOfRequest({ x: 'storm' }, undefined);

  async function onRecent(walks: (walk: number) => typeof told) {
    let walk = 0;
    const recentEvents = async function* () {
      for (const { platform, payload, at } of walks(walk++).toReversed()) {
        const event = { platform, accountId: 'a', postId: `stored ${payload.data.id}`, payload };
        yield [{ event, at: new Date(at!) } satisfies RecentEvent];
      }
    };
    const world = { store: { recentEvents }, languages: known, settings: { recentEvents: 100 }, checkpoint: () => {} };
    const { tally, samples } = await rehearseRecent.run(world, { accountId: 'a', texts });
    const shown = samples.filter(({ kind }) => kind.startsWith('story '));
    return { stories: tally.x!.stories, shown: new Map(shown.map(({ kind, postId }) => [kind, postId])) };
  }

  it('tell the stories that they tell in the order of time', async () => {
    const { tally } = await tried('storm', ...told);
    const { stories } = await onRecent(() => told);
    expect(stories).toEqual(tally.stories);
    expect([stories.count, stories.sizes.map(({ size }) => size).toSorted((one, other) => one - other)]).toEqual([
      10,
      [...Array(5).fill(1), ...Array(5).fill(2)],
    ]);
  });

  it('show the newest of each large story that is still there', async () => {
    const { stories, shown } = await onRecent((walk) => (walk === 0 ? told : told.slice(2)));
    const newest = (at: number) => shown.get(`story ${stories.sizes.find(({ last }) => last === at)!.number}`);
    expect([0, 1, 4].map((time) => newest(told[3 * time + 1]!.at!))).toEqual([undefined, 'stored b1', 'stored b4']);
    expect(newest(told[2]!.at!)).toBe('stored c0');
  });
});
