/** The tools for what matched: list, wait, explain; and the status behind them. */
import { z } from 'zod';
import { PLATFORMS } from '../domain/platform.ts';
import { coverageOfPage } from '../service/operations/coverage.ts';
import { explainMatch } from '../service/operations/explain-match.ts';
import { exampleMatch, listMatches, pageOfMatches, scopeOf } from '../service/operations/matches.ts';
import { operation } from '../service/operations/operation.ts';
import { platformStatus, sourceStatus, status } from '../service/operations/status.ts';
import { waitForMatches } from '../service/operations/wait-for-matches.ts';
import { fitMatches } from './budget.ts';
import { DETAILS, shownMatch } from './show-match.ts';
import { coverageNow, exampleCoverage, tellCoverage, toldCoverage } from './told-coverage.ts';
import { NOTICE } from './untrusted.ts';

const LONGEST_WAIT = 50;
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
    'What matched, newest first, of one rule or of all; « » mark why. `next_cursor` leads to older ones; wait_for_matches goes on from `latest_cursor`.',
  input: listMatches.input.omit({ story_id: true, event_id: true }).extend(view),
  // The notice comes before what it is about.
  output: z.object({
    notice: z.string(),
    ...listMatches.output.shape,
    matches: z.array(shownMatch),
    coverage: toldCoverage,
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, limit: 5 },
    output: { notice: NOTICE, matches: [], latest_cursor: ANY_CURSOR, coverage: exampleCoverage },
  },
  async run(context, caller, { detail, max_tokens, ...input }) {
    const accountId = caller.account.id;
    const page = await pageOfMatches(context, caller, input);
    const { matches, next, latest } = page;
    const known = await coverageOfPage(context, await scopeOf(context, caller, input), input, page);
    const latest_cursor = context.cursors.writePlace(accountId, 'newer', latest);
    const rest = { notice: NOTICE, latest_cursor, coverage: tellCoverage(known) };
    const { shown, last } = fitMatches({ ...rest, next_cursor: ANY_CURSOR }, matches, detail, max_tokens);
    const position = shown.length < matches.length ? last?.position : next;
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
    'Waits up to `wait_seconds` for matches after `cursor`, oldest first; without a cursor, from now on. Call again with the returned `cursor` to keep watching; at once if `more`. `coverage.complete` false: something may be missing; `reasons` says why. cursor_expired: begin with list_matches.',
  access: listMatches.access,
  grants: 'rules',
  input: listMatches.input.pick({ rule_id: true, platform: true }).extend({
    cursor: z.string().optional().describe('`latest_cursor` of list_matches, or `cursor` of an earlier wait.'),
    wait_seconds: z.int().min(0).max(LONGEST_WAIT).default(45),
    ...view,
  }),
  output: z.object({
    notice: z.string(),
    matches: z.array(shownMatch),
    cursor: z.string(),
    more: z.boolean(),
    coverage: toldCoverage,
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, cursor: 'Zr7uXc2dLe9sHn4T' },
    output: {
      notice: NOTICE,
      matches: [],
      cursor: 'Zr7uXc2dLe9sHn4T',
      more: false,
      coverage: exampleCoverage,
    },
  },
  async run(context, caller, { rule_id, platform, cursor, wait_seconds, limit, detail, max_tokens }, request) {
    const waited = await waitForMatches(
      context,
      caller,
      { ruleId: rule_id, platform, cursor, limit, milliseconds: wait_seconds * 1_000 },
      request.signal,
    );
    const known = await coverageNow(context, caller, { ruleId: rule_id, platform });
    const rest = { notice: NOTICE, more: true, coverage: known };
    const { shown, last } = fitMatches({ ...rest, cursor: ANY_CURSOR }, waited.matches, detail, max_tokens);
    const isCut = shown.length < waited.matches.length;
    return {
      ...rest,
      matches: [...shown],
      cursor: isCut ? context.cursors.write(caller.account.id, 'newer', last!.position) : waited.cursor,
      more: isCut || waited.matches.length === limit,
    };
  },
});

export const explainTool = operation({
  ...explainMatch,
  name: 'explain_match',
  summary: 'Explain a match',
  description:
    'Why something matched: every part of the rule, whether it holds (yes or no), and where in the payload. Use it when a match surprises you, then mend the rule with update_rule.',
  output: explainMatch.output.omit({ explanation: true }).extend({ explanation: z.array(z.string()) }),
  example: {
    input: explainMatch.example.input,
    output: { ...explainMatch.example.output, explanation: ['yes: text has "volcano" (data.text 4–11)'] },
  },
  async run(context, caller, input, request) {
    const { explanation, ...explained } = await explainMatch.run(context, caller, input, request);
    return { ...explained, explanation: [...linesOf(explanation as Part, '')] };
  },
});

type Part = z.output<typeof explainMatch.output>['explanation'];

function* linesOf({ label, holds, highlights, of }: Part, indent: string): Iterable<string> {
  const places = highlights.map(({ field, start, end }) => `${field} ${start}–${end}`).join(', ');
  yield `${indent}${holds ? 'yes' : 'no'}: ${label}${places === '' ? '' : ` (${places})`}`;
  for (const part of of) yield* linesOf(part, `${indent}  `);
}

const shownStatus = platformStatus
  .pick({ shape: true, state: true, reason: true, rules: true, rule_limit: true, slow_rules: true, gaps: true })
  .extend({ coverage: toldCoverage });

const shownSource = sourceStatus.pick({ name: true, kind: true, state: true });

export const statusTool = operation({
  ...status,
  name: 'status',
  summary: 'Status',
  description:
    'How each platform does, what its coverage lacks and why, how many rules the account has and may have, and which are slow. Call it when nothing matches, or before you report that nothing happened.',
  // What an upstream costs and how its slots are used is for the operator's own tools.
  output: status.output.omit({ instance: true, limits: true }).extend({
    platforms: z.partialRecord(z.enum(PLATFORMS), shownStatus),
    sources: z.array(shownSource).optional(),
  }),
  async run(context, caller, input, request) {
    const {
      instance: _,
      limits: __,
      platforms,
      sources,
      ...account
    } = await status.run(context, caller, input, request);
    return {
      ...account,
      ...(sources && { sources: sources.map((source) => shownSource.parse(source)) }),
      platforms: Object.fromEntries(PLATFORMS.map((name) => [name, shownStatus.parse(platforms[name])])),
    };
  },
});
