import { expect, it } from 'vitest';
import type { StoredMatch } from '../../../src/domain/match.ts';
import { createStoryBook } from '../../../src/signal/stories.ts';
import {
  askedWordsIn,
  comparedEvent,
  originOf,
  storyEventOf,
  storyTextOf,
  wordPlaces,
} from '../../../src/signal/story-text.ts';
import { eventKey } from '../../../src/store/order.ts';
import type { Store, StoryQuery } from '../../../src/store/store.ts';
import { addOther, at, DAY, eventOf, type Open, range, removeAll, ruleOf, stage, testClock } from './stage.ts';

export const FIRE = [
  'Fire at Northline harbour warehouse, two hurt',
  'Northline harbour: warehouse fire injures two',
  'Two hurt as fire burns Northline warehouse at the harbour',
];
export const VOTE = ['Council votes on new bicycle lanes tonight', 'Bicycle lanes: council votes tonight'];

/** All matches of an account in the order in which they were stored. */
export async function inOrder(store: Store, accountId: string): Promise<StoredMatch[]> {
  const matches: StoredMatch[] = [];
  for (let after = 0; ; ) {
    const page = await store.matchesAfter({ accountId, after, limit: 1_000 });
    matches.push(...page.matches);
    if (!page.more) return matches;
    after = page.last;
  }
}

/** The stories are those of one book that is told everything in the order of positions. */
export function expectOneBook(matches: readonly StoredMatch[]): void {
  const book = createStoryBook();
  const ids = new Map<number, string>();
  const rules = [...new Set(matches.map(({ ruleId }) => ruleId))];
  for (const [, own] of Map.groupBy(matches, ({ platform, platformPostId }) => `${platform} ${platformPostId}`)) {
    const { platform, platformPostId, payload, createdAt, position, ruleId, source, storyId, storyFirst } = own[0]!;
    const now = createdAt.getTime();
    const text = storyTextOf(platform, payload, { postId: platformPostId });
    const origin = originOf(source ?? '', rules.indexOf(ruleId));
    const told = comparedEvent(platform, text);
    const asked = own.flatMap(({ highlights }) => askedWordsIn(payload)(highlights ?? []));
    const event = storyEventOf(told, now, wordPlaces(asked, told.words), origin);
    const chosen = book.choose(event, now).number;
    const number = chosen ?? position;
    if (chosen === undefined) ids.set(number, storyId!);
    book.put(number, event, now);
    expect([storyId, storyFirst, platformPostId]).toEqual([ids.get(number), chosen === undefined, platformPostId]);
    for (const match of own.slice(1)) expect([match.storyId, match.storyFirst]).toEqual([storyId, false]);
  }
}

