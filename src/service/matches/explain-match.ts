/** Explain Match: the rule's tree, with the parts that are true and false for the event, and where. */
import { z } from 'zod';
import type { StoredMatch } from '../../domain/match.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { explain } from '../../engine/explain/explain.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { JOINED_BY, joinedBy } from '../../signal/joined-by.ts';
import { storyTextOf } from '../../signal/story-text.ts';
import { findStoryId } from '../../store/order.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { part, partOf } from '../rules/explanation.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { judgedToJson, listedMatch, relevanceWords } from '../shapes.ts';
import { exampleMatch } from './matches.ts';
import { matchSeenBy } from './rate-match.ts';
import { computed } from './room.ts';

/** The story has the position of the match that began it. */
async function storyOf({ store }: Pick<ReadContext, 'store'>, caller: Caller, match: StoredMatch) {
  const began = match.storyId === undefined ? undefined : findStoryId(match.storyId);
  const [first] = began === undefined || began === match.position ? [] : await store.matchesAt([began]);
  if (first === undefined || !seesRule(caller, first.ruleId)) return {};
  const told = ({ platform, payload, platformPostId: postId }: StoredMatch) => ({
    platform,
    ...storyTextOf(platform, payload, { postId }),
  });
  const { by, words } = joinedBy(told(first), told(match));
  return { story_joined_by: by, story_words: [...words] };
}

export const explainMatch = computed({
  name: 'explainMatch',
  summary: 'Explain a match',
  description:
    'Why an event matched: every part of the rule, whether it is true, and where in the payload. If the rule has changed since the match, its current text is explained, and `rule_version` differs from `explained_version`.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ match_id: z.string() }),
  output: z.object({
    match_id: z.string(),
    rule_id: z.string(),
    platform: z.enum(PLATFORMS),
    rule_version: z.int(),
    explained_version: z.int(),
    value: z.string(),
    explanation: part,
    relevance: listedMatch.shape.relevance,
    ...relevanceWords,
    relevance_words: z
      .array(z.object({ word: z.string(), weight: z.number().describe('Above 0: it speaks for the match.') }))
      .describe('The words that the ratings speak for or against, the strongest first.'),
    story_joined_by: z
      .enum(JOINED_BY)
      .optional()
      .describe(
        'What the match has in common with the one that began its story: the post, a link, the text, or words. Absent for that one, and where it is gone or may not be seen.',
      ),
    story_words: z
      .array(z.string())
      .optional()
      .describe(
        'The words in common, without their endings. None where it joined by words that came into the story later.',
      ),
  }),
  example: {
    input: { match_id: exampleMatch.id },
    output: {
      match_id: exampleMatch.id,
      rule_id: exampleMatch.rule_id,
      platform: 'x',
      rule_version: 1,
      explained_version: 1,
      value: 'volcano',
      explanation: {
        label: 'text has "volcano"',
        holds: true,
        highlights: [{ field: 'data.text', start: 4, end: 11 }],
        of: [],
      },
      relevance: 0.83,
      relevance_basis: 'by 12 ratings',
      relevance_reason: 'for it: like 4 rated relevant, with a link; against it: short',
      relevance_words: [{ word: 'erupting', weight: 1.2 }],
    },
  },
  async run(context, caller, { match_id }) {
    const match = await matchSeenBy(context, caller, match_id);
    const rule = await ruleOf(context, caller, match.ruleId);
    const text = rule.platforms[match.platform]!;
    const query = context.queryOf(match.platform, text);
    const view = newAnalyzer(match.platform)(match.payload);
    if (query === undefined || isRejection(view)) {
      throw new ServiceError(
        'failed_precondition',
        'This version of Sluice cannot read the rule or the event any more.',
      );
    }
    const lookup = new ViewLookup(view, match.createdAt.getTime());
    return {
      match_id: match.id,
      rule_id: rule.id,
      platform: match.platform,
      rule_version: match.ruleVersion,
      explained_version: rule.version,
      value: text.value,
      explanation: partOf(explain(query, lookup)),
      ...judgedToJson(await context.reader.judge(match)),
      relevance_words: (await context.relevance.words(match)).map(({ word, weight }) => ({
        word,
        weight: Math.round(weight * 1_000) / 1_000,
      })),
      ...(await storyOf(context, caller, match)),
    };
  },
});
