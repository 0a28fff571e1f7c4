import { expect, it, vi } from 'vitest';
import { openService } from '../../test/stages/service.ts';
import { subscribeResources } from './resource-updates.ts';
import { ruleFinder } from './rule-names.ts';

const ruleOf = (name: string) => ({ name, intent: '', platforms: ['x'], overrides: { x: 'storm' } });

it('reads the rules of an account once for all resources that name one', async () => {
  await using test = await openService();
  const caller = await test.caller('alice');
  const { rule_id } = await test.call(caller, 'createRule', ruleOf('Storms'));
  using read = vi.spyOn(test.store, 'rules');
  const names = ['Storms', 'storms', 'STORMS', 'sTorms', ' storms'];
  const uris = names.map((name) => `sluice://rules/${encodeURIComponent(name)}/matches`);
  const followed = await subscribeResources(test.service.context, caller, uris);
  expect([...followed.values()].map(({ told }) => told.ruleId)).toEqual(names.map(() => rule_id));
  expect(read).toHaveBeenCalledTimes(1);
});

it('finds the rules that have a name exactly before those that have it in other letters', async () => {
  await using test = await openService();
  const caller = await test.caller('alice');
  const ids: string[] = [];
  for (const name of ['Storms', 'storms', 'Gales'])
    ids.push((await test.call(caller, 'createRule', ruleOf(name))).rule_id);
  const find = ruleFinder(test.service.context, caller);
  expect([await find('storms'), await find('STORMS '), await find('rain')]).toEqual([[ids[1]], [ids[0], ids[1]], []]);
});
