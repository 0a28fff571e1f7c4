/** Restore Rule: takes a deleted rule back, with its matches, within seven days. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { listedRule, ruleId } from '../shapes.ts';
import { operation } from './operation.ts';
import { exampleRule } from './read-rules.ts';

export const restoreRule = operation({
  name: 'restoreRule',
  summary: 'Restore a deleted rule',
  description:
    'Takes back a rule that was deleted within the last 7 days: with its id, its version, and those of its matches that retention has kept. It is registered again on every platform or on none, and limits count as for a new rule. What was published while it was deleted was not watched: that time is a gap.',
  access: 'full',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId }),
  output: listedRule,
  example: { input: { rule_id: exampleRule.id }, output: exampleRule },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
