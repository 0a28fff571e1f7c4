/** What every store must do, whatever database it stands on. A store's own test calls this with a way to open one. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { Account, Key } from '../../src/domain/account.ts';
import type { Match } from '../../src/domain/match.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Rule } from '../../src/domain/rule.ts';
import type { CommitEvent, MatchQuery, NewRule, Store, StoreOptions } from '../../src/store/store.ts';

type Open = (options?: StoreOptions) => Promise<Store>;

const START = Date.parse('2026-11-15T08:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A clock that the test moves. */
function testClock(): Clock & { at: number } {
  const clock = { at: START, now: () => new Date(clock.at), sleep: async () => {} };
  return clock;
}

const at = (milliseconds: number): Date => new Date(START + milliseconds);

function accountNamed(name: string): Account {
  return { id: newId('acct', at(0)), name, plan: 'paid', xRules: 25, createdAt: at(0) };
}

function ruleOf(account: Account, change: Partial<NewRule> = {}): NewRule {
  const platforms = { x: { value: 'storm', flags: {} } };
  return {
    id: newId('rule', at(0)),
    accountId: account.id,
    name: 'Storms',
    intent: '',
    createdAt: at(0),
    platforms,
    ...change,
  };
}

interface EventOptions {
  readonly platform?: Platform;
  readonly accountId?: string;
  readonly text?: string;
  readonly version?: number;
}

function eventOf(postId: string, rules: readonly { id: string }[], options: EventOptions = {}): CommitEvent {
  const { platform = 'x', accountId, text = `post ${postId}`, version = 1 } = options;
  return {
    event: { platform, postId, payload: { data: { id: postId, text } }, accountId },
    matches: rules.map(({ id }) => ({ ruleId: id, version, highlights: [{ field: 'data.text', start: 0, end: 4 }] })),
  };
}

/** A store with an account and its rule. */
async function stage(open: Open, options?: StoreOptions) {
  const store = await open(options);
  const account = accountNamed('one');
  await store.addAccount(account);
  const rule = ruleOf(account);
  await store.addRule(rule, {});
  let time = 0;
  const commit = (...events: CommitEvent[]) =>
    store.commit({ platform: events[0]?.event.platform ?? 'x', at: at(++time * 1000), events });
  return { store, account, rule, commit, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

async function addOther(store: Store): Promise<{ account: Account; rule: NewRule }> {
  const account = accountNamed('other');
  await store.addAccount(account);
  const rule = ruleOf(account);
  await store.addRule(rule, {});
  return { account, rule };
}

async function collect<T>(slices: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const slice of slices) all.push(...slice);
  return all;
}

const posts = (matches: readonly Match[]): string[] => matches.map(({ platformPostId }) => platformPostId);

async function listed(store: Store, query: Omit<MatchQuery, 'limit'>): Promise<string[]> {
  return posts((await store.matches({ ...query, limit: 1000 })).matches);
}

async function removeAll(store: Store, now: Date): Promise<number> {
  let slices = 1;
  while ((await store.removeSlice(now)).more) slices++;
  return slices;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export function storeConformance(name: string, open: Open): void {
  describe(`store: ${name}`, () => {
    describe('accounts and keys', () => {
      accountCases(open);
    });
    describe('rules', () => {
      ruleCases(open);
    });
    describe('repeated requests', () => {
      answerCases(open);
    });
    describe('commits', () => {
      commitCases(open);
    });
    describe('lists of matches', () => {
      listCases(open);
    });
    describe('charts', () => {
      chartCases(open);
    });
    describe('recent events', () => {
      recentCases(open);
    });
    describe('removal', () => {
      removalCases(open);
    });
    describe('strings', () => {
      stringCases(open);
    });
  });
}

function accountCases(open: Open): void {
  it('finds an account by id and by name', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    expect(await store.account(account.id)).toEqual(account);
    expect(await store.account('one')).toEqual(account);
    expect(await store.account('two')).toBeUndefined();
    expect(await store.accounts()).toEqual([account]);
  });

  it('refuses a second account of the same name', async () => {
    await using store = await open();
    await store.addAccount(accountNamed('one'));
    await expect(store.addAccount(accountNamed('one'))).rejects.toMatchObject({
      name: 'StoreError',
      reason: 'exists',
      retryable: false,
    });
    expect(await store.accounts()).toHaveLength(1);
  });

  it('changes what is given and nothing else', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    expect(await store.changeAccount(account.id, { xRules: 100 })).toBe(true);
    expect(await store.account('one')).toEqual({ ...account, xRules: 100 });
    expect(await store.changeAccount(account.id, { plan: 'free' })).toBe(true);
    expect(await store.account('one')).toEqual({ ...account, xRules: 100, plan: 'free' });
    expect(await store.changeAccount('acct_none', { plan: 'free' })).toBe(false);
  });

  const digest = (secret: string): Uint8Array => createHash('sha256').update(secret).digest();
  const keyOf = (account: Account, change: Partial<Key> = {}): Key => ({
    id: newId('key', at(0)),
    accountId: account.id,
    name: 'laptop',
    scope: 'full',
    lastFour: 'abcd',
    createdAt: at(0),
    lastUsedAt: undefined,
    expiresAt: undefined,
    ...change,
  });

  it('finds a key by its digest until it is revoked', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const key = keyOf(account, { expiresAt: at(DAY), scope: 'read' });
    await store.addKey(key, digest('secret'));
    expect(await store.keyByDigest(digest('secret'))).toEqual(key);
    expect(await store.keyByDigest(digest('Secret'))).toBeUndefined();
    await store.touchKey(key.id, at(5));
    expect(await store.keys(account.id)).toEqual([{ ...key, lastUsedAt: at(5) }]);
    expect(await store.revokeKey(account.id, key.id)).toBe(true);
    expect(await store.keyByDigest(digest('secret'))).toBeUndefined();
    expect(await store.revokeKey(account.id, key.id)).toBe(false);
    expect(await store.keys(account.id)).toEqual([]);
  });

  it("neither lists nor revokes another account's keys", async () => {
    await using store = await open();
    const [one, other] = [accountNamed('one'), accountNamed('other')];
    await store.addAccount(one);
    await store.addAccount(other);
    const key = keyOf(one);
    await store.addKey(key, digest('secret'));
    expect(await store.keys(other.id)).toEqual([]);
    expect(await store.revokeKey(other.id, key.id)).toBe(false);
    expect(await store.keyByDigest(digest('secret'))).toEqual(key);
  });
}

