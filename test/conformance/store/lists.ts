import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredMatch } from '../../../src/domain/match.ts';
import type { Platform } from '../../../src/domain/platform.ts';
import type { MatchQuery } from '../../../src/store/store.ts';
import {
  accountNamed,
  addOther,
  at,
  eventOf,
  expectOrdered,
  listed,
  type Open,
  posts,
  range,
  ruleOf,
  stage,
} from './stage.ts';

export function listCases(open: Open): void {
  /** Three rules on two platforms, `count` posts on each, every post a commit of its own. */
  async function filled(count: number) {
    const stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const pages = ruleOf(account, { platforms: { firehose: { value: 'a', flags: {} } } });
    const both = ruleOf(account, { platforms: { x: { value: 'a', flags: {} }, firehose: { value: 'a', flags: {} } } });
    await store.addRule(pages, {});
    await store.addRule(both, {});
    for (const index of range(count)) {
      await commit(eventOf(`x${index}`, [rule, both]));
      await commit(eventOf(`f${index}`, [pages, both], { platform: 'firehose' }));
    }
    return { ...stand, pages, both };
  }

  it('lists by account, rule and platform, newest first', async () => {
    await using stand = await filled(3);
    const { store, account, rule, pages, both } = stand;
    const of = (query: Partial<MatchQuery>) => listed(store, { accountId: account.id, ...query });
    expect(await of({})).toEqual(['f2', 'f2', 'x2', 'x2', 'f1', 'f1', 'x1', 'x1', 'f0', 'f0', 'x0', 'x0']);
    expect(await of({ platform: 'x' })).toEqual(['x2', 'x2', 'x1', 'x1', 'x0', 'x0']);
    expect(await of({ ruleId: rule.id })).toEqual(['x2', 'x1', 'x0']);
    expect(await of({ ruleId: pages.id })).toEqual(['f2', 'f1', 'f0']);
    expect(await of({ ruleId: both.id })).toEqual(['f2', 'x2', 'f1', 'x1', 'f0', 'x0']);
    expect(await of({ ruleId: both.id, platform: 'firehose' })).toEqual(['f2', 'f1', 'f0']);
    expect(await of({ ruleId: rule.id, platform: 'firehose' })).toEqual([]);
    expect(await of({ ruleId: 'rule_none' })).toEqual([]);
  });

  it('says where the next page begins, and that the last one is the last', async () => {
    await using stand = await filled(2);
    const { store, account } = stand;
    const first = await store.matches({ accountId: account.id, limit: 4 });
    expect(first.matches).toHaveLength(4);
    const second = await store.matches({ accountId: account.id, limit: 4, before: first.next! });
    expect(second.matches).toHaveLength(4);
    expect(second.next).toBeUndefined();
    const all = [...first.matches, ...second.matches];
    expect(new Set(all.map(({ id }) => id)).size).toBe(8);
    expectOrdered(all);
  });

  it('pages stably while matches arrive', async () => {
    await using stand = await filled(5);
    const { store, account, rule, commit } = stand;
    const before = (await store.matches({ accountId: account.id, limit: 1000 })).matches;
    const paged: StoredMatch[] = [];
    let next: number | undefined;
    do {
      const page = await store.matches({
        accountId: account.id,
        limit: 3,
        ...(next === undefined ? {} : { before: next }),
      });
      paged.push(...page.matches);
      next = page.next;
      await commit(eventOf(`new${paged.length}`, [rule]));
    } while (next !== undefined);
    expect(paged).toEqual(before);
  });

  it('goes on from the latest position without a gap or a repeat', async () => {
    await using stand = await filled(2);
    const { store, account, rule, both, commit } = stand;
    const { latest } = await store.matches({ accountId: account.id, limit: 1 });
    expect(latest).toBe(await store.latest());
    const after = (position: number, limit: number, ruleId?: string) =>
      store.matchesAfter({
        accountId: account.id,
        after: position,
        limit,
        ...(ruleId === undefined ? {} : { ruleId }),
      });
    expect(await after(latest, 10)).toMatchObject({ matches: [], last: latest, more: false, walked: { rows: 0 } });
    await commit(eventOf('n1', [rule, both]));
    await commit(eventOf('n2', [both]));
    const first = await after(latest, 2);
    expect(posts(first.matches)).toEqual(['n1', 'n1']);
    const second = await after(first.last, 2);
    expect(posts(second.matches)).toEqual(['n2']);
    expect(second.last).toBe(await store.latest());
    expect(posts((await after(latest, 10, rule.id)).matches)).toEqual(['n1']);
    expect(posts((await after(0, 100)).matches)).toEqual(
      [...(await listed(store, { accountId: account.id }))].toReversed(),
    );
  });

  it('ends a page by bytes as well as by count, and says whether there is more', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const text = 'é'.repeat(500);
    for (const index of range(40)) await commit(eventOf(`b${index}`, [rule], { text }));
    const read: StoredMatch[] = [];
    const sizes: number[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await store.matchesAfter({ accountId: account.id, after, limit: 35, bytes: 5_000 });
      read.push(...page.matches);
      sizes.push(page.matches.length);
      ({ last: after, more } = page);
    }
    expect(posts(read)).toEqual(range(40).map((index) => `b${index}`));
    expect(sizes).toEqual([...Array.from({ length: 8 }, () => 5), 0]);
    const all = await store.matchesAfter({ accountId: account.id, after: 0, limit: 100, bytes: 1_000_000 });
    expect([all.matches.length, all.more]).toEqual([40, false]);
    const one = await store.matchesAfter({ accountId: account.id, after: 0, limit: 100, bytes: 1 });
    expect([one.matches.length, one.more]).toEqual([1, true]);
  });

  it('ends a page at 5,000 matches of other sources, and goes on behind them', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    for (const part of range(6))
      await commit(...range(1_000).map((index) => eventOf(`${part} ${index}`, [rule], { source: 'push' })));
    await commit(eventOf('wanted', [rule], { source: 'wire' }));
    const query = { accountId: account.id, source: 'wire', limit: 10, bytes: 100_000 };
    const first = await store.matchesAfter({ ...query, after: 0 });
    expect([first.matches, first.more]).toEqual([[], true]);
    const rest = await store.matchesAfter({ ...query, after: first.last });
    expect([posts(rest.matches), rest.more]).toEqual([['wanted'], false]);
  });

  it('lists long matches whole, however few of them are read at once', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const wanted = range(9).map((index) => `long${index}`);
    for (const id of wanted) await commit(eventOf(id, [rule], { text: 'a'.repeat(300_000) }));
    const { matches, more } = await store.matchesAfter({ accountId: account.id, after: 0, limit: 100 });
    expect([posts(matches), more]).toEqual([wanted, false]);
    const newest = await store.matches({ accountId: account.id, limit: 9, bytes: 100_000_000 });
    expect([posts(newest.matches), newest.next]).toEqual([wanted.toReversed(), undefined]);
    const some = await store.matches({ accountId: account.id, limit: 100, bytes: 1_000_000 });
    expect(some.matches).toHaveLength(4);
  });

  it('narrows by time: from, and before', async () => {
    await using stand = await filled(2);
    const { store, account } = stand;
    const of = (query: Partial<MatchQuery>) => listed(store, { accountId: account.id, platform: 'x', ...query });
    expect(await of({ since: at(3000) })).toEqual(['x1', 'x1']);
    expect(await of({ since: at(3001) })).toEqual([]);
    expect(await of({ until: at(3000) })).toEqual(['x0', 'x0']);
    expect(await of({ until: at(3001) })).toHaveLength(4);
    expect(await of({ since: at(1000), until: at(3000) })).toEqual(['x0', 'x0']);
    expect(await of({ since: new Date(0), until: new Date(1) })).toEqual([]);
    expect(await of({ since: at(3000), until: at(1000) })).toEqual([]);
  });

  it('searches the text whatever its case, and only the text', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule], { text: 'A STRASSE in Ärger' }));
    await commit(eventOf('b', [rule], { text: 'nothing 100%_' }));
    await commit({
      event: {
        platform: 'x',
        postId: 'c',
        accountId: undefined,
        payload: { title: 'Οδυσσεύς', diff: { chunks: [{ typ: 'ins', text: 'Straße' }] }, url: 'https://link.example' },
      },
      matches: [{ ruleId: rule.id, version: 1, highlights: [] }],
    });
    const of = (text: string) => listed(store, { accountId: account.id, text });
    expect(await of('straSSe')).toEqual(['c', 'a']);
    expect(await of('äRGER')).toEqual(['a']);
    expect(await of('ΟΔΥΣΣΕΎΣ')).toEqual(['c']);
    expect(await of('%_')).toEqual(['b']);
    expect(await of('link.example')).toEqual([]);
  });

  it('searches the text as it is read: without the escapes of X, and what was added to a page', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('post', [rule], { text: 'research by AT&amp;T labs &lt;3' }));
    const pages = ruleOf(account, { platforms: { firehose: { value: 'storm', flags: {} } } });
    await store.addRule(pages, {});
    for (const [id, added] of [
      ['text', 'the harbour wall broke'],
      ['list', ['lava', 'reaches the harbour wall &amp; stops']],
    ] as const) {
      const page = eventOf(id, [pages], { platform: 'firehose', text: 'Iceland' });
      await commit({ ...page, event: { ...page.event, payload: { title: 'Iceland', added } } });
    }
    const of = (text: string) => listed(store, { accountId: account.id, text });
    expect(await of('at&t')).toEqual(['post']);
    expect(await of('<3')).toEqual(['post']);
    expect(await of('amp')).toEqual(['list']);
    expect(await of('harbour WALL')).toEqual(['list', 'text']);
    expect(await of('iceland')).toEqual(['list', 'text']);
  });

  it('pages through a text search', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(
      ...range(1000).map((index) => eventOf(`${index}`, [rule], { text: index % 100 === 0 ? 'gold' : 'sand' })),
    );
    const first = await store.matches({ accountId: account.id, text: 'gold', limit: 6 });
    expect(first.matches).toHaveLength(6);
    const second = await store.matches({ accountId: account.id, text: 'gold', limit: 6, before: first.next! });
    expect(second.matches).toHaveLength(4);
    expect(second.next).toBeUndefined();
  });

  it('finds a match by its id, for its account alone', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(...range(300).map((index) => eventOf(`${index}`, [rule])));
    const { matches } = await store.matches({ accountId: account.id, limit: 1000 });
    for (const match of matches.slice(0, 20)) expect(await store.match(account.id, match.id)).toEqual(match);
    const { id } = matches[0]!;
    expect(await store.match(other.id, id)).toBeUndefined();
    for (const wrong of [
      '',
      'match_',
      `${id}0`,
      id.replace('match', 'rule'),
      `${id.slice(0, -1)}!`,
      `match_${'z'.repeat(26)}`,
    ]) {
      expect(await store.match(account.id, wrong)).toBeUndefined();
    }
    await store.deleteRule(account.id, rule.id);
    expect(await store.match(account.id, id)).toBeUndefined();
  });

  it("shows nothing of another account's matches", async () => {
    await using stand = await filled(2);
    const { store, rule } = stand;
    const { account: other } = await addOther(store);
    expect(await listed(store, { accountId: other.id })).toEqual([]);
    expect(await listed(store, { accountId: other.id, ruleId: rule.id })).toEqual([]);
    expect((await store.matchesAfter({ accountId: other.id, after: 0, limit: 10 })).matches).toEqual([]);
    expect(await listed(store, { accountId: 'acct_none' })).toEqual([]);
  });

  it('walks over the matches of deleted rules that are still on the disk', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const doomed = ruleOf(account);
    await store.addRule(doomed, {});
    await commit(eventOf('old', [rule]));
    await commit(...range(900).map((index) => eventOf(`${index}`, [doomed])));
    await commit(eventOf('new', [rule]));
    await store.deleteRule(account.id, doomed.id);
    const page = await store.matches({ accountId: account.id, limit: 2 });
    expect(posts(page.matches)).toEqual(['new', 'old']);
    expect(page.next).toBeUndefined();
    expect(posts((await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 })).matches)).toEqual([
      'old',
      'new',
    ]);
  });

  it('answers as a plain list would, on random commits, pages and filters', async () => {
    await using store = await open();
    let accounts = 0;
    const step = fc.record({ post: fc.nat(12), rules: fc.subarray([0, 1, 2]), firehose: fc.boolean(), gap: fc.nat(3) });
    const query = fc.record({
      rule: fc.option(fc.nat(2)),
      platform: fc.constantFrom(undefined, 'x', 'firehose'),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }),
        query,
        async (commits, wanted) => {
          const account = accountNamed(`${++accounts}`);
          await store.addAccount(account);
          const rules = range(3).map(() => ruleOf(account));
          for (const rule of rules) await store.addRule(rule, {});
          const model = new Map<string, { rule: number; platform: Platform; post: string }>();
          let time = 0;
          for (const steps of commits) {
            for (const platform of ['x', 'firehose'] as const) {
              const mine = steps.filter(({ firehose }) => firehose === (platform === 'firehose'));
              time += mine[0]?.gap ?? 0;
              const events = mine.map((one) =>
                eventOf(
                  `${one.post}`,
                  one.rules.map((index) => rules[index]!),
                  { platform },
                ),
              );
              const { added } = await store.commit({ platform, at: at(time), events });
              const before = model.size;
              for (const { post, rules: matched } of mine) {
                for (const rule of matched)
                  model.set(`${rule} ${platform} ${post}`, { rule, platform, post: `${post}` });
              }
              expect(added).toBe(model.size - before);
            }
          }
          const narrowed = {
            accountId: account.id,
            ...(wanted.rule === null ? {} : { ruleId: rules[wanted.rule]!.id }),
            ...(wanted.platform === undefined ? {} : { platform: wanted.platform }),
          };
          const expected = [...model.values()].filter(
            (match) =>
              (wanted.rule === null || match.rule === wanted.rule) &&
              (wanted.platform === undefined || match.platform === wanted.platform),
          );
          const paged: StoredMatch[] = [];
          let next: number | undefined;
          do {
            const page = await store.matches({
              ...narrowed,
              limit: wanted.limit,
              ...(next === undefined ? {} : { before: next }),
            });
            paged.push(...page.matches);
            next = page.next;
          } while (next !== undefined);
          expectOrdered(paged);
          const found = paged.map(
            (match) => `${rules.findIndex(({ id }) => id === match.ruleId)} ${match.platform} ${match.platformPostId}`,
          );
          expect(found.toSorted()).toEqual(
            expected.map((match) => `${match.rule} ${match.platform} ${match.post}`).toSorted(),
          );
          const onward = await store.matchesAfter({ ...narrowed, after: 0, limit: 1000 });
          expect(onward.matches).toEqual([...paged].toReversed());
        },
      ),
      { numRuns: 25 },
    );
  });
}
