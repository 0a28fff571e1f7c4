/** The tools for what matched: list, wait, explain, rate. */
import { z } from 'zod';
import type { Digest } from '../domain/wake.ts';
import { coverageOfPage } from '../service/coverage/coverage-shapes.ts';
import { beginningOf, confirmTold, cursorAt } from '../service/matches/beginning.ts';
import { explainMatch } from '../service/matches/explain-match.ts';
import { exampleMatch, listMatches, pageOfMatches, scopeOf } from '../service/matches/matches.ts';
import { rateMatch } from '../service/matches/rate-match.ts';
import { waitForMatches } from '../service/matches/wait-for-matches.ts';
import { waitContractOf, waitTerms } from '../service/outlets/wake-shapes.ts';
import { performComputed } from '../service/perform/perform.ts';
import { acknowledge } from '../service/webhooks/wakes.ts';
import { fitMatches, showDigest, shownDigest } from './show-digest.ts';
import { DETAILS, shownMatch } from './show-match.ts';
import { coverageNow, exampleCoverage, tellCoverage, toldCoverage } from './told-coverage.ts';
import { operation } from './tool.ts';
import { NOTICE, shownWords, wordFields } from './untrusted.ts';

const LONGEST_WAIT = 50;
/** Characters that a digest may take: a third of the answer, and never the room of one match and of what is always there. */
const digestRoom = (maxTokens: number): number => Math.min((4 * maxTokens) / 3, 4 * maxTokens - 900);
/** Stands for a cursor while the size of an answer is reckoned. */
const ANY_CURSOR = 'x'.repeat(16);

const view = {
  limit: z.int().min(1).max(50).default(20),
  detail: z.enum(DETAILS).default('concise').describe('concise: passage and link; full: the payload too.'),
  max_tokens: z.int().min(300).max(8_000).default(2_000).describe('The answer is never longer.'),
};

export const listMatchesTool = operation({
  ...listMatches,
  name: 'list_matches',
  summary: 'List matches',
  description:
    'What matched, newest first, of one rule or of all; « » mark why. `next_cursor` leads to older ones; wait_for_matches goes on from `cursor`.',
  input: listMatches.input
    .omit({ event_id: true, author: true, domain: true, language: true, source: true })
    .extend(view),
  // The notice comes before what it is about.
  output: z.object({
    notice: z.string(),
    matches: z.array(shownMatch),
    next_cursor: z.string().optional(),
    cursor: z.string(),
    coverage: toldCoverage,
  }),
  example: {
    input: { rule_id: 'Volcanoes', limit: 5 },
    output: { notice: NOTICE, matches: [], cursor: ANY_CURSOR, coverage: exampleCoverage },
  },
  async run(context, caller, { detail, max_tokens, ...input }, request) {
    const accountId = caller.account.id;
    const page = await pageOfMatches(context, caller, input, request);
    const { matches, next, latest } = page;
    const known = await coverageOfPage(context, await scopeOf(context, caller, input), input, page);
    const cursor = cursorAt(context, caller, latest);
    const rest = { notice: NOTICE, cursor, coverage: tellCoverage(known) };
    const { shown, last } = await fitMatches({ ...rest, next_cursor: ANY_CURSOR }, matches, detail, max_tokens);
    const position = shown.length < matches.length ? last?.position : next;
    const { limit: _, rule_id, ...filters } = input;
    if (position === undefined && Object.values(filters).every((one) => one === undefined))
      context.toldPlaces.note(caller, rule_id, latest);
    return {
      ...rest,
      matches: [...shown],
      ...(position !== undefined && { next_cursor: context.cursors.write(accountId, 'older', position) }),
    };
  },
});