function ruleCases(open: Open): void {
  it('gives a rule back as it was added, pending', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const rule = ruleOf(account, {
      intent: 'Weather',
      platforms: { x: { value: 'storm', flags: {} }, firehose: { value: 'added:storm', flags: { nsfw: true } } },
    });
    expect(await store.addRule(rule, {})).toBe('added');
    const fresh = {
      status: 'pending',
      error: undefined,
      platformRuleId: undefined,
      matchCount: 0,
      lastMatchAt: undefined,
    };
    const expected = {
      ...rule,
      version: 1,
      paused: false,
      platforms: { x: { ...rule.platforms.x, ...fresh }, firehose: { ...rule.platforms.firehose, ...fresh } },
    };
    expect(await store.rule(account.id, rule.id)).toEqual(expected);
    expect(await collect(store.rules(account.id))).toEqual([expected]);
    expect(await collect(store.everyRule())).toEqual([expected]);
    expect(await store.countRules(account.id)).toEqual({ x: 1, firehose: 1 });
  });

  it('keeps to the limit of a platform, and counts what goes', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const both = { x: { value: 'a', flags: {} }, firehose: { value: 'a', flags: {} } };
    const first = ruleOf(account, { platforms: both });
    expect(await store.addRule(first, { x: 2 })).toBe('added');
    expect(await store.addRule(ruleOf(account), { x: 2 })).toBe('added');
    expect(await store.addRule(ruleOf(account, { platforms: both }), { x: 2 })).toEqual({ overLimit: 'x', used: 2 });
    expect(await store.addRule(ruleOf(account, { platforms: { firehose: both.firehose } }), { x: 2 })).toBe('added');
    expect(await store.countRules(account.id)).toEqual({ x: 2, firehose: 2 });
    await store.deleteRule(account.id, first.id);
    expect(await store.countRules(account.id)).toEqual({ x: 1, firehose: 1 });
    expect(await store.addRule(ruleOf(account), { x: 2 })).toBe('added');
  });

  it('lists thousands of rules, oldest first, in slices', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const other = await addOther(store);
    const rules = range(1203).map((index) => ruleOf(account, { name: `rule ${index}` }));
    for (const rule of rules) await store.addRule(rule, {});
    const slices: Rule[][] = [];
    for await (const slice of store.rules(account.id)) slices.push(slice);
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.flat().map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
    expect(await collect(store.everyRule())).toHaveLength(1204);
    expect(await collect(store.rules(other.account.id))).toHaveLength(1);
  });

  it('keeps what an upstream answered', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const on = async () => (await store.rule(account.id, rule.id))!.platforms.x!;
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '42' });
    expect(await on()).toMatchObject({ status: 'active', platformRuleId: '42', error: undefined });
    await store.setRuleStatus(rule.id, 'x', { status: 'failed', error: 'dropped' });
    expect(await on()).toMatchObject({ status: 'failed', platformRuleId: '42', error: 'dropped' });
    await store.setRuleStatus(rule.id, 'x', { status: 'active' });
    expect(await on()).toMatchObject({ status: 'active', platformRuleId: '42', error: undefined });
  });

  it('raises the version with a text and only with a text', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    expect(await store.changeRule(account.id, rule.id, { name: 'New', intent: 'Why', paused: true })).toBe(true);
    expect(await store.rule(account.id, rule.id)).toMatchObject({
      name: 'New',
      intent: 'Why',
      paused: true,
      version: 1,
    });
    const text = { value: 'hail', flags: {} };
    expect(await store.changeRule(account.id, rule.id, { platforms: { x: text }, paused: false })).toBe(true);
    const changed = await store.rule(account.id, rule.id);
    expect(changed).toMatchObject({ name: 'New', paused: false, version: 2, platforms: { x: text } });
    expect(await store.countRules(account.id)).toEqual({ x: 1 });
  });

  it("neither shows, changes nor deletes another account's rule", async () => {
    await using stand = await stage(open);
    const { store, rule } = stand;
    const { account: other } = await addOther(store);
    expect(await store.rule(other.id, rule.id)).toBeUndefined();
    expect(await store.changeRule(other.id, rule.id, { name: 'Mine' })).toBe(false);
    expect(await store.deleteRule(other.id, rule.id)).toBe(false);
    expect(await store.rule(stand.account.id, rule.id)).toMatchObject({ name: 'Storms' });
  });

  it('hides a deleted rule everywhere at once', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    expect(await store.deleteRule(account.id, rule.id)).toBe(true);
    expect(await store.deleteRule(account.id, rule.id)).toBe(false);
    expect(await store.rule(account.id, rule.id)).toBeUndefined();
    expect(await store.changeRule(account.id, rule.id, { name: 'Back' })).toBe(false);
    expect(await collect(store.rules(account.id))).toEqual([]);
    expect(await collect(store.everyRule())).toEqual([]);
    expect(await store.countHolders('x', 'storm', {})).toBe(0);
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await listed(store, { accountId: account.id, ruleId: rule.id })).toEqual([]);
  });

  it('counts the holders of a text over all accounts, flags included', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await addOther(store);
    const firehose = (flags: object) => ruleOf(account, { platforms: { firehose: { value: 'storm', flags } } });
    await store.addRule(firehose({ quality: true, nsfw: false }), {});
    await store.addRule(firehose({ nsfw: false, quality: true }), {});
    await store.addRule(firehose({}), {});
    expect(await store.countHolders('x', 'storm', {})).toBe(2);
    expect(await store.countHolders('x', 'Storm', {})).toBe(0);
    expect(await store.countHolders('firehose', 'storm', { nsfw: false, quality: true })).toBe(2);
    expect(await store.countHolders('firehose', 'storm', {})).toBe(1);
    await store.changeRule(account.id, rule.id, { platforms: { x: { value: 'hail', flags: {} } } });
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
  });
}

