/** What a crash left between the steps of creating or changing a rule is brought to its end, or undone, at the start. */
import { PLATFORMS } from '../domain/platform.ts';
import type { PlatformRule, Rule } from '../domain/rule.ts';
import type { Context } from './context.ts';

type Deps = Pick<Context, 'store' | 'registrations' | 'budgets' | 'clock' | 'log'>;

/** On a shared store, a rule that young may just be on its way, made by another node. */
const UNDER_WAY_MS = 60_000;

/**
 * The rules as they are after the repair. One that some platform has never answered for is undone; one that all have
 * answered for is brought to its end. What upstreams hold of either is looked after once all rules are known.
 */
export async function* reconciled(context: Deps): AsyncIterable<Rule[]> {
  for await (const slice of context.store.everyRule()) {
    const whole: Rule[] = [];
    for (const rule of slice) {
      const held = Object.values(rule.platforms);
      if (!held.some(isUnfinished)) whole.push(rule);
      else if (isUnderWay(context, rule)) continue;
      else if (held.some(isUnanswered)) await undo(context, rule);
      else whole.push(await finish(context, rule));
    }
    for (const rule of whole) context.registrations.expect(asked(context, rule));
    yield whole;
  }
}

/** Without the platforms that the account has no budget for. */
const asked = ({ budgets }: Deps, rule: Rule): Rule => {
  const wanted = PLATFORMS.filter((name) => !budgets.isResting(rule.accountId, name));
  if (wanted.length === PLATFORMS.length) return rule;
  return { ...rule, platforms: Object.fromEntries(wanted.map((name) => [name, rule.platforms[name]])) };
};

const isUnderWay = ({ store, clock }: Deps, { createdAt }: Rule): boolean =>
  store.isShared && clock.now().getTime() - createdAt.getTime() < UNDER_WAY_MS;

const isUnfinished = ({ status }: PlatformRule): boolean => status === 'pending';
const isUnanswered = ({ platformRuleId }: PlatformRule): boolean => platformRuleId === undefined;

async function undo({ store, log }: Deps, rule: Rule): Promise<void> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is undone');
  await store.deleteRule(rule.accountId, rule.id);
}

async function finish({ store, log }: Deps, rule: Rule): Promise<Rule> {
  log.warn({ ruleId: rule.id }, 'a rule was not wholly created before a stop: it is finished');
  for (const name of PLATFORMS) {
    const held = rule.platforms[name];
    if (held !== undefined && isUnfinished(held)) await store.setRuleStatus(rule.id, name, { status: 'active' });
  }
  return (await store.rule(rule.accountId, rule.id)) ?? rule;
}
