/** Explain Event: why a rule missed a post or page, and the smallest change with which it would have matched it. */
import { z } from 'zod';
import { parseUrl } from '../../base/parse-url.ts';
import type { Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { explain } from '../../engine/explain/explain.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { type RuleText, textsOfRequest } from '../../rules/rule-text.ts';
import { shownText } from '../../signal/shown-text.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import { exampleMatch } from '../matches/matches.ts';
import type { AskedRule } from '../previews/near-misses.ts';
import { basisOf, incomplete } from '../previews/preview-rule.ts';
import { part, partOf } from '../rules/explanation.ts';
import { exampleRule, platformOf, ruleOf } from '../rules/read-rules.ts';
import { fieldsOf, problemsOfText } from '../rules/rule-problems.ts';
import { characters, eventIdOf, options, payload, platform, ruleId, time } from '../shapes.ts';
import { type FoundEvent, findEvent } from './find-event.ts';
import { type NearChange, nearChanges } from './nearest-change.ts';
import { computed } from './room.ts';
import { tryChanges } from './try-changes.ts';

const WISHES = ['event', 'text', 'url', 'event_id'] as const;
/** Changes beside the smallest one. */
const MAX_OTHERS = 3;

const change = z.object({
  change: z.string().describe('What is made wider or left out.'),
  value: z.string().describe('The whole new text.'),
  options: options.optional().describe('Flags that must change too.'),
  added: z.int().describe('How many more recent events the rule would have matched.'),
  demo_added: z.int().optional().describe('How many of those the demo feed invented.'),
});

export const explainEvent = computed({
  name: 'explainEvent',
  summary: 'Explain why a rule missed an event',
  description:
    'The answer to "why did my rule miss this post?": every part of the rule, whether it is true for the event, and `nearest`, the change that matches it and lets in the fewest other recent events. Takes a stored rule (`rule_id`) or a text (`platform` and `value`). Give one of `event` (a post `{ data, includes? }` or a page, as in Push Events), `text`, `url` or `event_id` (also the platform\'s own id). Those three are looked up among the recent events and stored matches of the account; nothing is fetched. A `text` that is found nowhere is explained as a post or page with this text and nothing else. Changes nothing.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({
    rule_id: ruleId.optional(),
    platform: platform.optional(),
    value: z.string().optional().describe("The rule, in the platform's language, in place of `rule_id`."),
    options: options.optional().describe('Flags of that text.'),
    event: payload.optional().describe('A post or page as JSON.'),
    text: characters(3, 25_000).optional().describe('Words of it, in upper or lower case.'),
    url: z.string().max(4_096).optional().describe('Its address, which is not fetched.'),
    event_id: z.string().min(1).max(1_024).optional().describe('Its `event_id`, or the id that its platform gave it.'),
  }),
  output: z.object({
    rule_id: z.string().optional().describe('Absent where a text was given.'),
    platform,
    value: z.string(),
    found: z
      .enum(['given', 'recent', 'stored', 'text_only'])
      .describe(
        'Where the event is from: the request, the recent events or the stored matches. `text_only`: it was found nowhere, so nothing but its text is known.',
      ),
    event_id: z.string().optional(),
    at: time.optional().describe('When it arrived, where it was found.'),
    demo: z.literal(true).optional().describe('The demo feed invented it.'),
    payload,
    matched: z.boolean().describe('Whether the rule as it is now matches it.'),
    explanation: part,
    nearest: change.nullable().describe('Null where the rule matches it, or no small change does.'),
    others: z.array(change).describe('Other changes that match it, those that let in the fewest events first.'),
    basis: z.object({
      events: z.int().describe('How many recent events the changes were tried on.'),
      complete: incomplete,
      matched: z.int().describe('How many of them the rule matches.'),
      of: basisOf,
      demo_events: z.int().optional().describe('How many of them the demo feed invented.'),
      demo_matched: z.int().optional().describe('How many of those that match the demo feed invented.'),
    }),
  }),
  example: {
    input: { rule_id: exampleRule.id, text: 'the volcano is erupting' },
    output: {
      rule_id: exampleRule.id,
      platform: 'x',
      value: 'eruption',
      found: 'recent',
      event_id: exampleMatch.event_id,
      at: '2026-11-15T08:30:00.123Z',
      payload: exampleMatch.payload,
      matched: false,
      explanation: { label: 'text has "eruption"', holds: false, highlights: [], of: [], near: ['erupting'] },
      nearest: {
        change: 'eruption OR erupting instead of eruption',
        value: 'eruption OR erupting',
        added: 7,
      },
      others: [{ change: 'eruption OR volcano instead of eruption', value: 'eruption OR volcano', added: 31 }],
      basis: { events: 50_000, matched: 12, of: 'whole_stream' },
    },
  },
  problems: problemsOf,
  async run(context, caller, input) {
    const texts = await askedTexts(context, caller, input);
    const event = await findEvent(context, caller, Object.keys(texts) as Platform[], input);
    const text = texts[event.platform]!;
    const query = context.queryOf(event.platform, text);
    if (query === undefined) {
      throw new ServiceError('failed_precondition', 'The rule can no longer be read by this version.');
    }
    const lookup = lookupOf(event);
    const explanation = explain(query, lookup);
    const widening = {
      language: context.languages[event.platform],
      lookup,
      text: shownText(event.platform, event.payload),
    };
    const changes = explanation.holds ? [] : nearChanges(widening, text);
    return {
      ...(input.rule_id !== undefined && { rule_id: input.rule_id }),
      platform: event.platform,
      value: text.value,
      ...foundToJson(event),
      matched: explanation.holds,
      explanation: partOf(explanation),
      ...(await triedChanges(context, caller, { platform: event.platform, query }, changes)),
    };
  },
});