function answerCases(open: Open): void {
  it('remembers an answer for a day, for its account alone', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock });
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    await store.remember(account.id, 'k', 'digest', { rule_id: 'r', list: [1, null] });
    const kept = { bodyDigest: 'digest', answer: { rule_id: 'r', list: [1, null] } };
    expect(await store.remembered(account.id, 'k')).toEqual(kept);
    expect(await store.remembered(account.id, 'K')).toBeUndefined();
    expect(await store.remembered(other.id, 'k')).toBeUndefined();
    clock.at += DAY - 1;
    await removeAll(store, clock.now());
    expect(await store.remembered(account.id, 'k')).toEqual(kept);
    clock.at += 1;
    expect(await store.remembered(account.id, 'k')).toBeUndefined();
    await removeAll(store, clock.now());
    clock.at -= 1;
    expect(await store.remembered(account.id, 'k')).toBeUndefined();
  });

  it('lets a later answer take the place of an earlier one', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    await store.remember(account.id, 'k', 'one', { begun: true });
    await store.remember(account.id, 'k', 'two', { done: true });
    expect(await store.remembered(account.id, 'k')).toEqual({ bodyDigest: 'two', answer: { done: true } });
  });
}

function commitCases(open: Open): void {
  it('commits a match once, however often its event arrives', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    expect(await commit(eventOf('a', [rule]))).toMatchObject({ added: 1, addedByEvent: [1] });
    expect(await commit(eventOf('a', [rule]), eventOf('b', [rule]), eventOf('b', [rule]))).toMatchObject({
      added: 1,
      addedByEvent: [0, 1, 0],
    });
    expect(await listed(store, { accountId: account.id })).toEqual(['b', 'a']);
    const { matchCount, lastMatchAt } = (await store.rule(account.id, rule.id))!.platforms.x!;
    expect({ matchCount, lastMatchAt }).toEqual({ matchCount: 2, lastMatchAt: at(2000) });
  });

  it('gives a match back whole', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const event = eventOf('a', [rule]);
    await commit(event);
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match).toEqual({
      id: expect.stringMatching(/^match_[0-9a-z]{26}$/),
      createdAt: at(1000),
      platform: 'x',
      platformPostId: 'a',
      ruleId: rule.id,
      ruleName: 'Storms',
      ruleVersion: 1,
      payload: event.event.payload,
      highlights: event.matches[0]!.highlights,
    });
    expect(await store.match(account.id, match!.id)).toEqual(match);
  });

  it('stores one match for each of fifty rules', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const rules = range(50).map(() => ruleOf(account));
    for (const rule of rules) await store.addRule(rule, {});
    expect(await commit(eventOf('a', rules))).toMatchObject({ added: 50 });
    expect(await commit(eventOf('a', rules))).toMatchObject({ added: 0 });
    expect(await listed(store, { accountId: account.id })).toHaveLength(50);
  });

  it('holds a rule to one match of a post that comes both pushed and from a stream', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: otherAccount, rule: otherRule } = await addOther(store);
    const pushed = eventOf('a', [rule], { accountId: account.id, text: 'pushed' });
    const shared = eventOf('a', [rule, otherRule], { text: 'shared' });
    expect(await commit(pushed, shared, pushed)).toMatchObject({ addedByEvent: [1, 1, 0] });
    expect(await commit(shared, pushed)).toMatchObject({ added: 0 });
    const texts = async (accountId: string) => {
      const { matches } = await store.matches({ accountId, limit: 10 });
      return matches.map(({ payload }) => (payload['data'] as { text: string }).text);
    };
    expect(await texts(account.id)).toEqual(['pushed']);
    expect(await texts(otherAccount.id)).toEqual(['shared']);
  });

  it("never matches another account's pushed event", async () => {
    await using stand = await stage(open);
    const { store, rule, commit } = stand;
    const { account: other } = await addOther(store);
    expect(await commit(eventOf('a', [rule], { accountId: other.id }))).toMatchObject({ added: 0 });
  });

  it.each([
    ['deleted', (store: Store, rule: NewRule) => store.deleteRule(rule.accountId, rule.id)],
    ['paused', (store: Store, rule: NewRule) => store.changeRule(rule.accountId, rule.id, { paused: true })],
    [
      'changed',
      (store: Store, rule: NewRule) =>
        store.changeRule(rule.accountId, rule.id, { platforms: { x: { value: 'b', flags: {} } } }),
    ],
  ] as const)('stores nothing of a rule that was %s meanwhile', async (_, change) => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await change(store, rule);
    expect(await commit(eventOf('a', [rule, kept]))).toMatchObject({ added: 1 });
    expect((await store.matches({ accountId: account.id, limit: 10 })).matches.map(({ ruleId }) => ruleId)).toEqual([
      kept.id,
    ]);
  });

  it('says which version of a rule a match came from', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    await store.changeRule(account.id, rule.id, { name: 'Hail', platforms: { x: { value: 'hail', flags: {} } } });
    await commit(eventOf('b', [rule], { version: 2 }));
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    expect(matches.map(({ ruleVersion, ruleName }) => [ruleVersion, ruleName])).toEqual([
      [2, 'Hail'],
      [1, 'Hail'],
    ]);
  });

  it('keeps the cursor of each platform, and none before the first', async () => {
    await using store = await open();
    expect(await store.cursor('x')).toBeUndefined();
    await store.commit({ platform: 'x', at: at(0), events: [], cursor: 'c1' });
    await store.commit({ platform: 'firehose', at: at(0), events: [], cursor: '0-1' });
    await store.commit({ platform: 'x', at: at(0), events: [] });
    expect([await store.cursor('x'), await store.cursor('firehose')]).toEqual(['c1', '0-1']);
  });

  it('leaves nothing behind when a commit fails', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const broken = {
      ...eventOf('b', [rule], { accountId: account.id }),
      matches: [{ ruleId: rule.id, version: 1, highlights: [1n] }],
    };
    const events = [eventOf('a', [rule]), broken as unknown as CommitEvent];
    await expect(store.commit({ platform: 'x', at: at(0), events, cursor: 'c1' })).rejects.toThrow(TypeError);
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await store.cursor('x')).toBeUndefined();
    expect((await store.rule(account.id, rule.id))!.platforms.x!.matchCount).toBe(0);
    expect(await store.commit({ platform: 'x', at: at(0), events: [eventOf('a', [rule])] })).toMatchObject({
      added: 1,
    });
  });

  it('takes more matches in a commit than a millisecond has places for', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const first = await commit(...range(5000).map((index) => eventOf(`${index}`, [rule])));
    expect(first.added).toBe(5000);
    await commit(eventOf('last', [rule]));
    const newest = (await store.matches({ accountId: account.id, limit: 1000 })).matches;
    expect(posts(newest)[0]).toBe('last');
    expectOrdered(newest);
  });

  it('keeps the order when the clock is set back', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const times = [5000, 5000, 1000, -3_600_000, 6000];
    for (const [index, time] of times.entries()) {
      await store.commit({ platform: 'x', at: at(time), events: [eventOf(`${index}`, [rule])] });
    }
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    expect(posts(matches)).toEqual(['4', '3', '2', '1', '0']);
    expectOrdered(matches);
  });
}

