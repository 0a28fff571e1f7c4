/** What a crash left between the steps of creating or changing a rule is brought to its end, or undone, at the start. */
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { PlatformRule, Rule } from '../domain/rule.ts';
import type { Context } from './context.ts';
import { idsOf } from './registrations.ts';
import type { RuleText } from './rule-text.ts';

type Deps = Pick<Context, 'store' | 'registrations' | 'log'>;

/**
 * The rules as they are after the repair. One that has never been active everywhere was never answered for: it is
 * undone. Others are brought to their end.
 */
export async function* reconciled(context: Deps): AsyncIterable<Rule[]> {
  for await (const slice of context.store.everyRule()) {
    const whole: Rule[] = [];
    for (const rule of slice) {
      const held = Object.values(rule.platforms);
      if (!held.some(isUnfinished)) whole.push(rule);
      else if (held.some(isUnanswered)) await undo(context, rule);
      else whole.push(await finish(context, rule));
    }
    yield whole;
  }
}

const isUnfinished = ({ status }: PlatformRule): boolean => status === 'pending';
const isUnanswered = ({ platformRuleId }: PlatformRule): boolean => platformRuleId === undefined;

async function undo({ store, registrations, log }: Deps, rule: Rule): Promise<void> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is undone');
  await store.deleteRule(rule.accountId, rule.id);
  await registrations.release(rule.platforms, idsOf(rule));
}

async function finish({ store, registrations, log }: Deps, rule: Rule): Promise<Rule> {
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
  return (await store.rule(rule.accountId, rule.id)) ?? rule;
}
