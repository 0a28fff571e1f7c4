import { expect, it } from 'vitest';
import type { MatchJudgement } from '../../../src/domain/match.ts';
import type { Store } from '../../../src/store/store.ts';
import { at, DAY, eventOf, type Open, range, removeAll, ruleOf, stage, testClock } from './stage.ts';

const judgement = (reason: string, change: Partial<MatchJudgement> = {}): MatchJudgement => ({
  relevant: true,
  confidence: 0.75,
  reason,
  model: 'small',
  at: at(5),
  ...change,
});

/** A rule with an intent and some of its matches. */
async function judged(open: Open, posts: number, options = {}) {
  const stand = await stage(open, options);
  const { store, account, rule: plain, commit } = stand;
  const rule = ruleOf(account, { intent: 'storms that do harm' });
  await store.addRule(rule, {});
  await commit(...range(posts).map((post) => eventOf(String(post), [plain, rule])));
  const unjudged = async () => (await store.unjudged(0, 100)).matches;
  const keep = async (index: number, said: MatchJudgement, intent = rule.intent) => {
    const { matches } = await store.matches({ accountId: account.id, ruleId: rule.id, limit: 100 });
    const { position } = matches.toReversed()[index]!;
    return store.keepJudgement({ position, intent, content: `content ${index}`, judgement: said });
  };
  const reasons = async () =>
    (await store.matches({ accountId: account.id, ruleId: rule.id, limit: 100 })).matches
      .toReversed()
      .map((match) => match.judgement?.reason);
  return { ...stand, rule, unjudged, keep, reasons };
}

/** By the month: a test that runs at midnight sees two days. */
const LIMITS = [
  { what: 'calls', most: 5, per: 'month' },
  { what: 'money', most: 1_000, per: 'month' },
] as const;

const NOTHING = { money: 0, inputTokens: 0, outputTokens: 0 };

const reserveAll = async (
  store: Store,
  times: number,
  money: number,
  limits: Parameters<Store['reserveJudgeCall']>[1],
) =>
  (await Promise.all(range(times).map(() => store.reserveJudgeCall(money, limits, new Date())))).filter(
    (one) => one !== undefined,
  );

export function judgingCases(open: Open): void {
  it('finds the matches of rules with an intent that nobody has judged or rated, oldest first', async () => {
    await using stand = await judged(open, 4);
    const { store, account, rule, unjudged, keep } = stand;
    const posts = async () => (await unjudged()).map(({ match }) => match.platformPostId);
    expect((await unjudged()).map(({ match, intent }) => [match.ruleId, intent])).toEqual(
      range(4).map(() => [rule.id, rule.intent]),
    );
    expect(await keep(1, judgement('a'))).toBe(true);
    const { matches } = await store.matches({ accountId: account.id, ruleId: rule.id, limit: 100 });
    const rated = { position: matches[0]!.position, rating: 'relevant', at: at(1), by: 'key_1', traces: '{}' } as const;
    await store.rateMatch({ accountId: account.id, ...rated }, 10);
    expect(await posts()).toEqual(['0', '2']);
    const first = await store.unjudged(0, 3);
    expect(first.looked).toBe(3);
    const next = await store.unjudged(first.last, 100);
    expect([...first.matches, ...next.matches].map(({ match }) => match.platformPostId)).toEqual(['0', '2']);
    expect((await store.unjudged(next.last, 100)).looked).toBe(0);
    await store.deleteRule(account.id, rule.id);
    expect(await posts()).toEqual([]);
  });

  it('keeps a judgement beside its match, once, and finds it again by its content', async () => {
    await using stand = await judged(open, 2);
    const { store, rule, keep, reasons, account } = stand;
    const said = judgement('It names "harm" — \u{1f30a}', { confidence: undefined, relevant: false });
    expect(await keep(0, said)).toBe(true);
    expect(await keep(0, judgement('another'))).toBe(false);
    expect(await reasons()).toEqual([said.reason, undefined]);
    const { matches } = await store.matches({ accountId: account.id, ruleId: rule.id, limit: 100 });
    expect(matches.at(-1)!.judgement).toEqual(
      JSON.parse(JSON.stringify(said), (name, value) => (name === 'at' ? said.at : value)),
    );
    expect((await store.knownJudgement(rule.id, 'content 0'))?.reason).toBe(said.reason);
    expect(await store.knownJudgement(rule.id, 'content 1')).toBeUndefined();
    expect(await store.knownJudgement('rule_other', 'content 0')).toBeUndefined();
  });

  it('lets judgements go with the intent that they were about, and takes none about an earlier one', async () => {
    await using stand = await judged(open, 2);
    const { store, account, rule, keep, reasons } = stand;
    await keep(0, judgement('a'));
    await store.changeRule(account.id, rule.id, { intent: rule.intent, name: 'Other' });
    expect(await reasons()).toEqual(['a', undefined]);
    await store.changeRule(account.id, rule.id, { intent: 'floods' });
    expect(await reasons()).toEqual([undefined, undefined]);
    expect(await keep(1, judgement('late'))).toBe(false);
    expect(await keep(1, judgement('b'), 'floods')).toBe(true);
    expect(await reasons()).toEqual([undefined, 'b']);
  });

  it('lets a judgement go with its match: erased, past retention, or of a rule that is gone', async () => {
    const clock = testClock();
    await using stand = await judged(open, 3, { clock, retentionDays: 2 });
    const { store, rule, keep } = stand;
    for (const index of range(3)) await keep(index, judgement(String(index)));
    const known = async () => {
      const found = await Promise.all(range(3).map((index) => store.knownJudgement(rule.id, `content ${index}`)));
      return found.map((one) => one?.reason);
    };
    await store.eraseEverywhere('x', '1');
    expect(await known()).toEqual(['0', undefined, '2']);
    clock.at += 3 * DAY;
    await removeAll(store, clock.now());
    expect(await known()).toEqual([undefined, undefined, undefined]);
  });

  it('counts a call before it is made, and never passes a limit, whoever asks at once', async () => {
    await using store = await open();
    const taken = await reserveAll(store, 12, 100, LIMITS);
    expect(taken).toHaveLength(5);
    expect((await store.judgeSpending(new Date())).month).toMatchObject({ calls: 5, money: 500 });
    const generous = LIMITS.map((limit) => ({ ...limit, most: limit.what === 'calls' ? 100 : limit.most }));
    expect(await reserveAll(store, 12, 100, generous)).toHaveLength(5);
    expect(await reserveAll(store, 1, 1, generous)).toHaveLength(0);
  });

  it('gives back what a call did not cost, and keeps what nobody settled', async () => {
    await using store = await open();
    const [one] = await reserveAll(store, 2, 300, LIMITS);
    await store.settleJudgeCall(one!, { money: 20, inputTokens: 60, outputTokens: 7 });
    const { month } = await store.judgeSpending(new Date());
    expect(month).toEqual({ calls: 2, money: 320, inputTokens: 60, outputTokens: 7 });
  });

  it('forgets what was spent in months past retention, and not what counts now', async () => {
    const clock = testClock();
    await using store = await open({ clock, retentionDays: 1 });
    const [reserved] = await reserveAll(store, 1, 10, LIMITS);
    await removeAll(store, new Date());
    expect((await store.judgeSpending(new Date())).month.calls).toBe(1);
    await store.settleJudgeCall(reserved!, NOTHING);
    expect((await store.judgeSpending(new Date())).month.money).toBe(0);
    await removeAll(store, new Date(Date.now() + 70 * DAY));
    expect((await store.judgeSpending(new Date())).month.calls).toBe(0);
  });
}