/** Newest first by creation time, then id, each pair once. */
function expectOrdered(matches: readonly Match[]): void {
  const keys = matches.map(({ createdAt, id }) => `${createdAt.toISOString()} ${id}`);
  expect(keys).toEqual([...new Set(keys)].toSorted().toReversed());
}

function listCases(open: Open): void {
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
    const paged: Match[] = [];
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
    expect(await after(latest, 10)).toEqual({ matches: [], last: latest });
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
          await using store = await open();
          const account = accountNamed('one');
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
          const paged: Match[] = [];
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
      { numRuns: 60 },
    );
  });
}

function chartCases(open: Open): void {
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

function recentCases(open: Open): void {
  const recentOf = async (store: Store, accountId: string, limit = 1000, platform: Platform = 'x') =>
    (await collect(store.recentEvents(accountId, platform, limit))).map(({ event }) => event.postId);

  it('keeps events whether they matched or not, newest first', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', []), eventOf('b', [rule]));
    await commit(eventOf('c', []));
    await commit(eventOf('f', [], { platform: 'firehose' }));
    expect(await recentOf(store, account.id)).toEqual(['c', 'b', 'a']);
    expect(await recentOf(store, account.id, 2)).toEqual(['c', 'b']);
    expect(await recentOf(store, account.id, 0)).toEqual([]);
    expect(await recentOf(store, account.id, 10, 'firehose')).toEqual(['f']);
    const [newest] = await collect(store.recentEvents(account.id, 'x', 1));
    expect(newest).toEqual({ event: eventOf('c', []).event, at: at(2000) });
    expect((await store.recentTotals('x')).events).toBe(3);
  });

  it("shows everybody's events and the account's own, not another's", async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(
      eventOf('shared', []),
      eventOf('mine', [], { accountId: account.id }),
      eventOf('theirs', [], { accountId: other.id }),
    );
    expect(await recentOf(store, account.id)).toEqual(['mine', 'shared']);
    expect(await recentOf(store, other.id)).toEqual(['theirs', 'shared']);
    const [mine] = await collect(store.recentEvents(account.id, 'x', 1));
    expect(mine!.event.accountId).toBe(account.id);
  });

  it('keeps the last so many', async () => {
    await using stand = await stage(open, { recent: { events: 10 } });
    const { store, account, commit } = stand;
    for (const index of range(25)) await commit(eventOf(`${index}`, []));
    expect(await recentOf(store, account.id)).toEqual(range(10).map((index) => `${24 - index}`));
    expect((await store.recentTotals('x')).events).toBe(10);
  });

  it('keeps within its bytes', async () => {
    await using stand = await stage(open, { recent: { bytes: 5000 } });
    const { store, account, commit } = stand;
    for (const index of range(30)) await commit(eventOf(`${index}`, [], { text: 'ä'.repeat(200) }));
    const { events, bytes } = await store.recentTotals('x');
    expect(bytes).toBeLessThanOrEqual(5000);
    expect(bytes).toBeGreaterThan(4000);
    expect(await recentOf(store, account.id)).toHaveLength(events);
  });

  it('gives a large ring in slices', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    for (const start of range(5))
      await commit(...range(300).map((index) => eventOf(`${start * 300 + index}`, [], { text: 'long '.repeat(300) })));
    const sizes: number[] = [];
    const found: string[] = [];
    for await (const slice of store.recentEvents(account.id, 'x', 5000)) {
      sizes.push(slice.length);
      found.push(...slice.map(({ event }) => event.postId));
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    expect(found).toEqual(range(1500).map((index) => `${1499 - index}`));
  });

  it('is off when it may hold nothing', async () => {
    await using stand = await stage(open, { recent: { events: 0 } });
    await stand.commit(eventOf('a', [stand.rule]));
    expect(await recentOf(stand.store, stand.account.id)).toEqual([]);
  });
}