/** The changes with what each would have added, the smallest first, and what they were tried on. */
async function triedChanges(
  { store, settings, clock, checkpoint, platforms }: ReadContext,
  { account }: Caller,
  rule: { readonly platform: Platform; readonly query: Query },
  changes: readonly NearChange[],
) {
  const recent = store.recentEvents(account.id, rule.platform, settings.recentEvents);
  const tried = await tryChanges(recent, { ...rule, clock, checkpoint }, changes);
  const invented = tried.events - tried.real.events;
  const [nearest = null, ...others] = changes
    .map((one, at) => ({ one, ...tried.added[at]! }))
    .toSorted((one, other) => one.all - other.all)
    .map(({ one, all, real }) => changeToJson(one, all, invented > 0 ? all - real : undefined));
  return {
    nearest,
    others: others.slice(0, MAX_OTHERS),
    basis: {
      events: tried.events,
      ...(!tried.complete && { complete: tried.complete }),
      matched: tried.matched,
      of: platforms[rule.platform].shape === 'local' ? ('whole_stream' as const) : ('existing_rules' as const),
      ...(invented > 0 && { demo_events: invented, demo_matched: tried.matched - tried.realMatched }),
    },
  };
}

/** The texts that the question is about: a stored rule on all of its platforms or on one, or a text that was given. */
async function askedTexts(
  context: ReadContext,
  caller: Caller,
  { rule_id, platform: asked, value, options: flags }: AskedRule,
): Promise<Partial<Record<Platform, RuleText>>> {
  if (rule_id === undefined) return textsOfRequest({ [asked!]: value }, flags);
  const { platforms, ...rule } = await ruleOf(context, caller, rule_id);
  if (asked === undefined) return platforms;
  const name = platformOf({ ...rule, platforms }, asked);
  return { [name]: platforms[name]! };
}

function problemsOfRule(context: ReadContext, { rule_id, platform: name, value }: Record<string, unknown>): Issue[] {
  if ((rule_id === undefined) === (value === undefined))
    return [{ path: 'rule_id', message: 'Give either `rule_id`, or `platform` and `value`.' }];
  if (value === undefined) return [];
  if (name !== 'x' && name !== 'firehose')
    return [{ path: 'platform', message: 'It is required, because `value` is given.' }];
  return problemsOfText(context, 'value', name, value);
}

function problemsOf(context: ReadContext, input: unknown): Issue[] {
  const fields = fieldsOf(input);
  const wrong = problemsOfRule(context, fields);
  if (wrong.length > 0) return wrong;
  const given = WISHES.filter((name) => fields[name] !== undefined && fields[name] !== null);
  if (given.length !== 1)
    return [{ path: 'event', message: 'Give exactly one of `event`, `text`, `url` and `event_id`.' }];
  const { url } = fields;
  const isAddress = typeof url !== 'string' || /^https?:$/.test(parseUrl(url)?.protocol ?? '');
  return isAddress ? [] : [{ path: 'url', message: 'It is no address that begins with http:// or https://.' }];
}

function lookupOf({ platform: name, payload: body, at }: FoundEvent): ViewLookup {
  const view = newAnalyzer(name)(body);
  if (isRejection(view)) throw invalidArgument([{ path: 'event', message: `It is not an event: ${view.rejected}.` }]);
  return new ViewLookup(view, at.getTime());
}

const foundToJson = ({ found, platform: name, payload: body, at, postId, source }: FoundEvent) => ({
  found,
  ...(postId !== undefined && {
    event_id: eventIdOf({ platform: name, platformPostId: postId }),
    at: at.toISOString(),
  }),
  ...(isDemo({ source }) && { demo: true as const }),
  payload: body,
});

const changeToJson = (
  { change: what, value, flags }: NearChange,
  added: number,
  invented: number | undefined,
): z.input<typeof change> => ({
  change: what,
  value,
  ...(flags !== undefined && { options: { firehose: flags } }),
  added,
  ...(invented !== undefined && { demo_added: invented }),
});
