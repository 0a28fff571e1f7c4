/** Rehearse Wake: what a wake contract would have made of stored matches. It changes nothing. */
import { z } from 'zod';
import { candidateOf } from '../../wakes/candidates.ts';
import { type RehearsedMatch, rehearse } from '../../wakes/rehearse.ts';
import { invalidArgument } from '../errors.ts';
import { unseenRules, wakeContractOf, wakeTerms } from '../outlets/wake-shapes.ts';
import { exampleRule, ruleOf } from '../rules/read-rules.ts';
import { instant, ruleIds, time } from '../shapes.ts';
import { computed } from './room.ts';
import { countedPart, countScanned } from './scan-matches.ts';

const MAX_RULES = 100;
/** Wakes and digests that are listed: the newest. All are counted. */
const MAX_LISTED = 500;
const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

export const rehearseWake = computed({
  name: 'rehearseWake',
  summary: 'Try a wake contract on the past',
  description:
    'What a wake contract would have made of the stored matches of some rules, by the decisions that a webhook with it would have taken from the first of them on: when it would have woken whom, and what would have been held for which digest. The newest matches are looked at, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough. Silences do not count. Changes nothing.',
  access: 'read',
  input: z.strictObject({
    rule_ids: ruleIds(MAX_RULES),
    wake: wakeTerms,
    from: instant.optional().describe('Only matches stored at or after this time. Without it, those of the last week.'),
    to: instant.optional().describe('Only matches stored before this time.'),
  }),
  output: z.object({
    matches: z.int().describe('How many matches were looked at.'),
    wake_count: z.int().describe('How often it would have woken.'),
    wakes: z
      .array(z.object({ at: time, matches: z.int(), because: z.string().describe('Why, in words.') }))
      .describe('The newest 500, oldest first. What comes within a second wakes once.'),
    held: z.int().describe('Matches that would have been held.'),
    digest_count: z.int(),
    digests: z
      .array(z.object({ at: time, matches: z.int() }))
      .describe('When what was held would have been told; the newest 500, oldest first.'),
    ...countedPart,
  }),
  example: {
    input: {
      rule_ids: [exampleRule.id],
      wake: { per: 'story', quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' } },
    },
    output: {
      matches: 3,
      wake_count: 1,
      wakes: [{ at: '2026-11-15T08:30:01.123Z', matches: 1, because: 'a new story' }],
      held: 2,
      digest_count: 1,
      digests: [{ at: '2026-11-16T06:00:00.000Z', matches: 2 }],
      counted: 3,
      complete: true,
      counted_from: null,
    },
  },
  async run(context, caller, { rule_ids, wake, from, to: until }) {
    for (const id of rule_ids) await ruleOf(context, caller, id);
    const unseen = unseenRules(wake, rule_ids);
    if (unseen.length > 0) throw invalidArgument(unseen);
    const contract = wakeContractOf(wake);
    const since = from ?? new Date(context.clock.now().getTime() - WEEK_MS).toISOString();
    const newestFirst: RehearsedMatch[] = [];
    const counted = await countScanned(context, caller, { rule_ids, since, until }, async (match) => {
      const relevance = contract.minRelevance === undefined ? null : ((await context.reader.score(match)) ?? null);
      const at = match.createdAt.getTime();
      newestFirst.push({ ...candidateOf(contract, { ...match, relevance }, false), at });
    });
    const { wakes, digests, held } = rehearse(contract, newestFirst.toReversed());
    return {
      matches: newestFirst.length,
      wake_count: wakes.length,
      wakes: wakes.slice(-MAX_LISTED).map((one) => ({ ...one, at: one.at.toISOString() })),
      held,
      digest_count: digests.length,
      digests: digests.slice(-MAX_LISTED).map((one) => ({ ...one, at: one.at.toISOString() })),
      ...counted,
    };
  },
});
