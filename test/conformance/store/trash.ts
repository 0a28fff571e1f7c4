import { expect, it } from 'vitest';
import type { RuleRestoring, Store } from '../../../src/store/store.ts';
import {
  addOther,
  at,
  collect,
  DAY,
  eventOf,
  listed,
  MINUTE,
  type Open,
  range,
  removeAll,
  ruleOf,
  stage,
} from './stage.ts';
import { webhookOf } from './webhooks.ts';

const KEEP = { at: at(DAY), until: at(8 * DAY) };
export const back = (change: Partial<RuleRestoring> = {}): RuleRestoring => ({
  now: at(2 * DAY),
  limits: {},
  ids: { x: '77' },
  gaps: [],
  ...change,
});

async function moveAll(store: Store, ruleId: string): Promise<number> {
  let slices = 1;
  while (await store.moveMatches(ruleId)) slices++;
  return slices;
}

/** Reads everything that an account sees of its matches. */
async function seen(store: Store, accountId: string) {
  const { stories } = await store.stories({ accountId, limit: 100 });
  const counts = await store.matchCounts({ accountId, from: at(0), to: at(9 * DAY), seconds: 60 });
  return {
    matches: await listed(store, { accountId }),
    stories: stories.map(({ id, size }) => [id, size]),
    counts: counts.map(({ at: start, count }) => [start.getTime(), count]),
  };
}

