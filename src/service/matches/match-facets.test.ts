import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { SCAN_BUDGET } from '../limits.ts';

const users = [
  { id: '1', username: 'Ash' },
  { id: '2', username: 'lava' },
];
let posts = 0;
const post = (author: number, text: string, more: object = {}) => ({
  data: { id: String(++posts), text: `storm ${text}`, author_id: String(author), lang: 'en', ...more },
  includes: { users },
});
const link = (...urls: string[]) => ({ entities: { urls: urls.map((url) => ({ expanded_url: url })) } });

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const make = async (name: string, platform: string, value: string) =>
    (
      await test.call(alice, 'createRule', {
        name,
        intent: '',
        platforms: [platform],
        overrides: { [platform]: value },
      })
    ).rule_id;
  const storms = await make('Storms', 'x', 'storm');
  const rains = await make('Rains', 'x', 'rain');
  const pages = await make('Pages', 'firehose', 'title:storm');
  const push = (platform: string, ...events: object[]) =>
    test.call(alice, 'pushEvents', { platform, lines: events.map((event) => JSON.stringify(event)).join('\n') });
  await push(
    'x',
    post(1, 'one', link('https://a.example/1', 'https://www.a.example/2')),
    post(1, 'two with rain', { lang: 'de' }),
    post(2, 'three', link('https://b.example/')),
  );
  await push('firehose', { id: 'p', title: 'storm', url: 'https://news.a.example/x', language: 'en' });
  return Object.assign(test, { alice, storms, rains, pages, push });
}

const short = (facet: readonly { value: string; matches: number }[]) =>
  facet.map(({ value, matches }) => [value, matches]);

describe('match facets', () => {
  it('count what the matches of a filter have in common, the most frequent first', async () => {
    await using test = await stage();
    const { facets, ...part } = await test.call(test.alice, 'matchFacets');
    expect(part).toEqual({ counted: 5, complete: true, counted_from: null });
    expect(facets.author).toEqual([
      { value: 'ash', label: '@Ash', matches: 3 },
      { value: 'lava', label: '@lava', matches: 1 },
    ]);
    expect(short(facets.domain)).toEqual([
      ['a.example', 2],
      ['b.example', 1],
    ]);
    expect(short(facets.language)).toEqual([
      ['en', 3],
      ['de', 2],
    ]);
    expect(short(facets.platform)).toEqual([
      ['x', 4],
      ['firehose', 1],
    ]);
    expect(short(facets.source)).toEqual([['push', 5]]);
    expect(facets.rule[0]).toEqual({ value: test.storms, label: 'Storms', matches: 3 });
    expect(facets.story.every(({ value, label }) => value.startsWith('st_') && label !== '')).toBe(true);
    expect((await test.call(test.alice, 'matchFacets', { limit: 1 })).facets.author).toHaveLength(1);
  });

  it('select exactly the matches that they count, in lists and in counts', async () => {
    await using test = await stage();
    const { facets } = await test.call(test.alice, 'matchFacets', { limit: 50 });
    const FIELDS = { rule: 'rule_id', story: 'story_id' } as Record<string, string>;
    for (const [name, values] of Object.entries(facets)) {
      expect(values.length).toBeGreaterThan(0);
      for (const { value, matches } of values) {
        const filter = { [FIELDS[name] ?? name]: value };
        const listed = await test.call(test.alice, 'listMatches', filter);
        expect([name, value, listed.matches.length]).toEqual([name, value, matches]);
        const { counts, complete } = await test.call(test.alice, 'matchCounts', filter);
        expect([name, complete, counts.reduce((sum, { count }) => sum + count, 0)]).toEqual([name, true, matches]);
        expect((await test.call(test.alice, 'matchFacets', filter)).counted).toBe(matches);
      }
    }
  });

  it('call a story as List Stories does, by the match that began it', async () => {
    await using test = await stage();
    await test.push('x', post(2, 'the harbour of Eastport is closed tonight'));
    await test.push('x', post(1, 'the harbour of Eastport is closed tonight, says Ash'));
    const { stories } = await test.call(test.alice, 'listStories', {});
    const { facets } = await test.call(test.alice, 'matchFacets');
    const called = new Map(stories.map(({ id, title }) => [id, title]));
    expect(stories.some(({ size }) => size === 2)).toBe(true);
    for (const { value, label } of facets.story) expect(label).toBe(called.get(value));
  });

  it('keep to the rules of an agent, and to its own account', async () => {
    await using test = await stage();
    const grant = { scopes: ['read'] as const, ruleIds: [test.rains], tokenDigest: 'd' };
    const agent = { ...test.alice, key: { ...test.alice.key, scope: 'read' as const }, grant };
    const { facets, counted } = await test.call(agent, 'matchFacets');
    expect([counted, short(facets.rule)]).toEqual([1, [[test.rains, 1]]]);
    expect((await test.call(await test.caller('bob'), 'matchFacets')).counted).toBe(0);
    const byAuthor = await test.call(agent, 'matchCounts', { author: 'ash', rule_ids: [test.rains, test.storms] });
    expect(byAuthor.by_rule![test.storms]!.every((count) => count === 0)).toBe(true);
    expect(byAuthor.by_rule![test.rains]!.at(-1)).toBe(1);
  });

  it('say how far they counted when the budget was not enough', async () => {
    await using test = await stage();
    const { matches } = test.store;
    const asked: unknown[] = [];
    Object.assign(test.store, {
      matches: (query: Parameters<typeof matches>[0]) => {
        asked.push(query.walk);
        return matches({ ...query, limit: 2, walk: { rows: 2, bytes: query.walk!.bytes } }).then((page) => ({
          ...page,
          walked: { rows: SCAN_BUDGET.rows / 2, bytes: 1 },
        }));
      },
    });
    const { counted, complete, counted_from, facets } = await test.call(test.alice, 'matchFacets');
    expect([counted, complete]).toEqual([4, false]);
    expect(asked).toMatchObject([{ rows: 50_000 }, { rows: 25_000 }]);
    expect(Date.parse(counted_from!)).toBeLessThanOrEqual(Date.now());
    expect(facets.platform.reduce((sum, one) => sum + one.matches, 0)).toBe(4);
    const minutes = await test.call(test.alice, 'matchCounts', { source: 'push', interval: 'minute' });
    // The interval in which the budget ended was not counted as a whole.
    expect(minutes.complete).toBe(false);
    expect(minutes.counts.length).toBeLessThan(3);
    for (const { at } of minutes.counts) expect(Date.parse(at)).toBeGreaterThan(Date.parse(minutes.counted_from!));
  });
});