function removalCases(open: Open): void {
  it('takes a deleted rule away in slices, and leaves what others hold', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await commit(...range(1000).map((index) => eventOf(`${index}`, index < 10 ? [rule, kept] : [rule])));
    await store.deleteRule(account.id, rule.id);
    expect(await removeAll(store, at(0))).toBeGreaterThan(3);
    expect(await listed(store, { accountId: account.id })).toHaveLength(10);
    expect((await store.matches({ accountId: account.id, limit: 10 })).matches[0]!.payload).toMatchObject({ data: {} });
    expect(await store.removeSlice(at(0))).toEqual({ more: false });
  });

  it('keeps matches for as many days as it is told', async () => {
    await using stand = await stage(open, { retentionDays: 2 });
    const { store, account, rule } = stand;
    for (const day of range(4)) {
      await store.commit({
        platform: 'x',
        at: at(day * DAY),
        events: range(150).map((index) => eventOf(`${day} ${index}`, [rule])),
      });
    }
    const { latest } = await store.matches({ accountId: account.id, limit: 1 });
    expect(await store.oldest()).toBe(0);
    await removeAll(store, at(3 * DAY + 1));
    const left = await listed(store, { accountId: account.id });
    expect(new Set(left.map((post) => post.split(' ')[0]))).toEqual(new Set(['2', '3']));
    expect(left).toHaveLength(300);
    const oldest = await store.oldest();
    expect(oldest).toBeGreaterThan(0);
    expect(oldest).toBeLessThan(latest);
    expect((await store.matchesAfter({ accountId: account.id, after: oldest - 1, limit: 1000 })).matches).toHaveLength(
      300,
    );
    const { matchCount, lastMatchAt } = (await store.rule(account.id, rule.id))!.platforms.x!;
    expect({ matchCount, lastMatchAt }).toEqual({ matchCount: 600, lastMatchAt: at(3 * DAY) });
    const counts = await store.matchCounts({ accountId: account.id, from: at(0), to: at(4 * DAY), seconds: 86_400 });
    expect(counts.map(({ count }) => count)).toEqual([150, 150]);
  });

  it('never gives a position out again, even when all matches have gone', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { latest } = await commit(eventOf('a', [rule]));
    await removeAll(store, at(100 * DAY));
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await store.latest()).toBe(latest);
    expect((await commit(eventOf('b', [rule]))).latest).toBeGreaterThan(latest);
  });

  it('erases what an account holds of a post, and nothing else', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const { account: otherAccount, rule: otherRule } = await addOther(store);
    await commit(eventOf('a', [rule, second, otherRule]), eventOf('b', [rule]), eventOf('a"', [rule]));
    await commit(eventOf('a', [], { accountId: otherAccount.id }), eventOf('a', [], { accountId: account.id }));
    expect(await store.deleteMatches(account.id, 'firehose', 'a')).toBe(0);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(2);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(0);
    expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['a"', 'b']);
    expect(await listed(store, { accountId: otherAccount.id })).toEqual(['a']);
    const seen = async (accountId: string) =>
      (await collect(store.recentEvents(accountId, 'x', 100))).map(({ event }) => event.postId);
    expect(await seen(account.id)).toEqual(['a"', 'b']);
    expect(await seen(otherAccount.id)).toEqual(['a', 'a"', 'b']);
    expect((await store.recentTotals('x')).events).toBe(3);
    expect(await store.deleteMatches(account.id, 'x', 'a"')).toBe(1);
    await store.check();
  });

  it('takes an event again that was erased', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    await store.deleteMatches(account.id, 'x', 'a');
    expect(await commit(eventOf('a', [rule]))).toMatchObject({ added: 1 });
    expect(await listed(store, { accountId: account.id })).toEqual(['a']);
  });
}