export function trashCases(open: Open): void {
  it('keeps a deleted rule until its time has ended, and gives it back as it was', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '42' });
    await commit(...range(1_200).map((index) => eventOf(`${index}`, index < 5 ? [rule, kept] : [rule])));
    const [ruleBefore, before] = [await store.rule(account.id, rule.id), await seen(store, account.id)];
    expect(await store.deleteRule(account.id, rule.id, undefined, KEEP)).toBe(true);
    expect(await moveAll(store, rule.id)).toBeGreaterThan(1);
    await removeAll(store, at(8 * DAY - 1));
    expect(await store.rule(account.id, rule.id)).toBeUndefined();
    expect(await store.countRules(account.id)).toEqual({ x: 1 });
    const hidden = await seen(store, account.id);
    expect(hidden.matches).toHaveLength(5);
    expect(hidden.counts).toEqual([[at(0).getTime(), 5]]);
    expect(await store.restoreRule(account.id, rule.id, back())).toBe('restored');
    await moveAll(store, rule.id);
    const { x } = ruleBefore!.platforms;
    const restored = { ...ruleBefore!, platforms: { x: { ...x!, platformRuleId: '77' } } };
    expect(await store.rule(account.id, rule.id)).toEqual(restored);
    expect(await seen(store, account.id)).toEqual(before);
    expect(await store.countRules(account.id)).toEqual({ x: 2 });
    expect(await store.restoreRule(account.id, rule.id, back())).toBeUndefined();
  });

  it('leaves out the matches of a deleted rule without walking over them', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...range(700).map((index) => eventOf(`${index}`, [rule])));
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    await moveAll(store, rule.id);
    const { matches, next } = await store.matches({ accountId: account.id, limit: 10 });
    expect([matches, next]).toEqual([[], undefined]);
  });

  it('lists what can be restored, the last deletion first, for its account alone', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const other = await addOther(store);
    const both = { x: { value: 'a', flags: {} }, firehose: { value: 'a', flags: {} } };
    const rules = range(520).map(() => ruleOf(account, { platforms: both }));
    for (const rule of rules) await store.addRule(rule, {});
    for (const [index, rule] of rules.entries()) {
      const deletedAt = at(DAY + (index % 7) * MINUTE);
      await store.deleteRule(account.id, rule.id, undefined, { at: deletedAt, until: at(8 * DAY + index) });
    }
    const found = await collect(store.deletedRules(account.id, at(2 * DAY)));
    const times = found.map(({ deletedAt }) => deletedAt.getTime());
    expect(times).toEqual(times.toSorted((one, next) => next - one));
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(rules.map(({ id }) => id)));
    expect(Object.keys(found[0]!.platforms)).toEqual(['firehose', 'x']);
    expect(await collect(store.deletedRules(account.id, at(8 * DAY + 500)))).toHaveLength(19);
    expect(await collect(store.deletedRules(other.account.id, at(2 * DAY)))).toEqual([]);
    expect(await store.deletedRule(other.account.id, rules[0]!.id, at(2 * DAY))).toBeUndefined();
    expect(await store.deletedRule(account.id, rules[0]!.id, at(2 * DAY))).toMatchObject({ deletedAt: at(DAY) });
    expect(await store.restoreRule(other.account.id, rules[0]!.id, back())).toBeUndefined();
  });

  it('takes a rule off the disk when its time has ended, with all of it', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    const gap = { platform: 'x', accountId: account.id, ruleId: rule.id, from: at(0), cause: 'paused' } as const;
    await store.noteGaps([{ ...gap, to: undefined, recovered: false }]);
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    expect(await store.gaps({ platform: 'x', accountId: account.id, limit: 9 })).toEqual([]);
    await removeAll(store, at(8 * DAY));
    expect(await store.deletedRule(account.id, rule.id, at(2 * DAY))).toBeUndefined();
    expect(await store.restoreRule(account.id, rule.id, back())).toBeUndefined();
    expect(await store.gaps({ platform: 'x', accountId: `deleted ${account.id}`, limit: 9 })).toEqual([]);
    expect(await store.removeSlice(at(8 * DAY))).toEqual({ more: false });
    await store.check();
  });

  it('restores and deletes a rule whose gap was written again while it was deleted', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const gap = { platform: 'x', accountId: account.id, ruleId: rule.id, from: at(0), cause: 'paused' } as const;
    const note = (to: Date | undefined) => store.noteGaps([{ ...gap, to, recovered: false }]);
    await note(undefined);
    for (let times = 0; times < 2; times++) {
      expect(await store.deleteRule(account.id, rule.id, undefined, KEEP)).toBe(true);
      // Another node had read the gap before, and ends it now.
      await note(at(MINUTE));
      expect(await store.restoreRule(account.id, rule.id, back())).toBe('restored');
    }
    const found = await store.gaps({ platform: 'x', accountId: account.id, ruleId: rule.id, limit: 9 });
    expect(found.filter(({ from }) => from.getTime() === at(0).getTime())).toHaveLength(1);
  });

  it('restores nothing beyond the limit of a platform', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    await store.addRule(ruleOf(account), { x: 1 });
    const over = await store.restoreRule(account.id, rule.id, back({ limits: { x: 1 } }));
    expect(over).toEqual({ overLimit: 'x', used: 1 });
    expect(await store.rule(account.id, rule.id)).toBeUndefined();
    expect(await store.countRules(account.id)).toEqual({ x: 1 });
  });

  it('hides the gaps of a rule with it, ended, and brings them back with the time in between', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const of = { platform: 'x', accountId: account.id, ruleId: rule.id, recovered: false } as const;
    await store.noteGaps([{ ...of, from: at(0), to: undefined, cause: 'paused' }]);
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    expect(await store.openGaps('x')).toEqual([]);
    const between = { ...of, from: KEEP.at, to: at(2 * DAY), cause: 'not_started' };
    await store.restoreRule(account.id, rule.id, back({ gaps: [between] }));
    expect(await store.gaps({ platform: 'x', accountId: account.id, ruleId: rule.id, limit: 9 })).toEqual([
      between,
      { ...of, from: at(0), to: KEEP.at, cause: 'paused' },
    ]);
  });

  it('owes no webhook what waited of a deleted rule', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 10);
    await commit(eventOf('a', [rule]));
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    expect(await store.owedBacklog(10)).toEqual([]);
    await store.restoreRule(account.id, rule.id, back());
    await moveAll(store, rule.id);
    expect(await store.owedMatches(webhook.id, at(9 * DAY), 10)).toEqual([]);
    expect(await listed(store, { accountId: account.id })).toEqual(['a']);
  });

  it('erases a post of a deleted rule, and counts the rest right when the rule is back', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]), eventOf('b', [rule]));
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(0);
    await store.restoreRule(account.id, rule.id, back());
    await moveAll(store, rule.id);
    expect(await seen(store, account.id)).toMatchObject({ matches: ['b'], counts: [[at(0).getTime(), 1]] });
    const ofRule = { accountId: account.id, ruleId: rule.id, from: at(0), to: at(DAY), seconds: 60 };
    expect(await store.matchCounts(ofRule)).toEqual([{ at: at(0), count: 1 }]);
  });

  it('lets retention take matches of a deleted rule, and counts the rest right when it is back', async () => {
    await using stand = await stage(open, { retentionDays: 1 });
    const { store, account, rule } = stand;
    for (const day of [0, 1]) {
      const events = range(3).map((index) => eventOf(`${day} ${index}`, [rule]));
      await store.commit({ platform: 'x', at: at(day * DAY), events });
    }
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    await removeAll(store, at(DAY + 2 * MINUTE));
    await store.restoreRule(account.id, rule.id, back());
    await moveAll(store, rule.id);
    const { matches, counts } = await seen(store, account.id);
    expect(matches).toEqual(['1 2', '1 1', '1 0']);
    expect(counts).toEqual([[at(DAY).getTime(), 3]]);
  });

  it('goes on where a stop left it, whether a rule was deleted or restored', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...range(1_200).map((index) => eventOf(`${index}`, [rule])));
    const before = await seen(store, account.id);
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    // The stop: some are moved, some are not.
    await store.restoreRule(account.id, rule.id, back());
    await removeAll(store, at(2 * DAY));
    expect(await seen(store, account.id)).toEqual(before);
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    await removeAll(store, at(2 * DAY));
    expect(await seen(store, account.id)).toEqual({ matches: [], stories: [], counts: [] });
  });

  it('watches a restored rule for what it was watched for, and ends the alerts that lasted', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.changeRule(account.id, rule.id, { alerts: { surge: true, silence: false } });
    await store.deleteRule(account.id, rule.id, undefined, KEEP);
    expect(await store.dueWatches(at(2 * DAY), 0, 10)).toEqual([]);
    await store.restoreRule(account.id, rule.id, back());
    expect(await store.dueWatches(at(2 * DAY), 0, 10)).toMatchObject([{ ruleId: rule.id, platform: 'x' }]);
  });
}

