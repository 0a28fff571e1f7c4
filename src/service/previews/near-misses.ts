/** Near Misses: for each clause of a rule, the recent events that it alone kept from matching. It creates nothing. */
import { z } from 'zod';
import type { Platform } from '../../domain/platform.ts';
import { EVERYTHING } from '../../rules/query.ts';
import { flagsQueryOf, type RuleText, textsOfRequest } from '../../rules/rule-text.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { type Issue, ServiceError } from '../errors.ts';
import { exampleRule, platformOf, ruleOf } from '../rules/read-rules.ts';
import { fieldsOf, positionOf, problemsOfText } from '../rules/rule-problems.ts';
import { options, platform, position, ruleId, time } from '../shapes.ts';
import { type MissedClause, missesOnRecent } from './misses-on-recent.ts';
import { basisOf, found, foundToJson, incomplete } from './preview-rule.ts';
import { computed } from './room.ts';

/** A rule with more clauses has so many listed: those that kept the most events from matching. */
const MAX_CLAUSES = 32;

export const clause = z.object({
  text: z.string().describe('The clause as the rule has it.'),
  span: position,
  missed: z.int().describe('Recent events that fail by this clause alone: every other clause holds.'),
  demo_missed: z.int().optional().describe('How many of those the demo feed invented.'),
  samples: z.array(found).describe('The newest of them; highlights show where the other clauses hold.'),
});

export const nearMisses = computed({
  name: 'nearMisses',
  summary: 'See what a rule nearly matched',
  description:
    'The answer to "my rule matches nothing". For each clause that the rule joins by AND, in the order of the text: how many recent events fail by that clause alone, with up to `limit` of them. Takes a stored rule (`rule_id`, and `platform` where it is on both) or a text (`platform` and `value`). Creates nothing.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({
    rule_id: ruleId.optional(),
    platform: platform.optional(),
    value: z.string().optional().describe("The rule, in the platform's language."),
    options: options.optional(),
    limit: z.int().min(0).max(10).default(3),
  }),
  output: z.object({
    platform,
    value: z.string(),
    basis: z.object({
      events: z.int().describe('How many recent events were looked at.'),
      complete: incomplete,
      span: z.object({ from: time, to: time }).nullable().describe('When the oldest and the newest of them arrived.'),
      of: basisOf,
      demo_events: z.int().optional().describe('How many of them the demo feed invented.'),
    }),
    matched: z.int().describe('How many of them the rule matches.'),
    demo_matched: z.int().optional().describe('How many of those that match the demo feed invented.'),
    clauses: z.array(clause),
    clauses_left_out: z
      .int()
      .optional()
      .describe(`The rule has this many clauses more; the ${MAX_CLAUSES} that kept the most events out are listed.`),
  }),
  example: {
    input: { rule_id: exampleRule.id, limit: 1 },
    output: {
      platform: 'x',
      value: 'volcano lang:en',
      basis: {
        events: 50_000,
        span: { from: '2026-11-15T07:30:00.000Z', to: '2026-11-15T08:30:00.123Z' },
        of: 'whole_stream',
      },
      matched: 0,
      clauses: [
        { text: 'volcano', span: { start: 0, end: 7 }, missed: 31_022, samples: [] },
        {
          text: 'lang:en',
          span: { start: 8, end: 15 },
          missed: 12,
          samples: [
            {
              platform_post_id: '1989234567890123456',
              at: '2026-11-15T08:30:00.123Z',
              payload: { data: { id: '1989234567890123456', text: 'El volcano', lang: 'es' } },
              highlights: [{ field: 'data.text', start: 3, end: 10 }],
            },
          ],
        },
      ],
    },
  },
  problems: problemsOf,
  async run(context, caller, { limit, ...input }) {
    const { name, text } = await textOf(context, caller, input);
    const language = context.languages[name];
    const also = name === 'firehose' ? flagsQueryOf(text.flags) : EVERYTHING;
    const clausesOfText = language.clauses(text.value);
    if (clausesOfText.length === 0) {
      throw new ServiceError('failed_precondition', 'The rule can no longer be read by this version.');
    }
    const trial = { platform: name, clauses: clausesOfText, also, limit };
    const { store, settings, platforms } = context;
    const recent = store.recentEvents(caller.account.id, name, settings.recentEvents);
    const missed = await missesOnRecent(recent, trial, context);
    const { events, complete, oldest, newest, matched, realMatched, real, clauses } = missed;
    const isMixed = real.events < events;
    const listed = mostMissed(clauses);
    return {
      platform: name,
      value: text.value,
      basis: {
        events,
        ...(!complete && { complete }),
        span: oldest && newest ? { from: oldest.toISOString(), to: newest.toISOString() } : null,
        of: platforms[name].shape === 'local' ? ('whole_stream' as const) : ('existing_rules' as const),
        ...(isMixed && { demo_events: events - real.events }),
      },
      matched,
      ...(isMixed && { demo_matched: matched - realMatched }),
      clauses: listed.map(({ start, end, missed: count, invented, samples }) => ({
        text: text.value.slice(start, end),
        span: positionOf(text.value, start, end),
        missed: count,
        ...(invented > 0 && { demo_missed: invented }),
        samples: samples.map(foundToJson),
      })),
      ...(listed.length < clauses.length && { clauses_left_out: clauses.length - listed.length }),
    };
  },
});

function problemsOf(context: ReadContext, input: unknown): Issue[] {
  const { rule_id, platform: name, value } = fieldsOf(input);
  if ((rule_id === undefined) === (value === undefined)) {
    return [{ path: 'rule_id', message: 'Give either `rule_id`, or `platform` and `value`.' }];
  }
  if (value === undefined) return [];
  if (name === undefined) return [{ path: 'platform', message: 'It is required, because `value` is given.' }];
  return name === 'x' || name === 'firehose' ? problemsOfText(context, 'value', name, value) : [];
}

export interface AskedRule {
  readonly rule_id?: string | undefined;
  readonly platform?: Platform | undefined;
  readonly value?: string | undefined;
  readonly options?: z.output<typeof options> | undefined;
}

async function textOf(
  context: ReadContext,
  caller: Caller,
  { rule_id, platform: asked, value, options: flags }: AskedRule,
): Promise<{ name: Platform; text: RuleText }> {
  if (rule_id === undefined) return { name: asked!, text: textsOfRequest({ [asked!]: value }, flags)[asked!]! };
  const rule = await ruleOf(context, caller, rule_id);
  const name = platformOf(rule, asked);
  return { name, text: rule.platforms[name]! };
}

/** In the order of the text. */
function mostMissed(clauses: readonly MissedClause[]): readonly MissedClause[] {
  if (clauses.length <= MAX_CLAUSES) return clauses;
  const most = clauses.toSorted((one, other) => other.missed - one.missed).slice(0, MAX_CLAUSES);
  return most.toSorted((one, other) => one.start - other.start);
}
