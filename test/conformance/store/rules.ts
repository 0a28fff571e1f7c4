import { expect, it } from 'vitest';
import type { Rule } from '../../../src/domain/rule.ts';
import { accountNamed, addOther, collect, eventOf, listed, type Open, range, ruleOf, stage } from './stage.ts';

export function ruleCases(open: Open): void {
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
      alerts: { surge: false, silence: false },
      version: 1,
      paused: false,
      platforms: { x: { ...rule.platforms.x, ...fresh }, firehose: { ...rule.platforms.firehose, ...fresh } },
    };
    expect(await store.rule(account.id, rule.id)).toEqual(expected);
    expect(await collect(store.rules(account.id))).toEqual([expected]);
    expect(await collect(store.everyRule())).toEqual([expected]);
    expect(await store.countRules(account.id)).toEqual({ x: 1, firehose: 1 });
    expect(await collect(store.unfinishedRules())).toEqual([expected]);
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '1' });
    expect((await collect(store.unfinishedRules())).map(({ id }) => id)).toEqual([rule.id]);
    await store.setRuleStatus(rule.id, 'firehose', { status: 'failed' });
    expect(await collect(store.unfinishedRules())).toEqual([]);
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
    // A rule that is on the platform already needs no more room there.
    const changed = { platforms: { x: { value: 'b', flags: {} } } };
    expect(await store.changeRule(account.id, first.id, changed, undefined, { x: 2 })).toBe(true);
    await store.deleteRule(account.id, first.id);
    expect(await store.countRules(account.id)).toEqual({ x: 1, firehose: 1 });
    expect(await store.addRule(ruleOf(account), { x: 2 })).toBe('added');
  });

  it('lists thousands of rules, oldest first, in slices', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const other = await addOther(store);
    const rules = range(620).map((index) => ruleOf(account, { name: `rule ${index}` }));
    for (const rule of rules) await store.addRule(rule, {});
    const slices: Rule[][] = [];
    for await (const slice of store.rules(account.id)) slices.push(slice);
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.flat().map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
    expect(await collect(store.everyRule())).toHaveLength(621);
    expect(await collect(store.rules(other.account.id))).toHaveLength(1);
    const named = await store.rulesNamed([rules[7]!.id, other.rule.id, 'rule_unknown', rules[3]!.id]);
    expect(named.map(({ id }) => id)).toEqual([other.rule.id, rules[3]!.id, rules[7]!.id]);
    expect([named[1], await store.rulesNamed([])]).toEqual([await store.rule(account.id, rules[3]!.id), []]);
    const after = async (id: string) => (await collect(store.rules(account.id, id))).map(({ id: found }) => found);
    expect(await after(rules[300]!.id)).toEqual(rules.slice(301).map(({ id }) => id));
    expect([await after(rules[619]!.id), await after('rule_unknown')]).toEqual([[], []]);
  });

  it('gives the texts in the states asked for, of every rule that is not paused, over as many slices as it takes', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const flags = { quality: true, nsfw: false };
    const platforms = { x: { value: 'a "b" \u0000', flags: {} }, firehose: { value: 'c', flags } };
    const rules = range(512).map(() => ruleOf(account, { platforms }));
    for (const rule of rules) await store.addRule(rule, {});
    expect(await collect(store.everyText(['active']))).toEqual([]);
    for (const { id } of rules) await store.setRuleStatus(id, 'x', { status: 'active' });
    // The first slice of 500 ends between the two texts of a rule.
    for (const { id } of rules.slice(492)) await store.setRuleStatus(id, 'firehose', { status: 'failed' });
    for (const { id } of rules.slice(1, 5)) await store.changeRule(account.id, id, { paused: true });
    await store.deleteRule(account.id, rules[0]!.id);
    const all = await collect(store.everyText(['active', 'failed']));
    const of = (platform: 'x' | 'firehose') => all.filter((text) => text.platform === platform);
    expect(of('x').map(({ ruleId }) => ruleId)).toEqual(rules.slice(5).map(({ id }) => id));
    expect(of('firehose').map(({ ruleId }) => ruleId)).toEqual(rules.slice(492).map(({ id }) => id));
    const known = { accountId: account.id, version: 1 };
    expect(of('x')[0]).toEqual({ ...known, ruleId: rules[5]!.id, platform: 'x', ...platforms.x });
    expect(of('firehose')[0]).toEqual({
      ...known,
      ruleId: rules[492]!.id,
      platform: 'firehose',
      ...platforms.firehose,
    });
    expect(await store.hasRules(511)).toBe(true);
    expect(await store.hasRules(512)).toBe(false);
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

  it('undoes a rule that some platform has not taken, and keeps a complete one', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const text = { value: 'storm', flags: {} };
    const rule = ruleOf(account, { platforms: { x: text, firehose: text } });
    await store.addRule(rule, {});
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: 'one' });
    expect(await store.undoRule(account.id, rule.id)).toBe(true);
    expect(await store.rule(account.id, rule.id)).toBeUndefined();
    expect(await store.undoRule(account.id, rule.id)).toBe(true);
    const whole = ruleOf(account, { platforms: { x: text, firehose: text } });
    await store.addRule(whole, {});
    for (const name of ['x', 'firehose'] as const) await store.setRuleStatus(whole.id, name, { status: 'active' });
    expect(await store.undoRule(account.id, whole.id)).toBe(false);
    expect(await store.rule(account.id, whole.id)).toMatchObject({ id: whole.id });
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
    // Whoever has spent the budget holds nothing on x for the rest of the month.
    await store.changeAccount(account.id, { xSpentIn: 202_611 });
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
    expect(await store.countHolders('firehose', 'storm', {})).toBe(1);
    await store.changeAccount(account.id, { xSpentIn: null });
    await store.changeRule(account.id, rule.id, { platforms: { x: { value: 'hail', flags: {} } } });
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
  });
}
