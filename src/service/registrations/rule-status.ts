/** The one place that writes `active`: a platform holds a rule's text under this id. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import type { HeldIds } from './holding.ts';

type Holders = NonNullable<RegistrationChange['holders']>;

/** Stores, for every rule of any account with one of these texts, that the text is held under this id from now on. */
export const activeHolders = (platform: Platform, texts: readonly RuleText[], platformRuleId: string): Holders =>
  texts.map(({ value, flags }) => ({ platform, value, flags, status: 'active', platformRuleId }));

/** For one rule, whose platforms have just taken its texts. */
export async function activate(store: Pick<Store, 'setRuleStatus'>, ruleId: string, ids: HeldIds): Promise<void> {
  for (const name of PLATFORMS) {
    const platformRuleId = ids[name];
    if (platformRuleId !== undefined) await store.setRuleStatus(ruleId, name, { status: 'active', platformRuleId });
  }
}

/** The ids that platforms gave to a rule so far. */
export function idsOf(rule: Pick<Rule, 'platforms'>): HeldIds {
  const ids: HeldIds = {};
  for (const name of PLATFORMS) {
    const id = rule.platforms[name]?.platformRuleId;
    if (id !== undefined) ids[name] = id;
  }
  return ids;
}
