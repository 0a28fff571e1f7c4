/** A service whose x is an upstream in memory, with one account that may have any number of rules. */

import { localPlatform } from '../../src/platforms/local/local.ts';
import type { RuleText } from '../../src/rules/rule-text.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from './fake-clock.ts';
import { type FakeOptions, type FakeUpstream, fakeUpstream } from './fake-upstream.ts';
import { openService } from './service.ts';

export interface RegistrationStage {
  readonly store?: Store;
  readonly x?: FakeUpstream;
  readonly options?: FakeOptions;
}

export async function registrationStage({ store, options, x = fakeUpstream('x', options) }: RegistrationStage = {}) {
  const clock = fakeClock();
  const platforms = { x: x.platform, firehose: localPlatform('firehose') };
  const test = await openService({ clock, platforms, ...(store === undefined ? {} : { store }) });
  await clock.pass(0);
  const alice = await test.caller('alice', { xRules: 1_000_000 });
  const { registrations } = test.service.context;

  const create = (value: string) =>
    test.call(alice, 'createRule', {
      name: value.slice(0, 200),
      intent: '',
      platforms: ['x'],
      overrides: { x: value },
    });
  const remove = (ruleId: string) => test.call(alice, 'deleteRule', { rule_id: ruleId });
  const rules = async () => (await test.call(alice, 'listRules')).rules;

  /** The values that the upstream holds for us, as our own texts: every pack taken apart. */
  function covered(): string[] {
    const texts: RuleText[] = [];
    for (const id of x.rules.keys()) {
      const holding = registrations.resolve('x', id);
      if (holding !== undefined && holding !== 'late') texts.push(...holding.texts);
    }
    return texts.map(({ value }) => value);
  }

  return Object.assign(test, { clock, x, alice, registrations, create, remove, rules, covered });
}