const HOSTILE = [
  "'; DROP TABLE rules; --",
  '" OR 1=1',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u{1f9c0}',
  '%_\\',
  '\n\r\t',
  '\ufeff',
  ':name ?1 $x',
  ' ',
];

function stringCases(open: Open): void {
  it.each(HOSTILE)('keeps %j as it is, wherever it stands', async (text) => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const named = accountNamed(text);
    await store.addAccount(named);
    expect(await store.account(text)).toEqual(named);
    const rule = ruleOf(account, { name: text, intent: text, platforms: { firehose: { value: text, flags: {} } } });
    await store.addRule(rule, {});
    await store.setRuleStatus(rule.id, 'firehose', { status: 'failed', error: text });
    expect(await store.rule(account.id, rule.id)).toMatchObject({
      name: text,
      intent: text,
      platforms: { firehose: { value: text, error: text } },
    });
    expect(await store.countHolders('firehose', text, {})).toBe(1);
    const payload = { [text]: text, data: { text: [text] } };
    const matches = [{ ruleId: rule.id, version: 1, highlights: [{ field: text, start: 0, end: 1 }] }];
    const event = { platform: 'firehose', postId: text, payload, accountId: account.id } as const;
    expect(
      await store.commit({ platform: 'firehose', at: at(0), events: [{ event, matches }], cursor: 'c' }),
    ).toMatchObject({ added: 1 });
    expect(await store.commit({ platform: 'firehose', at: at(0), events: [{ event, matches }] })).toMatchObject({
      added: 0,
    });
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match).toMatchObject({ platformPostId: text, ruleName: text, payload, highlights: matches[0]!.highlights });
    expect((await collect(store.recentEvents(account.id, 'firehose', 1)))[0]!.event).toEqual(event);
    for (const id of [text, `${account.id}${text}`]) {
      expect(await store.rule(id, rule.id)).toBeUndefined();
      expect(await store.rule(account.id, id)).toBeUndefined();
      expect(await store.match(account.id, id)).toBeUndefined();
      expect(await listed(store, { accountId: account.id, ruleId: id })).toEqual([]);
    }
    expect(await store.deleteMatches(account.id, 'firehose', text)).toBe(1);
    expect(await collect(store.recentEvents(account.id, 'firehose', 5))).toEqual([]);
  });

  it('gives any JSON back equal', async () => {
    await using stand = await stage(open, { recent: { events: 1 } });
    const { store, account, rule } = stand;
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
        const postId = `${++number}`;
        const json = JSON.parse(JSON.stringify({ value })) as Record<string, unknown>;
        const matches = [{ ruleId: rule.id, version: 1, highlights: [] }];
        await store.commit({
          platform: 'x',
          at: at(number),
          events: [{ event: { platform: 'x', postId, payload: json, accountId: undefined }, matches }],
        });
        expect((await store.matches({ accountId: account.id, limit: 1 })).matches[0]!.payload).toEqual(json);
        expect((await collect(store.recentEvents(account.id, 'x', 1)))[0]!.event.payload).toEqual(json);
      }),
      { numRuns: 200 },
    );
  });
}
