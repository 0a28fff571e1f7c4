/** Create Silence, List Silences and End Silence: for a time, some matches wake nobody. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import type { Silence } from '../../domain/wake.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote } from '../access/change-notes.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { limitReached, MAX_SILENCE_DAYS, MAX_SILENCES } from '../limits.ts';
import { exampleRule, ruleOf } from '../rules/read-rules.ts';
import { unknownSources } from '../rules/rule-limits.ts';
import { changedBy, changedByToJson, characters, instant, ruleId, time, visibleName } from '../shapes.ts';
import { operation, type WebhooksRoom } from './room.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const silenceId = z.string().describe('The id of a silence, as Create Silence returned it.');

const terms = z.strictObject({
  rule_ids: z.array(ruleId).min(1).max(100).nullable().optional().describe('Matches of these rules.'),
  source_ids: z
    .array(characters(1, 200))
    .min(1)
    .max(100)
    .nullable()
    .optional()
    .describe('Matches of events that these sources brought, by their ids in List Sources.'),
  story_id: characters(1, 100).nullable().optional().describe('Matches of this story.'),
  author: characters(1, 200)
    .nullable()
    .optional()
    .describe('Posts of this author, such as @ada, or pages of this host, such as example.com.'),
  text: characters(1, 200)
    .nullable()
    .optional()
    .describe('Matches whose text has these words so in its first 8,192 characters, whatever their case.'),
  until: instant.describe(`When it ends, ${MAX_SILENCE_DAYS} days ahead at most.`),
  reason: visibleName(1, 500).describe('Why, for others who see it.'),
});

const listedSilence = z.object({
  silence_id: z.string(),
  rule_ids: z
    .array(z.string())
    .nullable()
    .describe('Null: all rules. So with the other terms: all that are not null must hold.'),
  source_ids: z.array(z.string()).nullable(),
  story_id: z.string().nullable(),
  author: z.string().nullable(),
  text: z.string().nullable(),
  until: time,
  reason: z.string(),
  created_at: time,
  by: changedBy,
});

const exampleSilence: z.input<typeof listedSilence> = {
  silence_id: 'silence_01k3zqe5g7j9m1p3r5t7w9y1a3',
  rule_ids: [exampleRule.id],
  source_ids: null,
  story_id: null,
  author: '@harbourbot',
  text: null,
  until: '2026-11-16T07:00:00.000Z',
  reason: 'The bot tests its alarm tonight.',
  created_at: '2026-11-15T08:30:00.123Z',
  by: { kind: 'key', key_id: 'key_01k3zq0a1b2c3d4e5f6g7h8j9k', key_name: 'first key' },
};

export const createSilence = operation({
  name: 'createSilence',
  summary: 'Silence matches for a time',
  description:
    'Until a time, matches wake nobody for which everything holds that is named: rules, sources, a story, an author, a text; with none of them, no match wakes. They are stored and listed as ever, and are in a digest: that of a wake contract, or one when the silence ends.',
  access: 'full',
  input: terms,
  output: listedSilence,
  example: {
    input: {
      rule_ids: exampleSilence.rule_ids,
      author: exampleSilence.author,
      until: exampleSilence.until,
      reason: exampleSilence.reason,
    },
    output: exampleSilence,
  },
  async run(context, caller, input) {
    await checkTerms(context, caller, input);
    const { store, clock, live, settings } = context;
    const createdAt = clock.now();
    const silence: Silence = {
      id: newId('silence', createdAt),
      accountId: caller.account.id,
      ...(input.rule_ids && { ruleIds: [...new Set(input.rule_ids)] }),
      ...(input.source_ids && { sourceIds: [...new Set(input.source_ids)] }),
      ...(input.story_id && { storyId: input.story_id }),
      ...(input.author && { author: input.author }),
      ...(input.text && { text: input.text }),
      until: new Date(input.until),
      reason: input.reason,
      createdAt,
      by: byCaller(caller),
    };
    const { silence_id: _, by: __, created_at: ___, ...after } = silenceToJson(silence);
    const note = changeNote(createdAt, silence.by, 'silence.created', silence.id, { after });
    const until = await store.addSilence(silence, MAX_SILENCES, note);
    if (until === undefined)
      throw limitReached('silences', `The account has ${MAX_SILENCES} silences that hold, which is the limit.`, {
        support: settings.support,
        details: { limit: MAX_SILENCES, used: MAX_SILENCES },
      });
    live.forget(silence.accountId);
    return silenceToJson({ ...silence, until });
  },
});

/** Throws for a time that cannot be, and for a rule or a source that the caller does not have. */
async function checkTerms(context: WebhooksRoom, caller: Caller, input: z.output<typeof terms>): Promise<void> {
  const ahead = Date.parse(input.until) - context.clock.now().getTime();
  if (ahead <= 0) throw invalidArgument([{ path: 'until', message: 'It must lie in the future.' }]);
  if (ahead > MAX_SILENCE_DAYS * DAY_MS)
    throw invalidArgument([{ path: 'until', message: `It must be ${MAX_SILENCE_DAYS} days ahead at most.` }]);
  for (const id of input.rule_ids ?? []) await ruleOf(context, caller, id);
  const issues = await unknownSources(context, caller, input.source_ids ?? [], 'source_ids');
  if (issues.length > 0) throw invalidArgument(issues);
}

export const listSilences = operation({
  name: 'listSilences',
  summary: 'List silences',
  description:
    'The silences of the account that hold now, oldest first: what they cover, until when, who made them, and why.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ silences: z.array(listedSilence) }),
  example: { input: {}, output: { silences: [exampleSilence] } },
  async run({ store, clock }, { account }) {
    return { silences: (await store.silences(account.id, clock.now())).map(silenceToJson) };
  },
});

export const endSilence = operation({
  name: 'endSilence',
  summary: 'End a silence',
  description: 'Ends a silence before its time. What it held for webhooks without a wake contract goes out now.',
  access: 'full',
  input: z.strictObject({ silence_id: silenceId }),
  output: z.object({}),
  example: { input: { silence_id: exampleSilence.silence_id }, output: {} },
  async run({ store, clock, live, dispatcher }, caller, { silence_id }) {
    const { id: accountId } = caller.account;
    const now = clock.now();
    const silence = (await store.silences(accountId, now)).find(({ id }) => id === silence_id);
    const before = silence && { until: silence.until.toISOString(), reason: silence.reason };
    const note = before && changeNote(now, byCaller(caller), 'silence.deleted', silence_id, { before });
    if (note === undefined || !(await store.endSilence(accountId, silence_id, now, note)))
      throw new ServiceError('not_found', 'There is no such silence, or it has ended.');
    live.forget(accountId);
    dispatcher.owed(accountId);
    return {};
  },
});

const silenceToJson = (silence: Silence): z.input<typeof listedSilence> => ({
  silence_id: silence.id,
  rule_ids: silence.ruleIds === undefined ? null : [...silence.ruleIds],
  source_ids: silence.sourceIds === undefined ? null : [...silence.sourceIds],
  story_id: silence.storyId ?? null,
  author: silence.author ?? null,
  text: silence.text ?? null,
  until: silence.until.toISOString(),
  reason: silence.reason,
  created_at: silence.createdAt.toISOString(),
  by: changedByToJson(silence.by),
});
