/** Delete Rule. */
import { z } from 'zod';
import type { RuleKeeping } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields } from '../access/change-notes.ts';
import { RESTORABLE_DAYS } from '../limits.ts';
import { ruleId, time } from '../shapes.ts';
import { exampleRule, ruleOf, unknownRule } from './read-rules.ts';
import { operation, type RulesRoom } from './room.ts';
import { leftBehind } from './rules-gone.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** Slices of matches that a request takes out of the charts; housekeeping goes on with the rest. */
const SLICES = 100;

export const deleteRule = operation({
  name: 'deleteRule',
  summary: 'Delete a rule',
  description: `Deletes a rule with its matches. After the answer, no further match of that rule is stored, shown or delivered. For ${RESTORABLE_DAYS} days Restore Rule takes both back; then they are erased.`,
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: z.object({ restorable_until: time.describe('Restore Rule takes the rule back before this time.') }),
  example: {
    input: { rule_id: exampleRule.id },
    output: { restorable_until: '2026-11-22T08:30:00.123Z' },
  },
  run: (context, caller, { rule_id }) =>
    context.locks.run(rule_id, async () => {
      const at = context.clock.now();
      const until = new Date(at.getTime() + RESTORABLE_DAYS * DAY);
      const { name } = await ruleOf(context, caller, rule_id);
      await removeRule(context, caller, rule_id, { at, until });
      await tellLeftBehind(context, caller.account.id, { id: rule_id, name, at, until });
      return { restorable_until: until.toISOString() };
    }),
});

interface Deleted extends RuleKeeping {
  readonly id: string;
  readonly name: string;
}

/** Webhooks, feeds, views and subscriptions for this rule alone fall silent, and their owner is told. */
async function tellLeftBehind(context: RulesRoom, accountId: string, { id, name, at, until }: Deleted): Promise<void> {
  const left = await leftBehind(context, accountId, id);
  if (left.length === 0) return;
  const message = `The rule ${name} was deleted, and nothing comes to what was for it alone: ${left.join(', ')}. Restore Rule revives them until ${until.toISOString()}.`;
  await context.notify(accountId, { type: 'rules_gone', at, subject: { ruleId: id }, message });
}

/** Without `keep` the rule cannot be restored. */
export async function removeRule(context: RulesRoom, caller: Caller, id: string, keep?: RuleKeeping): Promise<void> {
  const { store } = context;
  const rule = await ruleOf(context, caller, id);
  const note = changeNote(context.clock.now(), byCaller(caller), 'rule.deleted', id, { before: ruleFields(rule) });
  if (!(await store.deleteRule(rule.accountId, id, note, keep))) throw unknownRule();
  context.matching.drop(id);
  context.live.forget(rule.accountId);
  context.live.endRule(id);
  await context.registrations.release(rule.platforms);
  for (let slices = 0; slices < SLICES; slices++) if (!(await store.moveMatches(id))) break;
  await context.nodes.caughtUp();
}
