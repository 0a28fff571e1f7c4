import { expect, it } from 'vitest';
import type { Gap } from '../../../src/domain/coverage.ts';
import type { CommitEvent, Lease, Store, UpstreamCommit } from '../../../src/store/store.ts';
import { addOther, at, DAY, eventOf, MINUTE, type Open, removeAll, ruleOf, stage } from './stage.ts';

const TTL = 10_000;
const NOVEMBER = 202611;

async function leaseOf(store: Store, holder = 'one', now = 0): Promise<Lease> {
  return (await store.takeLease({ name: 'x', holder, now: at(now), milliseconds: TTL })) as Lease;
}

const gapOf = (from: number, to?: number, recovered = false): Gap => ({
  platform: 'x',
  from: at(from),
  to: to === undefined ? undefined : at(to),
  cause: 'a cut "here"',
  recovered,
});

async function upstreamStage(open: Open) {
  const stand = await stage(open);
  const lease = await leaseOf(stand.store);
  const commit = (events: readonly CommitEvent[], more: Partial<UpstreamCommit> = {}, cursor = 'c') =>
    stand.store.commit({
      platform: 'x',
      at: at(1_000),
      events,
      cursor: { name: 'x', value: cursor },
      upstream: { lease, gaps: [], broken: [], ...more },
    });
  return { ...stand, lease, commit };
}

