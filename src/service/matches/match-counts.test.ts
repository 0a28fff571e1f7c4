import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Caller } from '../access/caller.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-15T08:30:00.000Z');
const hour = (hours: number) => new Date(Date.parse('2026-11-15T08:00:00.000Z') + hours * HOUR).toISOString();

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const create = async (text: string) => {
    const rule = { name: text, intent: '', platforms: ['x'], overrides: { x: text } };
    return (await test.call(alice, 'createRule', rule)).rule_id;
  };
  const [storm, rain] = [await create('storm'), await create('rain')];
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  const counts = (input: object = {}, who: Caller = alice) => test.call(who, 'matchCounts', input);
  const asked = vi.spyOn(test.store, 'matchCounts');
  return Object.assign(test, { clock, alice, storm, rain, push, counts, asked });
}

const issues = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    ({ details }: { details: { issues: { path: string }[] } }) => details.issues.map(({ path }) => path),
  );

describe('counts over time', () => {
  it('are of the last 24 hours, the running one among them, when nothing is asked', async () => {
    await using test = await stage();
    await test.push('a storm', 'storm and rain');
    const { interval, counts, complete, counted_from, ...rest } = await test.counts();
    expect([interval, counts.length, complete, counted_from, rest]).toEqual(['hour', 24, true, null, {}]);
    expect(counts[0]).toEqual({ at: hour(-23), count: 0 });
    expect(counts.at(-1)).toEqual({ at: hour(0), count: 3 });
    expect(test.asked.mock.calls).toStrictEqual([
      [{ accountId: test.alice.account.id, from: new Date(hour(-23)), to: new Date(hour(1)), seconds: 3_600 }],
    ]);
  });

  it.each([
    ['minute', 60],
    ['hour', 3_600],
    ['day', 86_400],
  ])('by the %s have intervals of %d seconds', async (interval, seconds) => {
    await using test = await stage();
    const { counts } = await test.counts({ interval });
    expect(counts).toHaveLength(24);
    expect(Date.parse(counts[1]!.at) - Date.parse(counts[0]!.at)).toBe(seconds * 1_000);
    expect(Date.parse(counts.at(-1)!.at)).toBe(Math.floor(NOW / (seconds * 1_000)) * seconds * 1_000);
  });

  it('have whole intervals around the times, and none after a time that ends one', async () => {
    await using test = await stage();
    const at = async (from: string, to: string) => (await test.counts({ from, to })).counts.map((one) => one.at);
    expect(await at('2026-11-15T06:59:59Z', '2026-11-15T08:00:00Z')).toEqual([hour(-2), hour(-1)]);
    expect(await at('2026-11-15T07:00:00Z', '2026-11-15T08:00:01Z')).toEqual([hour(-1), hour(0)]);
  });

  it('are of two thousand intervals at most, in the right order', async () => {
    await using test = await stage();
    const minutes = (count: number) => ({
      interval: 'minute',
      from: new Date(NOW - count * 60_000).toISOString(),
      to: new Date(NOW).toISOString(),
    });
    expect((await test.counts(minutes(2_000))).counts).toHaveLength(2_000);
    expect(await issues(test.counts(minutes(2_001)))).toEqual(['interval']);
    expect(await issues(test.counts(minutes(0)))).toEqual(['from']);
    expect(await issues(test.counts(minutes(-1)))).toEqual(['from']);
  });
});

