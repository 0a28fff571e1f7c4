/** Validate Rule: everything about a text, and whether it matches an event. */
import { z } from 'zod';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { explain } from '../../engine/explain/explain.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { queryOf, textsOfRequest } from '../../rules/rule-text.ts';
import { invalidArgument } from '../errors.ts';
import { part, partOf } from '../rules/explanation.ts';
import { remarksOn } from '../rules/rule-problems.ts';
import { fix, highlight, highlightToJson, options, payload, platform, position } from '../shapes.ts';
import { computed } from './room.ts';

export const remark = z.object({
  path: z.string(),
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string(),
  position: position.optional(),
  suggestion: z.string().optional().describe('The whole text with every error fixed in the most likely way.'),
  fixes: z
    .array(fix)
    .optional()
    .describe('Whole texts without this problem, each with its meaning; several if several meanings are likely.'),
});

export const validateRule = computed({
  name: 'validateRule',
  summary: 'Check a rule without creating it',
  description:
    'Returns whether the text is a valid rule, and every error and warning with its place. For a valid rule the answer has its canonical form and its matching cost. With an `event` (a post `{ data, includes? }` or a page, as in Push Events) it also says whether the rule matches the event, where, and which parts are true. An invalid rule is a normal answer with `valid: false`.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    platform,
    value: z.string().describe("The rule, in the platform's language."),
    event: payload.optional().describe('A post or page to try the rule on.'),
    options: options.optional(),
  }),
  output: z.object({
    valid: z.boolean(),
    issues: z.array(remark),
    canonical: z.string().optional(),
    cost: z.record(z.string(), z.unknown()).optional(),
    matched: z.boolean().optional(),
    highlights: z.array(highlight).optional(),
    explanation: part.optional().describe('Every part of the rule, and whether it is true for the event.'),
  }),
  example: {
    input: { platform: 'x', value: 'volcano', event: { data: { id: '1', text: 'A volcano erupts.' } } },
    output: {
      valid: true,
      issues: [],
      canonical: 'volcano',
      matched: true,
      highlights: [{ field: 'data.text', start: 2, end: 9 }],
      explanation: {
        label: 'text has "volcano"',
        holds: true,
        highlights: [{ field: 'data.text', start: 2, end: 9 }],
        of: [],
      },
    },
  },
  async run({ languages, clock }, _, { platform: name, value, event, options: flags }) {
    const language = languages[name];
    const issues = remarksOn(language, 'value', value);
    const view = event && viewOf(name, event);
    if (issues.some(({ severity }) => severity === 'error')) return { valid: false, issues };
    const text = textsOfRequest({ [name]: value }, flags)[name]!;
    const query = queryOf(language, text);
    if (query === undefined) return { valid: false, issues };
    const lookup = view && new ViewLookup(view, clock.now().getTime());
    const explanation = lookup && explain(query, lookup);
    return {
      valid: true,
      issues,
      canonical: language.print(language.queryOf(text.value)!),
      ...(explanation && {
        matched: explanation.holds,
        highlights: explanation.holds ? highlights(query, lookup).map(highlightToJson) : [],
        explanation: partOf(explanation),
      }),
    };
  },
  /** The live rules know how frequent words are. */
  async finish({ languages, matching }, _, { platform: name, value, options: flags }, { canonical, ...answer }) {
    const query = answer.valid ? queryOf(languages[name], textsOfRequest({ [name]: value }, flags)[name]!) : undefined;
    if (query === undefined) return answer;
    const { valid, issues, ...explained } = answer;
    return { valid, issues, canonical, cost: { ...matching.rules[name].live.engine.cost(query) }, ...explained };
  },
});

function viewOf(name: Platform, event: Payload): EventView {
  const view = newAnalyzer(name)(event);
  if (isRejection(view)) throw invalidArgument([{ path: 'event', message: `It is not an event: ${view.rejected}.` }]);
  return view;
}
