/** Status tells the operator how the judge does. */
import { z } from 'zod';
import { JUDGE_STATES } from '../judging/ask-within.ts';
import type { JudgeStatus } from '../judging/judge.ts';
import { time } from '../shapes.ts';

const spent = z.object({
  calls: z.int(),
  money: z.number(),
  input_tokens: z.int(),
  output_tokens: z.int(),
});

export const judgeStatus = z.object({
  model: z.string(),
  state: z
    .enum(JUDGE_STATES)
    .nullable()
    .describe(
      '`judging`; `paused` after a failure, for a while; `spent`: the budget allows no further call; `stopped` until the next start, because the model took more tokens than it was allowed. Null where another process judges.',
    ),
  last_error: z.object({ at: time, message: z.string() }).nullable().describe('Of the process that answers.'),
  currency: z.string(),
  limits: z.array(
    z.object({
      what: z.enum(['calls', 'money']),
      per: z.enum(['day', 'month']).describe('Of UTC.'),
      limit: z.number(),
      left: z.number(),
    }),
  ),
  spent: z.object({ day: spent, month: spent }).describe('By all processes. A call without an answer counts in full.'),
});

/** Money is shown in the currency, and counted in millionths. */
const UNITS = { calls: 1, money: 1_000_000 };

export const judgeToJson = (status: JudgeStatus, currency = 'USD'): z.input<typeof judgeStatus> => ({
  model: status.model,
  state: status.now ?? null,
  last_error: status.lastError === undefined ? null : { ...status.lastError, at: status.lastError.at.toISOString() },
  currency,
  limits: status.limits.map(({ what, per, most }) => ({
    what,
    per,
    limit: most / UNITS[what],
    left: Math.max(0, most - status.spent[per][what]) / UNITS[what],
  })),
  spent: { day: spentToJson(status.spent.day), month: spentToJson(status.spent.month) },
});

const spentToJson = ({ calls, money, inputTokens, outputTokens }: JudgeStatus['spent']['day']) => ({
  calls,
  money: money / UNITS.money,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
});
