/**
 * Whether an account may have one more rule on a platform, and the sources that it names: limits of rules, and the
 * budget of the month.
 */
import type { Account } from '../../domain/account.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleLimits, RuleOverLimit } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { type Issue, invalidArgument, type ServiceError } from '../errors.ts';
import { limitOf, limitReached } from '../limits.ts';
import type { RulesRoom } from './room.ts';

export function ruleLimitsOf({ settings }: Pick<RulesRoom, 'settings'>, account: Account): RuleLimits {
  const firehose = limitOf(settings.limits, account, 'firehose_rules');
  return { x: account.xRules, ...(firehose !== undefined && { firehose }) };
}

/** The error for a rule that the store had no room for. */
export function ruleLimitError(
  { settings }: Pick<RulesRoom, 'settings'>,
  limits: RuleLimits,
  { overLimit: name, used }: RuleOverLimit,
): ServiceError {
  const limit = limits[name]!;
  return limitReached(
    name === 'x' ? 'x_rules' : 'firehose_rules',
    `All ${limit} rules of the account on ${name} are in use. Delete one first.`,
    { support: settings.support, details: { platform: name, limit, used } },
  );
}

/** Refuses before anything is registered; the store counts once more when it stores the rule. */
export async function checkRuleRoom(
  context: RulesRoom,
  account: Account,
  platforms: readonly Platform[],
): Promise<void> {
  refuseWhenSpent(context, account, platforms);
  const limits = ruleLimitsOf(context, account);
  const counted = await context.store.countRules(account.id);
  for (const name of platforms) {
    const used = counted[name] ?? 0;
    if (used >= (limits[name] ?? Infinity)) throw ruleLimitError(context, limits, { overLimit: name, used });
  }
}

export function refuseWhenSpent(
  { budgets, settings }: Pick<RulesRoom, 'budgets' | 'settings'>,
  account: Account,
  platforms: readonly Platform[],
): void {
  const reason = platforms.includes('x') ? budgets.reasonToRest(account, 'x') : undefined;
  if (reason === undefined) return;
  throw limitReached('x_budget', reason, {
    support: settings.support,
    details: { platform: 'x', budget: account.xBudget ?? settings.limits?.xBudget },
  });
}

/** Throws when one is not a source of the caller or of the operator, or cannot reach a platform of the rule. */
export async function checkSources(
  context: Pick<RulesRoom, 'store' | 'operatorSources' | 'platforms'>,
  caller: Caller,
  sources: readonly string[] | null | undefined,
  platforms: readonly Platform[],
): Promise<void> {
  if (sources === undefined || sources === null) return;
  const issues = await unknownSources(context, caller, sources, 'options.sources');
  const upstream = platforms.find((name) => context.platforms[name].shape === 'upstream');
  if (upstream !== undefined)
    issues.push({
      path: 'options.sources',
      message: `\`${upstream}\` is a real upstream here, which no source feeds. Leave the platform out.`,
    });
  if (issues.length > 0) throw invalidArgument(issues);
}

/** An issue for each that is neither a source of the caller nor one of the operator. */
export async function unknownSources(
  { store, operatorSources }: Pick<RulesRoom, 'store' | 'operatorSources'>,
  { account }: Caller,
  sources: readonly string[],
  path: string,
): Promise<Issue[]> {
  const own = await Promise.all(sources.map((id) => store.accountSource(account.id, id)));
  return sources.flatMap((id, at) =>
    own[at] !== undefined || operatorSources.some(({ name }) => name === id)
      ? []
      : [{ path: `${path}.${at}`, message: `There is no source ${id}. List Sources has the ids.` }],
  );
}