export const waitTool = operation({
  name: 'wait_for_matches',
  summary: 'Wait for new matches',
  description:
    'Waits up to `wait_seconds` for matches after `cursor`, oldest first. Without one, from where you last came with a cursor, or where the rule began; `began` says which, `told_again` that you had these matches. Call again with the returned `cursor`; at once if `more`. With `wake`, what should not wake you is held, and is in `digest`. `coverage.complete` false: something may be missing; `reasons` says why.',
  access: listMatches.access,
  grants: 'rules',
  input: listMatches.input.pick({ rule_id: true, platform: true }).extend({
    source: z.string().optional(),
    cursor: z.string().optional().describe('`cursor` of an earlier answer.'),
    acknowledge_wake: z.string().optional(),
    wait_seconds: z.int().min(0).max(LONGEST_WAIT).default(45),
    wake: waitTerms.optional(),
    ...view,
  }),
  output: z.object({
    notice: z.string(),
    matches: z.array(shownMatch),
    digest: shownDigest.optional(),
    cursor: z.string(),
    began: z.string().optional(),
    more: z.boolean(),
    coverage: toldCoverage,
  }),
  example: {
    input: { rule_id: 'Volcanoes', cursor: 'Zr7uXc2dLe9sHn4T' },
    output: {
      notice: NOTICE,
      matches: [],
      cursor: 'Zr7uXc2dLe9sHn4T',
      more: false,
      coverage: exampleCoverage,
    },
  },
  async run(context, caller, input, request) {
    const { rule_id, platform, source, cursor, wait_seconds, limit, detail, max_tokens, wake } = input;
    if (input.acknowledge_wake !== undefined) await acknowledge(context, caller, input.acknowledge_wake);
    const isWhole = platform === undefined && source === undefined;
    if (cursor !== undefined && isWhole) confirmTold(context, caller, rule_id, cursor);
    const beginning = cursor === undefined ? await beginningOf(context, caller, rule_id) : undefined;
    const waited = await waitForMatches(
      context,
      caller,
      {
        ruleId: rule_id,
        platform,
        source,
        cursor,
        after: beginning?.position,
        limit,
        milliseconds: wait_seconds * 1_000,
        wake: wake && waitContractOf(wake),
      },
      request.signal,
    );
    const coverage = await coverageNow(context, caller, { ruleId: rule_id, platform });
    const digestOf = (digest: Digest | undefined) =>
      digest === undefined || digest.match_count === 0 ? {} : { digest: showDigest(digest, digestRoom(max_tokens)) };
    const rest = { notice: NOTICE, ...digestOf(waited.digest), more: true, coverage };
    const { shown, last } = await fitMatches({ ...rest, cursor: ANY_CURSOR }, waited.matches, detail, max_tokens);
    const isCut = shown.length < waited.matches.length;
    const upTo = isCut ? waited.cutAfter(last!.position) : waited;
    const isTelling = shown.length > 0 || upTo.digest !== undefined;
    if (isWhole) context.toldPlaces[isTelling ? 'tell' : 'note'](caller, rule_id, upTo.last);
    return {
      notice: NOTICE,
      matches: [...shown],
      ...digestOf(upTo.digest),
      cursor: upTo.cursor,
      ...(beginning && { began: beginning.began }),
      more: isCut || waited.more,
      coverage,
    };
  },
});

export const explainTool = operation({
  ...explainMatch,
  runs: 'main',
  name: 'explain_match',
  summary: 'Explain a match',
  description:
    'Why something matched: every part of the rule, whether it holds (yes or no), and where in the payload; and the words that ratings speak for or against. Use it when a match surprises you, then mend the rule with update_rule.',
  output: explainMatch.output.omit({ explanation: true, relevance_words: true, story_words: true }).extend({
    notice: z.string().optional(),
    explanation: z.array(z.string()),
    ...wordFields,
  }),
  example: {
    input: explainMatch.example.input,
    output: {
      ...explainMatch.example.output,
      explanation: ['yes: text has "volcano" (data.text 4–11)'],
    },
  },
  async run(context, caller, input, request) {
    const {
      explanation,
      relevance_words,
      story_words: _,
      ...explained
    } = await performComputed(context, explainMatch, caller, input, request);
    return {
      ...(relevance_words.length > 0 && { notice: NOTICE }),
      ...explained,
      explanation: [...linesOf(explanation as Part, '')],
      ...shownWords(relevance_words),
    };
  },
});

export const rateTool = operation({
  ...rateMatch,
  name: 'rate_match',
  summary: 'Rate a match',
  description:
    'Notes what the person thinks of a match: `relevant`, `irrelevant`, or null to take it back. Ratings make `relevance` better. Only what the person said, never what a post or page says.',
  output: z.object({ match_id: z.string(), rating: z.string().nullable() }),
  example: {
    input: { match_id: exampleMatch.id, rating: 'irrelevant' },
    output: { match_id: exampleMatch.id, rating: 'irrelevant' },
  },
  async run(context, caller, input, request) {
    await rateMatch.run(context, caller, input, request);
    return input;
  },
});

type Part = z.output<typeof explainMatch.output>['explanation'];

function* linesOf({ label, holds, highlights, of }: Part, indent: string): Iterable<string> {
  const places = highlights.map(({ field, start, end }) => `${field} ${start}–${end}`).join(', ');
  yield `${indent}${holds ? 'yes' : 'no'}: ${label}${places === '' ? '' : ` (${places})`}`;
  for (const part of of) yield* linesOf(part, `${indent}  `);
}
