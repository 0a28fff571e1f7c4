/** Suggest Changes: changed texts of a rule, each with what it would have done. It changes nothing of the rule. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { exampleMatch } from '../matches/matches.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { platformOf } from '../rules/rule-platform.ts';
import { platform, ruleId } from '../shapes.ts';
import { checkApplied } from './check-applied.ts';
import { keepSuggestions, suggestFor } from './make-suggestions.ts';
import { computed } from './room.ts';
import { asked, checked, suggestion } from './suggestion-shapes.ts';

export const suggestChanges = computed({
  name: 'suggestChanges',
  summary: 'Suggest changes of a rule',
  description:
    'Changed texts of a rule, from its ratings and from recent events: exclusions, narrower and wider forms. Each was tried on the rated and the newest matches, and shows what it would have removed and which relevant matches would be lost. One that may lose more than a very small part of what is wanted is not made, and matches without a rating count as wanted; `ask` has those whose ratings would decide most. Apply one with Update Rule; a day later `checked` compares what it did with what was predicted. Rate matches of both kinds first: without ratings there is little to go by. Changes nothing of the rule.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId, platform: platform.optional() }),
  output: z.object({
    suggestions: z.array(suggestion),
    basis: z.object({
      rated: z.int().describe('Rated matches that were looked at.'),
      recent: z.int().describe('Newest matches that were looked at.'),
    }),
    ask: asked,
    checked: z.array(checked).describe('Suggestions that were applied at least a day ago, the latest first.'),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id },
    output: {
      suggestions: [
        {
          id: 'sugg_01k3zqb2v4n8s6d0f3h5j7k9m1',
          platform: 'x',
          kind: 'exclude',
          change: '-game',
          value: 'volcano -game',
          effect: {
            irrelevant_removed: 9,
            irrelevant_total: 14,
            relevant_lost: 0,
            relevant_total: 40,
            recent_removed: 61,
            recent_total: 400,
            relevant_lost_upper: 0.088,
            relevant_lost_basis: 'rated',
            unrated_removed: 52,
            unrated_total: 346,
            recent_added: 0,
          },
          lost: [],
          unrated_removed: [],
        },
      ],
      basis: { rated: 54, recent: 400 },
      ask: [{ ...exampleMatch, rating: null }],
      checked: [],
    },
  },
  async run(context, caller, { rule_id, platform: wanted }) {
    const rule = await ruleOf(context, caller, rule_id);
    const names = namesOf(rule, wanted);
    const suggestions: z.input<typeof suggestion>[] = [];
    const ask: z.input<typeof asked> = [];
    const basis = { rated: 0, recent: 0 };
    for (const name of names) {
      const made = await suggestFor(context, caller, rule, name);
      suggestions.push(...made.suggestions);
      ask.push(...made.asked);
      basis.rated += made.rated.relevant.length + made.rated.irrelevant.length;
      basis.recent += made.rated.recent.length;
    }
    return { suggestions, basis, ask, checked: await checkApplied(context, rule, names) };
  },
  async finish(context, caller, { rule_id, platform: wanted }, answer) {
    const rule = await ruleOf(context, caller, rule_id);
    for (const name of namesOf(rule, wanted)) {
      const made = answer.suggestions.filter(({ platform: of }) => of === name);
      await keepSuggestions(context, rule, name, made);
    }
    return answer;
  },
});

const namesOf = (rule: Rule, wanted: Platform | undefined): Platform[] =>
  wanted === undefined ? PLATFORMS.filter((name) => rule.platforms[name]) : [platformOf(rule, wanted)];
