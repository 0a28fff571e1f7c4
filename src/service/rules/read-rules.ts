/** List Rules and Get Rule. */
import { z } from 'zod';
import { unhurried } from '../../base/cooperate.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { DeletedRule } from '../../store/store.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { listedRule, type RuleView, ruleId, ruleToJson } from '../shapes.ts';
import { operation, type RulesRoom } from './room.ts';

export const exampleRule: z.input<typeof listedRule> = {
  id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
  name: 'Volcano news',
  intent: 'Tell me when a volcano erupts.',
  platforms: {
    x: {
      platform_rule_id: '4821905537710498812',
      translated_value: '(volcano OR lava) erupting lang:en',
      rule_type: 'premium',
      status: 'active',
      match_count: 12,
      last_match_at: '2026-11-15T08:30:00.123Z',
    },
  },
  created_at: '2026-11-14T10:00:00.000Z',
  version: 1,
  paused: false,
  alerts: { surge: false, silence: false },
};

/** In a query string a boolean is text. */
const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());

const rulesInput = z.strictObject({
  deleted: flag.optional().describe('The deleted rules that can be restored, instead of the others.'),
});

export const listRules = operation({
  name: 'listRules',
  summary: 'List all rules',
  description:
    'All rules of the account, oldest first. It has no pages; the answer is streamed. With `deleted` it lists instead the rules that Restore Rule can take back, the one that was deleted last first.',
  access: 'read',
  grants: 'rules',
  input: rulesInput,
  output: z.object({ rules: z.array(listedRule) }),
  example: { input: {}, output: { rules: [exampleRule] } },
  async run(context, caller, asked) {
    const rules: z.input<typeof listedRule>[] = [];
    for await (const slice of slices(context, caller, asked)) rules.push(...slice);
    return { rules };
  },
  stream: { property: 'rules', slices },
});

async function* slices(
  context: RulesRoom,
  caller: Caller,
  { deleted = false }: z.output<typeof rulesInput>,
): AsyncIterable<z.input<typeof listedRule>[]> {
  const view = { ...viewOf(context, caller), whyDead: context.deadTexts.forList() };
  if (deleted) {
    for await (const slice of context.store.deletedRules(caller.account.id, context.clock.now()))
      yield await shownOf(
        slice.filter(({ id }) => seesRule(caller, id)),
        (rule) => deletedToJson(rule, view),
      );
    return;
  }
  for await (const slice of rulesSeenBy(context, caller)) yield await shownOf(slice, (rule) => ruleToJson(rule, view));
}

/** A text may have to be analysed to show its rule: a long one takes milliseconds, and a slice has hundreds. */
async function shownOf<R extends Rule>(
  rules: readonly R[],
  show: (rule: R) => z.input<typeof listedRule>,
): Promise<z.input<typeof listedRule>[]> {
  const shown: z.input<typeof listedRule>[] = [];
  for await (const rule of unhurried(rules, weightOf)) shown.push(show(rule));
  return shown;
}

/** Characters that take as long to analyse as one of the small things between two pauses. */
const CHARACTERS_A_PIECE = 256;

const weightOf = ({ platforms }: Rule): number =>
  Object.values(platforms).reduce((sum, { value }) => sum + value.length / CHARACTERS_A_PIECE, 1);

const deletedToJson = (rule: DeletedRule, view: RuleView): z.input<typeof listedRule> => ({
  ...ruleToJson(rule, view),
  deleted_at: rule.deletedAt.toISOString(),
  restorable_until: rule.restorableUntil.toISOString(),
});

/** The rules that the caller may know of, oldest first, from the beginning or after one of them. */
export async function* rulesSeenBy(
  { store }: Pick<RulesRoom, 'store'>,
  { account, grant }: Caller,
  after = '',
): AsyncIterable<Rule[]> {
  if (grant?.ruleIds === undefined) return yield* store.rules(account.id, after);
  const ids = grant.ruleIds.toSorted().filter((id) => id > after);
  const rules = await Promise.all(ids.map((id) => store.rule(account.id, id)));
  yield rules.filter((rule) => rule !== undefined);
}

/** How the caller's rules are shown. */
export const viewOf = (
  { platforms, budgets, deadTexts }: Pick<RulesRoom, 'platforms' | 'budgets' | 'deadTexts'>,
  { account }: Caller,
): RuleView => ({
  whyDead: deadTexts.whyDead,
  isUpstream: (name) => platforms[name].shape === 'upstream',
  reasonToRest: (name) => budgets.reasonToRest(account, name),
});

export const getRule = operation({
  name: 'getRule',
  summary: 'Get one rule',
  description: 'One rule, as List Rules shows it.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: listedRule,
  example: { input: { rule_id: exampleRule.id }, output: exampleRule },
  run: async (context, caller, { rule_id }) =>
    ruleToJson(await ruleOf(context, caller, rule_id), viewOf(context, caller)),
});

/** A rule of the caller. The answer for another account's rule, or one outside an agent's grant, is the same as for an unknown one. */
export async function ruleOf({ store }: Pick<ReadContext, 'store'>, caller: Caller, id: string): Promise<Rule> {
  const rule = seesRule(caller, id) ? await store.rule(caller.account.id, id) : undefined;
  if (rule === undefined) throw unknownRule();
  return rule;
}

export const unknownRule = (): ServiceError => new ServiceError('not_found', 'There is no such rule.');

// The platform of a rule that a request is about.

/** Asked for, or the only one; refused where the rule is on both and none is named, or is not on the one that is. */
export function platformOf({ platforms }: Rule, asked: Platform | undefined): Platform {
  const names = Object.keys(platforms) as Platform[];
  if (asked === undefined && names.length > 1)
    throw invalidArgument([{ path: 'platform', message: `The rule is on ${names.join(' and ')}: say which one.` }]);
  const name = asked ?? names[0]!;
  if (platforms[name] === undefined)
    throw invalidArgument([{ path: 'platform', message: `The rule is not on ${name}.` }]);
  return name;
}
