import { expect, it } from 'vitest';
import { at, eventOf, MINUTE, type Open, stage } from './stage.ts';

export function nodeCases(open: Open): void {
  it('writes down every change of what a rule matches, in order', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const before = (await store.news()).ruleChange;
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '1' });
    await store.changeRule(account.id, rule.id, { paused: true });
    await store.changeRule(account.id, 'rule_unknown', { paused: true });
    await store.deleteRule(account.id, rule.id);
    const changes = await store.ruleChanges(before, 100);
    expect(changes.map(({ accountId, ruleId }) => ({ accountId, ruleId }))).toEqual(
      Array.from({ length: 3 }, () => ({ accountId: account.id, ruleId: rule.id })),
    );
    const numbers = changes.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect((await store.news()).ruleChange).toBe(numbers.at(-1));
    expect(await store.ruleChanges(numbers[0]!, 1)).toEqual([changes[1]]);
    expect(await store.ruleChanges(numbers.at(-1)!, 100)).toEqual([]);
  });

  it('counts no change of a rule that is not there', async () => {
    await using stand = await stage(open);
    const { store } = stand;
    const before = (await store.news()).ruleChange;
    await store.setRuleStatus('rule_unknown', 'x', { status: 'active' });
    expect((await store.news()).ruleChange).toBe(before);
  });

  it('puts a mark among the changes of rules', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '1' });
    const before = (await store.news()).ruleChange;
    const number = await store.markRuleChanges('a mark');
    await store.deleteRule(account.id, rule.id);
    expect(number).toBe(before + 1);
    expect(await store.ruleChanges(before, 100)).toEqual([
      { number, accountId: '', ruleId: 'a mark' },
      { number: number + 1, accountId: account.id, ruleId: rule.id },
    ]);
  });

  it('tells the newest match', async () => {
    await using stand = await stage(open);
    const { store, rule, commit } = stand;
    const { latest } = await commit(eventOf('a', [rule]));
    expect((await store.news()).latest).toBe(latest);
  });

  it('knows which nodes are there, and what they have applied', async () => {
    await using stand = await stage(open);
    const { store } = stand;
    await store.reportNode({ id: 'one', roles: ['api'], applied: 1 }, at(0), MINUTE);
    await store.reportNode({ id: 'two', roles: ['api', 'matcher'], applied: 2 }, at(0), MINUTE);
    await store.reportNode({ id: 'two', roles: ['matcher'], applied: 3 }, at(0), MINUTE);
    expect(await store.nodes(at(0))).toEqual([
      { id: 'one', roles: ['api'], applied: 1 },
      { id: 'two', roles: ['matcher'], applied: 3 },
    ]);
    await store.reportNode({ id: 'one', roles: ['api'], applied: 1 }, at(0), -1);
    expect((await store.nodes(at(0))).map(({ id }) => id)).toEqual(['two']);
    await store.removeNode('two');
    expect(await store.nodes(at(0))).toEqual([]);
  });

  it('says which schema this program knows, and what the tables need of it', async () => {
    await using store = await open();
    const { known, needed } = await store.schema();
    expect(known).toBeGreaterThanOrEqual(needed);
    expect(needed).toBeGreaterThan(0);
  });
}
