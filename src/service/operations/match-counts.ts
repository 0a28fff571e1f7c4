/** Match Counts: the number of matches over time, of the account, of one rule, or of many rules at once. */
import { z } from 'zod';
import type { CountQuery } from '../../store/store.ts';
import { seesRule } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { invalidArgument } from '../errors.ts';
import { instant, platform, ruleId, time } from '../shapes.ts';
import { exampleMatch } from './matches.ts';
import { operation } from './operation.ts';
import { ruleOf } from './read-rules.ts';

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
const MAX_INTERVALS = 2_000;
const MAX_RULES = 100;

const input = z.strictObject({
  rule_id: ruleId.optional(),
  rule_ids: z
    .array(ruleId)
    .min(1)
    .max(MAX_RULES)
    .optional()
    .describe('Several rules at once: `by_rule` then has the counts of each, and `counts` their sum.'),
  platform: platform.optional(),
  from: instant.optional(),
  to: instant.optional(),
  interval: z.enum(['minute', 'hour', 'day']).default('hour'),
});

export const matchCounts = operation({
  name: 'matchCounts',
  summary: 'Count matches over time',
  description:
    'The number of matches stored in each interval, for charts. Intervals without matches have the count 0. The default is the last 24 intervals.',
  access: 'read',
  grants: 'rules',
  input,
  output: z.object({
    interval: z.enum(['minute', 'hour', 'day']),
    counts: z.array(z.object({ at: time.describe('The start of the interval.'), count: z.int() })),
    by_rule: z
      .record(z.string(), z.array(z.int()))
      .optional()
      .describe('With `rule_ids`: the counts of each rule in the same intervals; zeros for an unknown rule.'),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T09:00:00Z' },
    output: { interval: 'hour', counts: [{ at: '2026-11-15T08:00:00.000Z', count: 12 }] },
  },
  async run(context, caller, asked) {
    const { rule_id, interval, platform: name } = asked;
    if (rule_id !== undefined && asked.rule_ids !== undefined) {
      throw invalidArgument([{ path: 'rule_ids', message: 'Give either `rule_id` or `rule_ids`, not both.' }]);
    }
    if (rule_id !== undefined) await ruleOf(context, caller, rule_id);
    const span = spanOf(context, asked);
    const count = (id: string | undefined) =>
      countsOf(context, span, {
        accountId: caller.account.id,
        ...(id === undefined ? {} : { ruleId: id }),
        ...(name === undefined ? {} : { platform: name }),
      });
    const atEach = (counts: readonly number[]) =>
      counts.map((sum, index) => ({ at: new Date(span.first + index * span.step).toISOString(), count: sum }));
    const ids = asked.rule_ids ?? (rule_id === undefined ? caller.grant?.ruleIds : undefined);
    if (ids === undefined) return { interval, counts: atEach(await count(rule_id)) };
    const none = Array.from({ length: (span.last - span.first) / span.step }, () => 0);
    const countSeen = (id: string) => (seesRule(caller, id) ? count(id) : none);
    const byRule = await Promise.all(ids.map(async (id) => [id, await countSeen(id)] as const));
    const sums = byRule[0]![1].map((_, index) => byRule.reduce((sum, [, counts]) => sum + counts[index]!, 0));
    return { interval, counts: atEach(sums), by_rule: Object.fromEntries(byRule) };
  },
});

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** Whole intervals around the requested times. */
function spanOf({ clock }: Context, { from, to, interval }: z.output<typeof input>): Span {
  const step = SECONDS[interval] * 1_000;
  const end = to === undefined ? clock.now().getTime() + 1 : Date.parse(to);
  const last = Math.ceil(end / step) * step;
  const first = from === undefined ? last - 24 * step : Math.floor(Date.parse(from) / step) * step;
  if (last <= first) throw invalidArgument([{ path: 'from', message: 'It must be before `to`.' }]);
  if ((last - first) / step > MAX_INTERVALS) {
    throw invalidArgument([
      {
        path: 'interval',
        message: `The times span more than ${MAX_INTERVALS} intervals. Choose a longer interval or a shorter time.`,
      },
    ]);
  }
  return { first, last, step };
}

async function countsOf(
  { store }: Context,
  { first, last, step }: Span,
  of: Pick<CountQuery, 'accountId' | 'ruleId' | 'platform'>,
): Promise<number[]> {
  const found = await store.matchCounts({ ...of, from: new Date(first), to: new Date(last), seconds: step / 1_000 });
  const counts = Array.from({ length: (last - first) / step }, () => 0);
  for (const { at, count } of found) counts[(at.getTime() - first) / step] = count;
  return counts;
}