describe('counts of rules', () => {
  it('are of one, or of several with their sum; zeros of one that is not the caller’s', async () => {
    await using test = await stage();
    await test.push('a storm', 'storm and rain');
    const last = async (input: object, who?: Caller) => {
      const { counts, by_rule } = await test.counts(input, who);
      return [counts.at(-1)!.count, by_rule && Object.entries(by_rule).map(([id, list]) => [id, list.at(-1)])];
    };
    const { storm, rain, alice } = test;
    expect(await last({ rule_id: rain })).toEqual([1, undefined]);
    expect(await last({ rule_ids: [storm, rain] })).toEqual([
      3,
      [
        [storm, 2],
        [rain, 1],
      ],
    ]);
    const limited = { ...alice, grant: { scopes: ['read' as const], ruleIds: [rain], tokenDigest: '' } };
    expect(await last({}, limited)).toEqual([1, [[rain, 1]]]);
    expect(await last({ rule_ids: [storm, rain] }, limited)).toEqual([
      1,
      [
        [storm, 0],
        [rain, 1],
      ],
    ]);
    await expect(last({ rule_id: storm }, limited)).rejects.toMatchObject({ code: 'not_found' });
    const bob = await test.caller('bob');
    await expect(last({ rule_id: storm }, bob)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are of one or of several, not of both', async () => {
    await using test = await stage();
    expect(await issues(test.counts({ rule_id: test.storm, rule_ids: [test.rain] }))).toEqual(['rule_ids']);
    expect(await issues(test.counts({ rule_ids: [] }))).toEqual(['rule_ids']);
  });

  it('are of one platform where that is asked for, without a walk through the matches', async () => {
    await using test = await stage();
    await test.push('a storm');
    const walked = vi.spyOn(test.store, 'matches');
    expect((await test.counts({ platform: 'x' })).counts.at(-1)!.count).toBe(1);
    expect((await test.counts({ platform: 'firehose' })).counts.at(-1)!.count).toBe(0);
    expect(walked).not.toHaveBeenCalled();
    expect(test.asked.mock.calls.map(([{ platform, ruleId }]) => [platform, ruleId])).toEqual([
      ['x', undefined],
      ['firehose', undefined],
    ]);
  });
});

describe('counts of a filter', () => {
  it('go through the matches, of all or of some rules', async () => {
    await using test = await stage();
    await test.push('a storm at sea', 'storm and rain at sea', 'a storm');
    const { storm, rain } = test;
    const all = await test.counts({ text: 'sea' });
    expect([all.counts.length, all.counts.at(-1), all.complete]).toEqual([24, { at: hour(0), count: 3 }, true]);
    expect(all).not.toHaveProperty('by_rule');
    const some = await test.counts({ text: 'sea', rule_ids: [storm, rain] });
    expect([some.by_rule![storm]!.at(-1), some.by_rule![rain]!.at(-1), some.counts.at(-1)!.count]).toEqual([2, 1, 3]);
    expect(test.asked).not.toHaveBeenCalled();
  });

  it.each([
    ['as they are stored', {}],
    ['in a walk through the matches', { text: 'storm' }],
  ])('are of each rule once where one is named twice, %s', async (_, filter) => {
    await using test = await stage();
    await test.push('a storm', 'storm and rain');
    const { storm, rain } = test;
    const twice = await test.counts({ ...filter, rule_ids: [storm, rain, storm] });
    expect(twice).toEqual(await test.counts({ ...filter, rule_ids: [storm, rain] }));
    expect([twice.counts.at(-1)!.count, twice.by_rule![storm]!.at(-1)]).toEqual([3, 2]);
  });

  it('leave out the intervals that were not gone through as a whole', async () => {
    await using test = await stage();
    await test.push('old storm');
    await test.clock.pass(3 * HOUR);
    await test.push('new storm');
    await test.clock.pass(HOUR);
    await test.push('newest storm');
    const { matches } = test.store;
    Object.assign(test.store, {
      // As with so many matches that the budget ends after the second.
      matches: async (query: Parameters<typeof matches>[0]) => {
        const page = await matches({ ...query, limit: 2 });
        return { ...page, walked: { rows: 50_000, bytes: 0 } };
      },
    });
    const { counts, complete, counted_from } = await test.counts({ text: 'storm' });
    expect(complete).toBe(false);
    expect(counted_from?.slice(0, 13)).toBe(hour(3).slice(0, 13));
    expect(counts).toEqual([{ at: hour(4), count: 1 }]);
  });
});
