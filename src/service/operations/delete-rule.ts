/** Delete Rule. */
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote, ruleFields } from '../change-notes.ts';
import type { Context } from '../context.ts';
import { ruleId } from '../shapes.ts';
import { operation } from './operation.ts';
import { exampleRule, ruleOf, unknownRule } from './read-rules.ts';

export const deleteRule = operation({
  name: 'deleteRule',
  summary: 'Delete a rule',
  description:
    'Deletes a rule with its matches. After the answer, no further match of that rule is stored or delivered.',
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: z.object({}),
  example: { input: { rule_id: exampleRule.id }, output: {} },
  run: (context, caller, { rule_id }) => context.turns.inTurn(rule_id, () => removeRule(context, caller, rule_id)),
});

export async function removeRule(context: Context, caller: Caller, id: string): Promise<Record<string, never>> {
  const rule = await ruleOf(context, caller, id);
  const note = changeNote(context.clock.now(), byCaller(caller), 'rule.deleted', id, { before: ruleFields(rule) });
  if (!(await context.store.deleteRule(rule.accountId, id, note))) throw unknownRule();
  context.matching.drop(id);
  context.live.forget(rule.accountId);
  context.live.endRule(id);
  await context.registrations.release(rule.platforms);
  await context.nodes.caughtUp();
  return {};
}
