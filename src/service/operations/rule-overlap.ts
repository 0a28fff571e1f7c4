/** Rule Overlap: how many events several rules have in common. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { instant, ruleId } from '../shapes.ts';
import { countedPart } from './match-facets.ts';
import { operation } from './operation.ts';
import { exampleRule } from './read-rules.ts';

const otherRule = 'rule_01k3zq8m7e5w9c2t4r6y8p0a2c';

export const ruleOverlap = operation({
  name: 'ruleOverlap',
  summary: 'Compare what rules match',
  description:
    'How many matches each rule has, and how many events every two rules have both matched. The newest matches are counted, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough. Without `rule_ids`, the 20 rules with the most of the counted matches are compared.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    rule_ids: z.array(ruleId).min(1).max(20).optional(),
    from: instant.optional().describe('Only matches stored at or after this time.'),
    to: instant.optional().describe('Only matches stored before this time.'),
  }),
  output: z.object({
    rules: z.array(z.object({ rule_id: z.string(), matches: z.int() })).describe('The most matches first.'),
    pairs: z
      .array(
        z.object({ a: z.string(), b: z.string(), shared: z.int().describe('Events that both rules have matched.') }),
      )
      .describe('The most shared first. Two rules that share nothing are left out.'),
    ...countedPart,
  }),
  example: {
    input: { rule_ids: [exampleRule.id, otherRule] },
    output: {
      rules: [
        { rule_id: exampleRule.id, matches: 12 },
        { rule_id: otherRule, matches: 9 },
      ],
      pairs: [{ a: exampleRule.id, b: otherRule, shared: 4 }],
      counted: 21,
      complete: true,
      counted_from: null,
    },
  },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
