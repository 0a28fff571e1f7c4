/** Draft Rule: the rule that an intent asks for, or the shortest one that parts wanted events from unwanted ones. It creates nothing. */
import { z } from 'zod';
import type { Payload, Rating } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import { lintIntent } from '../rules/intent-lint.ts';
import { platformOf, ruleOf } from '../rules/read-rules.ts';
import { fieldsOf } from '../rules/rule-problems.ts';
import { characters, payload, platform, ruleId } from '../shapes.ts';
import { type DraftedRule, draftFromExamples, type Examples, type Work } from './draft-from-examples.ts';
import { countsOnRecent, draftFromIntent } from './draft-from-intent.ts';
import { judgeTexts } from './rated-matches.ts';
import { computed } from './room.ts';

/** Examples of one kind. */
const MAX_EXAMPLES = 500;
const MAX_ALTERNATIVES = 4;
/** Rated matches are read up to so many bytes: their payloads may be large. */
const RATED_BYTES = 8 * 1024 * 1024;

export const fit = z.object({
  wanted: z.int(),
  wanted_matched: z.int(),
  unwanted: z.int(),
  unwanted_matched: z.int(),
});

export const draftRule = computed({
  name: 'draftRule',
  summary: 'Draft a rule from a sentence or examples',
  description:
    'A valid rule from a sentence, from examples or from both, with how many of the examples it matches, and up to four other rules. From `intent`: its names and words, in the forms that recent events use. From examples: the shortest rule that matches the wanted events and not the unwanted ones; words that several wanted events share come before rare ones. From both: the rule of the sentence, made wider or narrower until it fits the examples. Takes events as Push Events does, or `rule_id`, whose rated matches are then the examples (start over from what was liked). Creates nothing; a sentence has few words, so try the rule with Preview Rule.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    platform: platform.optional().describe('Required, unless `rule_id` names a rule on one platform.'),
    wanted: z.array(payload).min(1).max(MAX_EXAMPLES).optional(),
    unwanted: z.array(payload).max(MAX_EXAMPLES).optional(),
    rule_id: ruleId.optional(),
    intent: characters(0, 2_000).optional().describe('What the rule is for. Enough without examples.'),
  }),
  output: z.object({
    platform,
    value: z.string(),
    fit,
    alternatives: z.array(z.object({ value: z.string(), fit })).describe('The best first.'),
    notes: z.array(z.string()).describe('What in `intent` the rule says nothing of.'),
  }),
  example: {
    input: {
      platform: 'x',
      wanted: [{ data: { id: '1', text: 'The volcano erupts' } }, { data: { id: '2', text: 'A volcano in Iceland' } }],
      unwanted: [{ data: { id: '3', text: 'Volcano, the game, is on sale' } }],
    },
    output: {
      platform: 'x',
      value: 'volcano',
      fit: { wanted: 2, wanted_matched: 2, unwanted: 1, unwanted_matched: 1 },
      alternatives: [],
      notes: [],
    },
  },
  problems: problemsOf,
  async run(context, caller, input) {
    const { name, examples } = await examplesOf(context, caller, input);
    const language = context.languages[name];
    const work = { language, now: context.clock.now().getTime(), checkpoint: context.checkpoint };
    refuseBroken(context, name, examples);
    const [best, ...others] = await drafts(context, caller, work, { ...input, examples });
    if (best === undefined) throw new ServiceError('failed_precondition', NO_WORD);
    const query = language.queryOf(best.value)!;
    return {
      platform: name,
      ...best,
      alternatives: others.slice(0, MAX_ALTERNATIVES),
      notes: lintIntent(name, query, input.intent ?? '').map(({ message }) => message),
    };
  },
});

const NO_WORD =
  'There is no word by which a rule could find it. Name what the posts or pages say: a brand, a place, a thing that happens.';

interface Asked {
  readonly intent?: string | undefined;
  readonly rule_id?: string | undefined;
  readonly examples: Examples;
}

/** The ratings of a rule say better what was liked than its intent does. */
async function drafts(
  context: ReadContext,
  caller: Caller,
  work: Work,
  { intent = '', rule_id, examples }: Asked,
): Promise<DraftedRule[]> {
  if (intent.trim() === '' || rule_id !== undefined) return draftFromExamples(work, examples);
  return draftFromIntent(work, countsOnRecent(context, caller, work), intent, examples);
}

interface Input {
  readonly platform?: Platform | undefined;
  readonly wanted?: readonly Payload[] | undefined;
  readonly unwanted?: readonly Payload[] | undefined;
  readonly rule_id?: string | undefined;
}

function problemsOf(_: ReadContext, input: unknown): Issue[] {
  const { rule_id, platform: name, wanted, unwanted, intent } = fieldsOf(input);
  if (rule_id !== undefined && (wanted !== undefined || unwanted !== undefined))
    return [{ path: 'rule_id', message: 'Give either `rule_id`, or `wanted` and `unwanted`.' }];
  if (rule_id !== undefined) return [];
  const issues: Issue[] = [];
  if (wanted === undefined && (typeof intent !== 'string' || intent.trim() === ''))
    issues.push({ path: 'wanted', message: 'Give examples, or say in `intent` what the rule is for.' });
  if (name === undefined) issues.push({ path: 'platform', message: 'It is required, because there is no `rule_id`.' });
  return issues;
}

async function examplesOf(
  context: ReadContext,
  caller: Caller,
  { platform: asked, wanted = [], unwanted = [], rule_id }: Input,
): Promise<{ name: Platform; examples: Examples }> {
  if (rule_id === undefined) return { name: asked!, examples: { wanted, unwanted } };
  const rule = await ruleOf(context, caller, rule_id);
  const name = platformOf(rule, asked);
  const rated = async (rating: Rating) => {
    const query = { accountId: rule.accountId, ruleId: rule.id, platform: name, rating };
    const { matches } = await context.store.matches({ ...query, limit: MAX_EXAMPLES, bytes: RATED_BYTES });
    return matches.map((match) => match.payload);
  };
  const examples = { wanted: await rated('relevant'), unwanted: await rated('irrelevant') };
  if (examples.wanted.length > 0) return { name, examples };
  throw new ServiceError('failed_precondition', 'No match of this rule is rated relevant. Rate some with Rate Match.');
}

function refuseBroken({ clock, checkpoint }: ReadContext, name: Platform, examples: Examples): void {
  const issues: Issue[] = [];
  for (const [kind, payloads] of Object.entries(examples)) {
    const trial = { platform: name, queries: [], now: clock.now().getTime(), checkpoint };
    for (const [at, judged] of judgeTexts(trial, payloads).entries())
      if (judged === undefined) issues.push({ path: `${kind}.${at}`, message: `It is not an event of \`${name}\`.` });
  }
  if (issues.length > 0) throw invalidArgument(issues.slice(0, 100));
}