describe('rule overlap', () => {
  it('counts the events that rules have in common', async () => {
    await using test = await stage();
    const { rules, pairs, ...part } = await test.call(test.alice, 'ruleOverlap');
    expect(part).toEqual({ counted: 5, complete: true, counted_from: null });
    expect(rules).toEqual([
      { rule_id: test.storms, matches: 3 },
      expect.objectContaining({ matches: 1 }),
      expect.objectContaining({ matches: 1 }),
    ]);
    expect(pairs).toEqual([{ a: test.storms, b: test.rains, shared: 1 }]);
  });

  it('lists the pairs that share most first, each once, and leaves out those that share nothing', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const ids: Record<string, string> = {};
    for (const word of ['storm', 'rain', 'sea', 'ash'])
      ids[word] = (
        await test.call(alice, 'createRule', { name: word, intent: '', platforms: ['x'], overrides: { x: word } })
      ).rule_id;
    await test.post(alice, 'storm rain', 'rain storm sea', 'sea rain', 'rain sea again', 'ash');
    const { rules, pairs } = await test.call(alice, 'ruleOverlap');
    const wordOf = (id: string) => Object.keys(ids).find((word) => ids[word] === id)!;
    expect(rules.slice(0, 2).map(({ rule_id, matches }) => [wordOf(rule_id), matches])).toEqual([
      ['rain', 4],
      ['sea', 3],
    ]);
    expect(pairs.map(({ a, b, shared }) => [[wordOf(a), wordOf(b)].toSorted().join(' '), shared])).toEqual([
      ['rain sea', 3],
      ['rain storm', 2],
      ['sea storm', 1],
    ]);
    expect(pairs.map(({ a }) => wordOf(a))).toEqual(['rain', 'rain', 'sea']);
  });

  it('keeps to the rules and the time that were asked for', async () => {
    await using test = await stage();
    const rule_ids = [test.pages, test.rains];
    expect(await test.call(test.alice, 'ruleOverlap', { rule_ids })).toMatchObject({ counted: 2, pairs: [] });
    const past = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
    expect(await test.call(test.alice, 'ruleOverlap', { ...past, rule_ids })).toMatchObject({
      counted: 0,
      rules: rule_ids.map((rule_id) => ({ rule_id, matches: 0 })),
    });
    const bob = await test.caller('bob');
    await expect(test.call(bob, 'ruleOverlap', { rule_ids })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('counts a rule that is named twice once, and does not pair it with itself', async () => {
    await using test = await stage();
    const overlap = (...rule_ids: string[]) => test.call(test.alice, 'ruleOverlap', { rule_ids });
    const { storms, rains } = test;
    expect(await overlap(storms, storms)).toEqual({
      rules: [{ rule_id: storms, matches: 3 }],
      pairs: [],
      counted: 3,
      complete: true,
      counted_from: null,
    });
    expect(await overlap(storms, rains, storms)).toEqual(await overlap(storms, rains));
  });
});