export function storyCases(open: Open): void {
  /** Two stories on two platforms, by two rules. */
  async function told() {
    const clock = testClock();
    const stand = await stage(open, { clock });
    const { store, account, rule, commit } = stand;
    const both = ruleOf(account, { platforms: { x: { value: 'a', flags: {} }, firehose: { value: 'a', flags: {} } } });
    await store.addRule(both, {});
    await commit(eventOf('1', [rule, both], { text: FIRE[0]!, source: 'jetstream' }));
    await commit(eventOf('2', [rule], { text: VOTE[0]! }));
    await commit(eventOf('3', [both], { text: FIRE[1]!, platform: 'firehose', source: 'push' }));
    await commit(eventOf('4', [rule], { text: VOTE[1]!, source: 'push' }), eventOf('5', [both], { text: FIRE[2]! }));
    const stories = async (query: Partial<StoryQuery> = {}) =>
      (await store.stories({ accountId: account.id, limit: 10, ...query })).stories;
    return { ...stand, both, stories, clock };
  }

  it('are shared by what tells the same, on any platform and by any rule', async () => {
    await using stand = await told();
    const matches = await inOrder(stand.store, stand.account.id);
    expectOneBook(matches);
    const [fire, , vote] = matches.map(({ storyId }) => storyId);
    expect(matches.map(({ storyId }) => storyId)).toEqual([fire, fire, vote, fire, vote, fire]);
    expect(matches.map(({ storyFirst }) => storyFirst)).toEqual([true, false, true, false, false, false]);
  });

  it('have a first match, a size, and what told them; the one joined last comes first', async () => {
    await using stand = await told();
    const { rule, both, stories } = stand;
    const [fire, vote, ...others] = await stories();
    expect(others).toEqual([]);
    expect(fire).toMatchObject({ size: 4, lastAt: at(4_000), platforms: ['firehose', 'x'] });
    expect(fire!.sources).toEqual(['jetstream', 'push']);
    expect(fire!.ruleIds).toEqual([rule.id, both.id].toSorted());
    expect(fire!.first).toMatchObject({ platformPostId: '1', ruleId: rule.id, storyId: fire!.id, storyFirst: true });
    expect(vote).toMatchObject({ size: 2, lastAt: at(4_000), platforms: ['x'], sources: ['push'], ruleIds: [rule.id] });
    expect(vote!.first.platformPostId).toBe('2');
    expect(fire!.id < vote!.id).toBe(true);
  });

  it('are found by rule, platform and time, and told as the caller may see them', async () => {
    await using stand = await told();
    const { rule, both, stories } = stand;
    const firsts = async (query: Partial<StoryQuery>) =>
      (await stories(query)).map(({ first, size }) => `${first.platformPostId} of ${size}`);
    expect(await firsts({ ruleId: rule.id })).toEqual(['2 of 2', '1 of 4']);
    expect(await firsts({ ruleId: both.id })).toEqual(['1 of 4']);
    expect(await firsts({ platform: 'firehose' })).toEqual(['3 of 4']);
    expect(await firsts({ ruleId: rule.id, platform: 'firehose' })).toEqual([]);
    expect(await firsts({ ruleIds: [both.id] })).toEqual(['1 of 3']);
    expect(await firsts({ ruleIds: [] })).toEqual([]);
    expect(await firsts({ since: at(4_000) })).toEqual(['1 of 4', '2 of 2']);
    expect(await firsts({ until: at(4_000) })).toEqual([]);
    expect(await firsts({ platform: 'firehose', until: at(4_000) })).toEqual(['3 of 4']);
    expect(await firsts({ ruleId: 'rule_none' })).toEqual([]);
  });

  it('list their matches, newest first, and those of one rule', async () => {
    await using stand = await told();
    const { store, account, both, stories } = stand;
    const [fire] = await stories();
    const postsOf = async (query: object) =>
      (await store.matches({ accountId: account.id, limit: 10, ...query })).matches.map((one) => one.platformPostId);
    expect(await postsOf({ storyId: fire!.id })).toEqual(['5', '3', '1', '1']);
    expect(await postsOf({ storyId: fire!.id, ruleId: both.id })).toEqual(['5', '3', '1']);
    expect(await postsOf({ storyId: fire!.id, platform: 'firehose' })).toEqual(['3']);
    for (const storyId of ['st_', 'st_0000000000000', 'st_01k3zqb2v4zzz', `${fire!.id}0`, 'match_1'])
      expect(await postsOf({ storyId })).toEqual([]);
  });

  it('are found beside the matches of one event', async () => {
    await using stand = await told();
    const { store, account, rule, both } = stand;
    const of = async (query: object) =>
      (await store.matches({ accountId: account.id, limit: 10, ...query })).matches.map((one) => one.ruleId);
    const key = eventKey('x', '1');
    expect(await of({ eventKey: key })).toEqual([both.id, rule.id]);
    expect(await of({ eventKey: key, ruleId: rule.id })).toEqual([rule.id]);
    expect(await of({ eventKey: key, limit: 1 })).toEqual([both.id]);
    expect(await of({ eventKey: key, platform: 'firehose' })).toEqual([]);
    expect(await of({ eventKey: eventKey('firehose', '1') })).toEqual([]);
    const [match] = await inOrder(store, account.id);
    expect(await of({ eventKey: key, storyId: match!.storyId })).toEqual([both.id, rule.id]);
    expect(await of({ eventKey: key, storyId: 'st_' })).toEqual([]);
    const other = await addOther(store);
    expect((await store.matches({ accountId: other.account.id, eventKey: key, limit: 10 })).matches).toEqual([]);
  });

  it('come in pages, each once', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(
      ...range(25).map((index) => eventOf(`a${index}`, [rule], { text: `alpha${index} beta${index} gamma${index}` })),
    );
    await commit(
      ...range(9).map((index) => eventOf(`b${index}`, [rule], { text: `alpha${index} beta${index} gamma${index}` })),
    );
    const found: string[] = [];
    let before: number | undefined;
    do {
      const query = { accountId: account.id, limit: 4, ...(before !== undefined && { before }) };
      const page = await store.stories(query);
      found.push(...page.stories.map(({ first, size }) => `${first.platformPostId} ${size}`));
      before = page.next;
    } while (before !== undefined);
    const ofTwo = range(9).map((index) => `a${index} 2`);
    const ofOne = range(16).map((index) => `a${index + 9} 1`);
    expect(found).toEqual([...ofTwo.toReversed(), ...ofOne.toReversed()]);
    const small = await store.stories({ accountId: account.id, limit: 25, bytes: 1 });
    expect([small.stories.length, small.next]).toEqual([1, expect.any(Number)]);
  });

  it('belong to an account', async () => {
    await using stand = await told();
    const { store, rule, stories } = stand;
    const other = await addOther(store);
    await stand.commit(eventOf('6', [rule, other.rule], { text: FIRE[1]! }));
    const [own] = (await store.stories({ accountId: other.account.id, limit: 10 })).stories;
    const [fire] = await stories();
    expect([own!.size, own!.first.platformPostId, fire!.size]).toEqual([1, '6', 5]);
    expect(own!.id).not.toBe(fire!.id);
    const foreign = { accountId: other.account.id, storyId: fire!.id, limit: 10 };
    expect((await store.matches(foreign)).matches).toEqual([]);
    expect(await store.stories({ accountId: other.account.id, ruleId: rule.id, limit: 10 })).toMatchObject({
      stories: [],
    });
  });

  it('stay as they are when events come again, and take a new rule’s match of a known event', async () => {
    await using stand = await told();
    const { store, account, rule, both, stories, commit } = stand;
    const before = await inOrder(store, account.id);
    await commit(eventOf('1', [rule, both], { text: FIRE[0]! }), eventOf('2', [rule], { text: VOTE[0]! }));
    expect(await inOrder(store, account.id)).toEqual(before);
    await commit(eventOf('2', [both], { text: VOTE[0]!, source: 'push' }));
    const [vote] = await stories();
    expect(vote).toMatchObject({ size: 3, first: { platformPostId: '2' } });
  });

  it('keep an edit with the version before, however long ago that was told', async () => {
    await using stand = await told();
    const { store, account, rule } = stand;
    await store.commit({
      platform: 'x',
      at: at(3 * DAY),
      events: [eventOf('2b', [rule], { text: 'Something else altogether, corrected', earlier: ['2'] })],
    });
    const matches = await inOrder(store, account.id);
    expect(matches.at(-1)).toMatchObject({ storyId: matches[2]!.storyId, storyFirst: false, editOf: matches[2]!.id });
  });

  it('have another first match, and fewer, when one is erased, and go with the last', async () => {
    await using stand = await told();
    const { store, account, rule, stories } = stand;
    await store.deleteMatches(account.id, 'x', '1');
    const [fire] = await stories({ platform: 'firehose' });
    expect(fire).toMatchObject({ size: 2, sources: ['push'], first: { platformPostId: '3', storyFirst: true } });
    expect(fire!.ruleIds).not.toContain(rule.id);
    await store.deleteMatches(account.id, 'x', '5');
    expect(await stories({ platform: 'firehose' })).toMatchObject([
      { size: 1, lastAt: at(3_000), platforms: ['firehose'] },
    ]);
    await store.deleteMatches(account.id, 'firehose', '3');
    expect(await stories()).toMatchObject([{ size: 2, first: { platformPostId: '2' } }]);
    await store.eraseEverywhere('x', '4');
    expect(await stories()).toMatchObject([{ size: 1, lastAt: at(2_000) }]);
    await store.eraseAnnounced('x', ['2']);
    expect(await stories()).toEqual([]);
    // An erased match is still known to have been told: one that tells it again joins it.
    await stand.commit(eventOf('9', [rule], { text: FIRE[1]! }));
    expect(await stories()).toMatchObject([
      { id: fire!.id, size: 1, first: { platformPostId: '9', storyFirst: true } },
    ]);
  });

  it('begin and end with what is left of each rule’s part', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    for (const index of range(4)) await commit(eventOf(`${index}`, [rule], { text: FIRE[index % 3]! }));
    const found = async () => {
      const [story] = (await store.stories({ accountId: account.id, limit: 10 })).stories;
      return [story!.size, story!.first.platformPostId, story!.lastAt];
    };
    expect(await found()).toEqual([4, '0', at(4_000)]);
    await store.deleteMatches(account.id, 'x', '1');
    expect(await found()).toEqual([3, '0', at(4_000)]);
    await store.deleteMatches(account.id, 'x', '3');
    expect(await found()).toEqual([2, '0', at(3_000)]);
    await store.deleteMatches(account.id, 'x', '0');
    expect(await found()).toEqual([1, '2', at(3_000)]);
  });

  it('forget a deleted rule at once', async () => {
    await using stand = await told();
    const { store, account, rule, both, stories } = stand;
    await store.deleteRule(account.id, rule.id);
    for (const round of ['at once', 'when it has left the disk']) {
      const found = await stories();
      expect(found, round).toMatchObject([
        { size: 3, ruleIds: [both.id], first: { ruleId: both.id, storyFirst: true } },
      ]);
      await removeAll(store, at(10_000));
    }
  });

  it('lose what is past retention, and go with the last of it', async () => {
    await using stand = await told();
    const { store, rule, both, stories, clock } = stand;
    for (const hour of range(30))
      await store.commit({
        platform: 'x',
        at: at((hour + 1) * 3_600_000),
        events: [eventOf(`h${hour}`, hour % 2 === 0 ? [rule, both] : [both], { text: FIRE[hour % 3]! })],
      });
    expect((await stories())[0]).toMatchObject({ size: 4 + 45, first: { platformPostId: '1' } });
    clock.at = at(30 * DAY + 10.5 * 3_600_000).getTime();
    await removeAll(store, new Date(clock.at));
    expect(await stories()).toMatchObject([
      { size: 30, first: { platformPostId: 'h10', ruleId: rule.id, storyFirst: true }, platforms: ['x'], sources: [] },
    ]);
    await removeAll(store, at(62 * DAY));
    expect(await stories()).toEqual([]);
  });

  it('lose a post that is erased after its retention once', async () => {
    const clock = testClock();
    await using stand = await stage(open, { retentionDays: 2, clock });
    const { store, account, rule } = stand;
    for (const hour of range(3)) {
      const event = eventOf(`${hour}`, [rule], { text: FIRE[hour]! });
      await store.commit({ platform: 'x', at: at(hour * 3_600_000), events: [event] });
    }
    // The day of the first one has not ended: PostgreSQL has its row still.
    clock.at = at(2 * DAY + 1_800_000).getTime();
    await removeAll(store, clock.now());
    await store.deleteMatches(account.id, 'x', '0');
    const stories = async () => (await store.stories({ accountId: account.id, limit: 10 })).stories;
    expect(await stories()).toMatchObject([{ size: 2, first: { platformPostId: '1' } }]);
    await store.deleteMatches(account.id, 'x', '1');
    expect(await stories()).toMatchObject([{ size: 1, first: { platformPostId: '2' } }]);
  });
}
