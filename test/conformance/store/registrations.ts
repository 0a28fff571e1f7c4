import { expect, it } from 'vitest';
import type { Registration } from '../../../src/domain/rule.ts';
import { at, type Open, ruleOf, stage } from './stage.ts';

const registration = (tag: string, change: Partial<Registration> = {}): Registration => ({
  tag,
  platform: 'x',
  value: 'storm OR (rain \ud800\0)',
  flags: {},
  texts: ['storm', 'rain \ud800\0'],
  platformRuleId: undefined,
  state: 'wanted',
  since: at(0),
  ...change,
});

export function registrationCases(open: Open): void {
  it('keeps the first name that the instance was offered', async () => {
    await using store = await open();
    expect(await store.instance('first')).toBe('first');
    expect(await store.instance('second')).toBe('first');
  });

  it('gives registrations back as they were put, of one platform at a time', async () => {
    await using store = await open();
    const flags = { quality: false };
    const [one, two] = [registration('a'), registration('b', { platform: 'firehose', flags, platformRuleId: '7' })];
    await store.changeRegistrations({ put: [one, two] });
    expect(await store.registrations('x')).toEqual([one]);
    expect(await store.registrations('firehose')).toEqual([two]);
  });

  it('changes the state and the id of a registration, and drops it', async () => {
    await using store = await open();
    await store.changeRegistrations({ put: [registration('a'), registration('b')] });
    const held = registration('a', { state: 'held', platformRuleId: '12', since: at(5) });
    await store.changeRegistrations({ put: [held], drop: ['b', 'never there'] });
    expect(await store.registrations('x')).toEqual([held]);
    await store.changeRegistrations({ put: [{ ...held, platformRuleId: undefined }] });
    expect(await store.registrations('x')).toEqual([{ ...held, platformRuleId: undefined }]);
  });

  it('tells the rules that hold a text, and no others', async () => {
    await using test = await stage(open);
    const { store, account, rule } = test;
    const same = ruleOf(account);
    const pending = ruleOf(account);
    const flagged = ruleOf(account, { platforms: { x: { value: 'storm', flags: { nsfw: true } } } });
    for (const one of [same, pending, flagged]) await store.addRule(one, {});
    for (const one of [rule, same, flagged]) {
      await store.setRuleStatus(one.id, 'x', { status: 'active', platformRuleId: '1' });
    }
    const text = { platform: 'x', value: 'storm', flags: {} } as const;
    const stateOf = async (id: string) => {
      const { status, platformRuleId, error } = (await store.rule(account.id, id))!.platforms.x!;
      return [status, platformRuleId, error];
    };

    await store.changeRegistrations({ holders: [{ ...text, status: 'active', platformRuleId: '2' }] });
    expect(await stateOf(rule.id)).toEqual(['active', '2', undefined]);
    expect(await stateOf(same.id)).toEqual(['active', '2', undefined]);
    expect(await stateOf(pending.id)).toEqual(['pending', undefined, undefined]);
    expect(await stateOf(flagged.id)).toEqual(['active', '1', undefined]);

    await store.changeRegistrations({ holders: [{ ...text, status: 'failed', error: 'It says "no".' }] });
    expect(await stateOf(rule.id)).toEqual(['failed', '2', 'It says "no".']);
    await store.changeRegistrations({ holders: [{ ...text, status: 'active', platformRuleId: '3' }] });
    expect(await stateOf(same.id)).toEqual(['active', '3', undefined]);
  });

  it('does not count a paused rule among those that need a registration', async () => {
    await using test = await stage(open);
    const { store, account, rule } = test;
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
    await store.changeRule(account.id, rule.id, { paused: true });
    expect(await store.countHolders('x', 'storm', {})).toBe(0);
    await store.changeRule(account.id, rule.id, { paused: false });
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
  });
}