export function platformCases(open: Open): void {
  const text = { value: 'storm', flags: {} };

  it('brings a rule to another platform and takes it off one, within the limit', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const added = { ...text, platformRuleId: '9' };
    const change = { platforms: { firehose: added }, at: at(MINUTE) };
    const over = await store.changeRule(account.id, rule.id, change, undefined, { firehose: 0 });
    expect(over).toEqual({ overLimit: 'firehose', used: 0 });
    expect((await store.rule(account.id, rule.id))!.version).toBe(1);
    expect(await store.changeRule(account.id, rule.id, change, undefined, { x: 1, firehose: 1 })).toBe(true);
    const { version, platforms } = (await store.rule(account.id, rule.id))!;
    expect(version).toBe(2);
    expect(platforms.firehose).toMatchObject({ ...added, status: 'active', addedAt: at(MINUTE) });
    expect(await store.countRules(account.id)).toEqual({ x: 1, firehose: 1 });
    expect(await store.changeRule(account.id, rule.id, { platforms: { x: null } })).toBe(true);
    const left = (await store.rule(account.id, rule.id))!;
    expect([left.version, Object.keys(left.platforms)]).toEqual([3, ['firehose']]);
    expect(await store.countRules(account.id)).toEqual({ firehose: 1 });
    expect(await store.countHolders('x', 'storm', {})).toBe(0);
  });

  it('watches a rule on the platform that it came to, and not on the one it left', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.changeRule(account.id, rule.id, { alerts: { surge: true, silence: false } });
    await store.changeRule(account.id, rule.id, { platforms: { x: null, firehose: { ...text, platformRuleId: '9' } } });
    const watches = await store.dueWatches(at(DAY), 0, 10);
    expect(watches.map(({ platform }) => platform)).toEqual(['firehose']);
  });
}
