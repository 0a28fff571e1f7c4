/** The tools for what matched: list, wait, explain; and the status behind them. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { explainMatch } from '../service/operations/explain-match.ts';
import { exampleMatch, listMatches, pageOfMatches } from '../service/operations/matches.ts';
import { operation, type RequestInfo } from '../service/operations/operation.ts';
import { platformStatus, status } from '../service/operations/status.ts';
import { waitForMatches } from '../service/operations/wait-for-matches.ts';
import { fitMatches } from './budget.ts';
import { DETAILS, shownMatch } from './show-match.ts';
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
    'What matched, newest first, of one rule or of all. « » mark what matched. `next_cursor` leads to older ones; give `latest_cursor` to wait_for_matches to go on from here. Not for waiting: that is wait_for_matches.',
  input: listMatches.input.extend(view),
  // The notice comes before what it is about.
  output: z.object({
    notice: z.string(),
    ...listMatches.output.omit({ coverage: true }).shape,
    matches: z.array(shownMatch),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, limit: 5 },
    output: { notice: NOTICE, matches: [], latest_cursor: ANY_CURSOR },
  },
  async run(context, caller, { detail, max_tokens, ...input }) {
    const accountId = caller.account.id;
    const { matches, next, latest } = await pageOfMatches(context, caller, input);
    const rest = { notice: NOTICE, latest_cursor: context.cursors.writePlace(accountId, 'newer', latest) };
    const { shown, last } = fitMatches({ ...rest, next_cursor: ANY_CURSOR }, matches, detail, max_tokens);
    const position = shown.length < matches.length ? last?.position : next;
    return {
      ...rest,
      matches: [...shown],
      ...(position !== undefined && { next_cursor: context.cursors.write(accountId, 'older', position) }),
    };
  },
});

const coverage = z.object({ complete: z.boolean(), reasons: z.array(z.string()) });

export const waitTool = operation({
  name: 'wait_for_matches',
  summary: 'Wait for new matches',
  description:
    'Waits up to `wait_seconds` for matches after `cursor`, and answers as soon as there is one; oldest first. Without a cursor: from now on. An empty list means that nothing came: call again with the returned `cursor` to keep watching without a gap or a repeat. `more`: call again at once. `coverage.complete` false means that something may have been missed, and why. cursor_expired: begin with list_matches.',
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
    coverage,
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, cursor: 'Zr7uXc2dLe9sHn4T' },
    output: {
      notice: NOTICE,
      matches: [],
      cursor: 'Zr7uXc2dLe9sHn4T',
      more: false,
      coverage: { complete: true, reasons: [] },
    },
  },
  async run(context, caller, { rule_id, platform, cursor, wait_seconds, limit, detail, max_tokens }, request) {
    const waited = await waitForMatches(
      context,
      caller,
      { ruleId: rule_id, platform, cursor, limit, milliseconds: wait_seconds * 1_000 },
      request.signal,
    );
    const rest = { notice: NOTICE, more: true, coverage: await coverageOf(context, caller, platform, request) };
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

/** A gap that ended before this is no news to a caller that waits. */
const RECENT_MS = 60 * 60 * 1_000;

/** Reasons that are listed; more of them say no more. */
const MAX_REASONS = 3;

/** Whether everything that arrived was matched, as Status has it. */
async function coverageOf(context: Context, caller: Caller, only: Platform | undefined, request: RequestInfo) {
  const { platforms } = await context.matchSignals.once(`status of ${caller.account.id}`, () =>
    status.run(context, caller, {}, request),
  );
  const recently = new Date(context.clock.now().getTime() - RECENT_MS).toISOString();
  const reasons = PLATFORMS.filter((name) => only === undefined || name === only).flatMap((name) => {
    const { state = 'ready', gaps = [] } = platforms[name] ?? {};
    const missed = gaps
      .filter(({ to, recovered }) => !recovered && (to === null || to > recently))
      .map(({ from, to }) => `${name}: a gap from ${from} ${to === null ? 'on' : `to ${to}`}`);
    return state === 'ready' || state === 'live' ? missed : [`${name} is ${state}`, ...missed];
  });
  return { complete: reasons.length === 0, reasons: reasons.slice(0, MAX_REASONS) };
}

export const explainTool = operation({
  ...explainMatch,
  name: 'explain_match',
  summary: 'Explain a match',
  description:
    'Why something matched: every part of the rule, whether it holds (yes or no), and where in the payload. Use it when a match surprises you, then mend the rule with check_rule. not_found: the match or its rule is gone.',
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

const shownStatus = platformStatus.omit({ registered: true, slots: true, lag_seconds: true, usage: true });

export const statusTool = operation({
  ...status,
  name: 'status',
  summary: 'Status',
  description:
    'Whether the platforms are ready, how many rules the account has and may have, which rules are slow and why, and gaps in coverage. Call it when nothing matches although something should, or before you report that nothing happened.',
  // What an upstream costs and how its slots are used is for the operator's own tools.
  output: status.output
    .omit({ instance: true, limits: true })
    .extend({ platforms: z.partialRecord(z.enum(PLATFORMS), shownStatus) }),
  async run(context, caller, input, request) {
    const { instance: _, limits: __, platforms, ...account } = await status.run(context, caller, input, request);
    return {
      ...account,
      platforms: Object.fromEntries(PLATFORMS.map((name) => [name, shownStatus.parse(platforms[name])])),
    };
  },
});
