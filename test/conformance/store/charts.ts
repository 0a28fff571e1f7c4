import { expect, it } from 'vitest';
import { addOther, at, eventOf, MINUTE, type Open, ruleOf, START, stage } from './stage.ts';

export function chartCases(open: Open): void {
  async function charted() {
    const stand = await stage(open);
    const { store, account, rule } = stand;
    const pages = ruleOf(account, { platforms: { firehose: { value: 'a', flags: {} } } });
    await store.addRule(pages, {});
    const times = [0, 10, 61, 61, 300];
    for (const [index, seconds] of times.entries()) {
      await store.commit({ platform: 'x', at: at(seconds * 1000), events: [eventOf(`x${index}`, [rule])] });
      await store.commit({
        platform: 'firehose',
        at: at(seconds * 1000),
        events: [eventOf(`f${index}`, [pages], { platform: 'firehose' })],
      });
    }
    const counts = async (query: object, seconds = 60) => {
      const found = await store.matchCounts({
        accountId: account.id,
        from: at(0),
        to: at(10 * MINUTE),
        seconds,
        ...query,
      });
      return found.map(({ at: start, count }) => [(start.getTime() - START) / MINUTE, count]);
    };
    return { ...stand, pages, counts };
  }

  it('counts by interval, for an account, a rule and a platform', async () => {
    await using stand = await charted();
    const { rule, counts } = stand;
    expect(await counts({})).toEqual([
      [0, 4],
      [1, 4],
      [5, 2],
    ]);
    expect(await counts({ platform: 'x' })).toEqual([
      [0, 2],
      [1, 2],
      [5, 1],
    ]);
    expect(await counts({ ruleId: rule.id })).toEqual([
      [0, 2],
      [1, 2],
      [5, 1],
    ]);
    expect(await counts({ ruleId: rule.id, platform: 'firehose' })).toEqual([]);
    expect(await counts({}, 300)).toEqual([
      [0, 8],
      [5, 2],
    ]);
    expect(await counts({ from: at(MINUTE), to: at(2 * MINUTE) })).toEqual([[1, 4]]);
  });

  it('counts no repeats, nothing of others, and nothing of what was deleted or erased', async () => {
    await using stand = await charted();
    const { store, account, rule, pages, counts, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(eventOf('x0', [rule]));
    expect(await counts({ accountId: other.id })).toEqual([]);
    expect(await counts({ accountId: other.id, ruleId: rule.id })).toEqual([]);
    await store.deleteRule(account.id, pages.id);
    expect(await counts({})).toEqual([
      [0, 2],
      [1, 2],
      [5, 1],
    ]);
    expect(await counts({ ruleId: pages.id })).toEqual([]);
    await store.deleteMatches(account.id, 'x', 'x4');
    expect(await counts({})).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(await counts({ ruleId: rule.id })).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });
}