export function upstreamCases(open: Open): void {
  it('gives a lease to one holder at a time', async () => {
    await using store = await open();
    const wish = { name: 'x', milliseconds: TTL, now: at(0) };
    expect(await store.takeLease({ ...wish, holder: 'one' })).toEqual({ name: 'x', fence: 1 });
    expect(await store.takeLease({ ...wish, holder: 'two' })).toEqual({ heldBy: 'one' });
    // Renewed until a time that has passed, it is over.
    expect(await store.takeLease({ ...wish, holder: 'one', milliseconds: -1 })).toEqual({ name: 'x', fence: 1 });
    expect(await store.takeLease({ ...wish, holder: 'two' })).toMatchObject({
      fence: 2,
      freeMs: expect.toSatisfy((milliseconds: number) => milliseconds >= 1),
    });
    expect(await store.takeLease({ ...wish, name: 'firehose', holder: 'two' })).toMatchObject({ fence: 1 });
  });

  it('gives a lease on when it is released, or its holder is known to be gone', async () => {
    await using store = await open();
    const wish = { name: 'x', milliseconds: TTL, now: at(0) };
    const lease = await leaseOf(store);
    await store.releaseLease({ ...lease, fence: 99 });
    expect(await store.takeLease({ ...wish, holder: 'two' })).toEqual({ heldBy: 'one' });
    await store.releaseLease(lease);
    // Nobody can say of one that was given back when it was used last.
    expect(await store.takeLease({ ...wish, holder: 'two' })).toEqual({ name: 'x', fence: 2 });
    expect(await store.takeLease({ ...wish, holder: 'three', gone: 'one' })).toEqual({ heldBy: 'two' });
    expect(await store.takeLease({ ...wish, holder: 'three', gone: 'two' })).toMatchObject({ fence: 3 });
  });

  it('refuses a commit under a lease that another has by now, and keeps nothing of it', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule, commit } = stand;
    await commit([], {}, 'before');
    await store.takeLease({ name: 'x', holder: 'two', now: at(0), milliseconds: TTL, gone: 'one' });
    const late = commit([eventOf('a', [rule])], { gaps: [gapOf(0)], completeThrough: at(5) }, 'after');
    await expect(late).rejects.toMatchObject({ reason: 'fenced', retryable: false });
    const never = { name: 'never taken', fence: 1 };
    await expect(commit([], { lease: never })).rejects.toMatchObject({ reason: 'fenced' });
    expect(await store.cursor('x')).toBe('before');
    expect(await store.gaps({ platform: 'x', limit: 10 })).toEqual([]);
    expect(await store.coverage('x')).toBeUndefined();
    expect((await store.matches({ accountId: account.id, limit: 10 })).matches).toEqual([]);
  });

  it('keeps gaps: opened, closed under the same start, found by the time they overlap', async () => {
    await using stand = await upstreamStage(open);
    const { store, commit } = stand;
    await commit([], { gaps: [gapOf(1_000), gapOf(50_000)] });
    await commit([], { gaps: [gapOf(1_000, 2_000, true)] });
    const all = [gapOf(50_000), gapOf(1_000, 2_000, true)];
    expect(await store.gaps({ platform: 'x', limit: 10 })).toEqual(all);
    expect(await store.gaps({ platform: 'x', limit: 1 })).toEqual(all.slice(0, 1));
    expect(await store.gaps({ platform: 'x', since: at(2_000), until: at(50_000), limit: 10 })).toEqual(all.slice(1));
    expect(await store.gaps({ platform: 'x', since: at(2_001), limit: 10 })).toEqual(all.slice(0, 1));
    expect(await store.gaps({ platform: 'firehose', limit: 10 })).toEqual([]);
  });

  it('keeps gaps of an account, of a rule and of a source apart, and finds those that were not recovered', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule } = stand;
    const whole = gapOf(1_000, 2_000, true);
    const ofSource = { ...whole, recovered: false, source: 'news' };
    const ofAccount = { ...gapOf(2_000), accountId: account.id };
    const ofRule = { ...gapOf(3_000), accountId: account.id, ruleId: rule.id };
    const ofOther = { ...gapOf(4_000), accountId: account.id, ruleId: 'rule_other' };
    const ofStranger = { ...gapOf(5_000), accountId: 'acct_other' };
    await store.noteGaps([whole, ofSource, ofAccount, ofRule, ofOther, ofStranger]);
    const query = { platform: 'x', limit: 10 } as const;
    expect(new Set(await store.gaps(query))).toEqual(new Set([whole, ofSource]));
    expect(await store.gaps({ ...query, isMissing: true })).toEqual([ofSource]);
    const mine = { ...query, accountId: account.id, isMissing: true } as const;
    expect(await store.gaps(mine)).toEqual([ofOther, ofRule, ofAccount, ofSource]);
    expect(await store.gaps({ ...mine, limit: 2 })).toEqual([ofOther, ofRule]);
    expect(await store.gaps({ ...mine, ruleId: rule.id })).toEqual([ofRule, ofAccount, ofSource]);
    expect(await store.openGaps('x')).toHaveLength(4);
    const other = { ...ofSource, cause: 'another', recovered: true };
    await store.noteGaps([other]);
    expect(await store.gaps({ ...query, isMissing: true })).toEqual([{ ...other, recovered: false }]);
    await store.noteGaps([ofSource]);
    const closed = { ...ofRule, to: at(9_000) };
    await store.noteGaps([closed]);
    expect(await store.gaps({ ...mine, ruleId: rule.id, limit: 1 })).toEqual([closed]);
    await store.deleteRule(account.id, rule.id);
    expect(await store.gaps({ ...mine, ruleId: rule.id })).toEqual([ofAccount, ofSource]);
  });

  it('keeps the last report on each feed: when it began, and how far it is complete, which never goes back', async () => {
    await using store = await open();
    const report = { platform: 'firehose', kind: 'source', name: 'news', state: 'live', reason: undefined } as const;
    await store.noteFeeds([{ ...report, through: at(5), at: at(10) }]);
    await store.noteFeeds([{ ...report, state: 'waiting', reason: 'no "answer"', through: undefined, at: at(20) }]);
    const news = { ...report, state: 'waiting', reason: 'no "answer"', through: at(5), since: at(10), at: at(20) };
    expect(await store.feeds('firehose')).toEqual([news]);
    await store.noteFeeds([{ ...report, through: at(4), at: at(30) }]);
    expect(await store.feeds('firehose')).toEqual([{ ...news, state: 'live', reason: undefined, at: at(30) }]);
    expect(await store.feeds('x')).toEqual([]);
  });

  it('takes a source for read since the time that it was first complete to', async () => {
    await using store = await open();
    const report = { platform: 'x', name: 'news', state: 'waiting', reason: undefined, through: undefined } as const;
    for (const kind of ['source', 'stream'] as const)
      for (const minute of [1, 2]) await store.noteFeeds([{ ...report, kind, at: at(minute) }]);
    const since = async () => (await store.feeds('x')).map((feed) => `${feed.kind} ${feed.since.getTime()}`).toSorted();
    expect(await since()).toEqual([`source ${at(2).getTime()}`, `stream ${at(1).getTime()}`]);
    await store.noteFeeds([{ ...report, kind: 'source', through: at(3), at: at(4) }]);
    await store.noteFeeds([{ ...report, kind: 'source', through: at(5), at: at(6) }]);
    expect(await since()).toEqual([`source ${at(3).getTime()}`, `stream ${at(1).getTime()}`]);
  });

  it('tells pushes for every account and for one account apart, and forgets sources that are gone', async () => {
    await using store = await open();
    const report = { platform: 'x', state: 'live', reason: undefined, through: at(5), at: at(5) } as const;
    const named = (kind: 'source' | 'push', name: string) => ({ ...report, kind, name });
    await store.noteFeeds([
      named('push', ''),
      named('push', 'acct_1'),
      named('push', 'acct_2'),
      named('source', 'one'),
      named('source', 'two'),
    ]);
    const names = async (accountId?: string) =>
      (await store.feeds('x', accountId)).map(({ kind, name }) => `${kind} ${name}`).toSorted();
    expect(await names()).toEqual(['push ', 'source one', 'source two']);
    expect(await names('acct_1')).toEqual(['push ', 'push acct_1', 'source one', 'source two']);
    await store.keepSources('x', ['two']);
    await store.keepSources('firehose', []);
    expect(await names()).toEqual(['push ', 'source two']);
  });

  it('knows up to when a stream was whole; that never goes back', async () => {
    await using stand = await upstreamStage(open);
    const { store, commit } = stand;
    expect(await store.coverage('x')).toBeUndefined();
    await commit([], { completeThrough: at(5_000) });
    await commit([], { completeThrough: at(4_000) });
    expect(await store.coverage('x')).toEqual(at(5_000));
    expect(await store.coverage('firehose')).toBeUndefined();
  });

  it('keeps the newest thousand broken records', async () => {
    await using stand = await upstreamStage(open);
    const { store, commit } = stand;
    await commit([], { broken: [{ reason: 'not JSON', sample: '{"a\u0000' }] });
    expect(await store.broken('x', 10)).toEqual([{ at: at(1_000), reason: 'not JSON', sample: '{"a\u0000' }]);
    const many = Array.from({ length: 1_003 }, (_, number) => ({ reason: 'no', sample: String(number) }));
    await commit([], { broken: many });
    const kept = await store.broken('x', 2_000);
    expect(kept).toHaveLength(1_000);
    expect([kept[0]!.sample, kept.at(-1)!.sample]).toEqual(['1002', '3']);
  });

  it('counts reads and matches by rule, account and month; a repeat counts no more', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const other = await addOther(store);
    const events = [eventOf('a', [rule, second, other.rule]), eventOf('b', [second])];
    await commit(events);
    expect(await commit(events)).toMatchObject({ added: 0, repeats: 2 });
    expect(await store.usage(account.id, 'x', NOVEMBER)).toEqual({ reads: 2, matches: 3 });
    expect(await store.usage(other.account.id, 'x', NOVEMBER)).toEqual({ reads: 1, matches: 1 });
    expect(await store.usage(account.id, 'x', NOVEMBER + 1)).toEqual({ reads: 0, matches: 0 });
    expect(await store.usage(account.id, 'firehose', NOVEMBER)).toEqual({ reads: 0, matches: 0 });
    expect(await store.ruleUsage(account.id, 'x', NOVEMBER, 10)).toEqual([
      { ruleId: second.id, reads: 2, matches: 2 },
      { ruleId: rule.id, reads: 1, matches: 1 },
    ]);
  });

  it('counts nothing of what is not an upstream’s', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    expect(await store.usage(account.id, 'x', NOVEMBER)).toEqual({ reads: 0, matches: 0 });
    expect((await store.rule(account.id, rule.id))!.platforms.x!.agreement).toBeUndefined();
  });

  it('adds up how far the engine agrees with the upstream', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const heard = (postId: string, verdict: 'agreed' | 'upstream_only'): CommitEvent => {
      const { event, matches } = eventOf(postId, [rule]);
      return { event, matches: matches.map((match) => ({ ...match, verdict })), engineOnly: [second.id] };
    };
    await commit([heard('a', 'agreed'), heard('b', 'agreed'), heard('c', 'upstream_only')]);
    await commit([heard('a', 'agreed'), heard('d', 'agreed')]);
    const agreementOf = async (id: string) => (await store.rule(account.id, id))!.platforms.x!.agreement;
    expect(await agreementOf(rule.id)).toEqual({ agreed: 3, upstreamOnly: 1, engineOnly: 0 });
    expect(await agreementOf(second.id)).toEqual({ agreed: 0, upstreamOnly: 0, engineOnly: 4 });
  });

  it('links the match of an edited post to the same rule’s match of an earlier version', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    await commit(eventOf('1', [rule]));
    await commit({ ...eventOf('3', [rule, other.rule]), earlier: ['1', '2'] });
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    expect(matches.map(({ platformPostId, editOf }) => ({ platformPostId, editOf }))).toEqual([
      { platformPostId: '3', editOf: matches[1]!.id },
      { platformPostId: '1', editOf: undefined },
    ]);
    const [foreign] = (await store.matches({ accountId: other.account.id, limit: 10 })).matches;
    expect(foreign!.editOf).toBeUndefined();
  });

  it('links versions of a post that are stored together', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule, commit } = stand;
    const second = { ...eventOf('2', [rule]), earlier: ['1'] };
    await commit([{ ...eventOf('3', [rule]), earlier: ['1', '2'] }, second, eventOf('1', [rule])]);
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    const byPost = new Map(matches.map((match) => [match.platformPostId, match]));
    expect(byPost.get('3')!.editOf).toBe(byPost.get('2')!.id);
    expect(byPost.get('2')!.editOf).toBe(byPost.get('1')!.id);
    expect(byPost.get('1')!.editOf).toBeUndefined();
  });

  it('takes old gaps and broken records off the disk, and usage with its rule', async () => {
    await using stand = await upstreamStage(open);
    const { store, account, rule, commit } = stand;
    await commit([eventOf('a', [rule])], {
      gaps: [gapOf(0, MINUTE), gapOf(2 * MINUTE)],
      broken: [{ reason: 'r', sample: 's' }],
    });
    await store.deleteRule(account.id, rule.id);
    await removeAll(store, at(40 * DAY));
    expect(await store.gaps({ platform: 'x', limit: 10 })).toEqual([gapOf(2 * MINUTE)]);
    expect(await store.broken('x', 10)).toEqual([]);
    expect(await store.ruleUsage(account.id, 'x', NOVEMBER, 10)).toEqual([]);
    expect(await store.usage(account.id, 'x', NOVEMBER)).toEqual({ reads: 1, matches: 1 });
  });

  it('keeps a budget, and forgets that it was used up when another is set', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    await store.changeAccount(account.id, { xBudget: 12.5 });
    await store.changeAccount(account.id, { xSpentIn: NOVEMBER });
    expect(await store.account(account.id)).toMatchObject({ xBudget: 12.5, xSpentIn: NOVEMBER });
    await store.changeAccount(account.id, { plan: 'free' });
    expect(await store.account(account.id)).toMatchObject({ xBudget: 12.5, xSpentIn: NOVEMBER });
    await store.changeAccount(account.id, { xBudget: 20 });
    expect(await store.account(account.id)).toMatchObject({ xBudget: 20, xSpentIn: undefined });
    await store.changeAccount(account.id, { xBudget: null });
    expect((await store.account(account.id))!.xBudget).toBeUndefined();
  });
}
