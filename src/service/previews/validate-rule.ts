/** Validate Rule: everything about a text, and whether it matches an event. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { explain } from '../../engine/explain/explain.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { queryOf, textsOfRequest } from '../../rules/rule-text.ts';
import { invalidArgument } from '../errors.ts';
import { analyzeLong, prepareLookup } from '../ingest/analysis.ts';
import { isSlowToRead } from '../perform/perform.ts';
import { part, partOf } from '../rules/explanation.ts';
import { remarksOn } from '../rules/rule-problems.ts';
import { fix, highlight, highlightToJson, options, payload, platform, position } from '../shapes.ts';
import { operation } from './room.ts';

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

export const validateRule = operation({
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
  async run({ languages, matching, clock }, _, { platform: name, value, event, options: flags }) {
    const language = languages[name];
    const issues = remarksOn(language, 'value', value);
    // Compiling the rule takes as long again.
    if (isSlowToRead(value)) await setImmediate();
    const view = event && (await viewOf(name, event));
    if (issues.some(({ severity }) => severity === 'error')) return { valid: false, issues };
    const text = textsOfRequest({ [name]: value }, flags)[name]!;
    const query = queryOf(language, text);
    if (query === undefined) return { valid: false, issues };
    const lookup = view && new ViewLookup(view, clock.now().getTime());
    if (lookup !== undefined) await prepareLookup(lookup);
    const explanation = lookup && explain(query, lookup);
    const canonical = language.print(language.parse(text.value).query!);
    const cost = { ...matching.rules[name].live.engine.cost(query) };
    if (lookup !== undefined) await setImmediate();
    return {
      valid: true,
      issues,
      canonical,
      cost,
      ...(explanation && {
        matched: explanation.holds,
        highlights: explanation.holds ? highlights(query, lookup).map(highlightToJson) : [],
        explanation: partOf(explanation),
      }),
    };
  },
});

async function viewOf(name: Platform, event: Payload): Promise<EventView> {
  const view = await analyzeLong(name, event);
  if (isRejection(view)) throw invalidArgument([{ path: 'event', message: `It is not an event: ${view.rejected}.` }]);
  return view;
}
