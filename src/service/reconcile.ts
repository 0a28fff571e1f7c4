/** What a crash left between the steps of creating or changing a rule is brought to its end, or undone, at the start. */
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { PlatformRule, Rule } from '../domain/rule.ts';
import type { Context } from './context.ts';
import type { HeldIds } from './registrations.ts';
import type { RuleText } from './rule-text.ts';

type Deps = Pick<Context, 'store' | 'registrations' | 'log'>;

/** A rule that has never been active everywhere was never answered for: it is undone. Others are brought to their end. */
export async function reconcile(context: Deps): Promise<void> {
  for await (const slice of context.store.everyRule()) {
    for (const rule of slice) {
      const held = Object.values(rule.platforms);
      if (held.some(isUnfinished) && held.some(isUnanswered)) await undo(context, rule);
      else if (held.some(isUnfinished)) await finish(context, rule);
    }
  }
}

const isUnfinished = ({ status }: PlatformRule): boolean => status === 'pending';
const isUnanswered = ({ platformRuleId }: PlatformRule): boolean => platformRuleId === undefined;

async function undo({ store, registrations, log }: Deps, rule: Rule): Promise<void> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is undone');
  const ids: HeldIds = {};
  for (const name of PLATFORMS) {
    const id = rule.platforms[name]?.platformRuleId;
    if (id !== undefined) ids[name] = id;
  }
  await store.deleteRule(rule.accountId, rule.id);
  await registrations.release(rule.platforms, ids);
}

async function finish({ store, registrations, log }: Deps, rule: Rule): Promise<void> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly changed before a stop: it is finished');
  const texts: Partial<Record<Platform, RuleText>> = {};
  for (const name of PLATFORMS) {
    const held = rule.platforms[name];
    if (held !== undefined && isUnfinished(held)) texts[name] = held;
  }
  const ids = await registrations.hold(texts, async () => {});
  for (const name of PLATFORMS) {
    if (ids[name] !== undefined)
      await store.setRuleStatus(rule.id, name, { status: 'active', platformRuleId: ids[name] });
  }
}
