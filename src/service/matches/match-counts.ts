/** Match Counts: the number of matches over time, of the account, of one rule, or of many rules at once. */
import { z } from 'zod';
import type { CountQuery } from '../../store/store.ts';
import { type Caller, seesRule } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { invalidArgument } from '../errors.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { fieldsOf } from '../rules/rule-problems.ts';
import { instant, ruleIds, time } from '../shapes.ts';
import { matchFields } from './match-filter.ts';
import { exampleMatch } from './matches.ts';
import { computed } from './room.ts';
import { type CountedPart, countedPart, countScanned } from './scan-matches.ts';

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
const MAX_INTERVALS = 2_000;
const MAX_RULES = 100;

const { since: _since, until: _until, ...selection } = matchFields;

const input = z.strictObject({
  ...selection,
  rule_ids: ruleIds(MAX_RULES)
    .optional()
    .describe('Several rules at once: `by_rule` then has the counts of each, and `counts` their sum.'),
  from: instant.optional(),
  to: instant.optional(),
  interval: z.enum(['minute', 'hour', 'day']).default('hour'),
});

export const matchCounts = computed({
  name: 'matchCounts',
  summary: 'Count matches over time',
  description:
    'The number of matches stored in each interval, for charts. Intervals without matches have the count 0. The default is the last 24 intervals. By rule and platform alone everything is counted. With another field of the filter of List Matches, the newest matches are gone through, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough, and intervals that were not gone through as a whole are left out.',
  access: 'read',
  grants: 'rules',
  input,
  output: z.object({
    interval: z.enum(['minute', 'hour', 'day']),
    counts: z.array(z.object({ at: time.describe('The start of the interval.'), count: z.int() })),
    complete: countedPart.complete,
    counted_from: countedPart.counted_from,
    by_rule: z
      .record(z.string(), z.array(z.int()))
      .optional()
      .describe('With `rule_ids`: the counts of each rule in the same intervals; zeros for an unknown rule.'),
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T09:00:00Z' },
    output: {
      interval: 'hour',
      counts: [{ at: '2026-11-15T08:00:00.000Z', count: 12 }],
      complete: true,
      counted_from: null,
    },
  },
  isLong: (asked) => isSelective(fieldsOf(asked)),
  async run(context, caller, asked) {
    const { rule_id, rule_ids, interval } = asked;
    if (rule_id !== undefined && rule_ids !== undefined) {
      throw invalidArgument([{ path: 'rule_ids', message: 'Give either `rule_id` or `rule_ids`, not both.' }]);
    }
    if (rule_id !== undefined) await ruleOf(context, caller, rule_id);
    const span = spanOf(context, asked);
    const ids = rule_ids ?? (rule_id === undefined ? caller.grant?.ruleIds : undefined);
    const { sums, byRule, first, part } = isSelective(asked)
      ? await scannedCounts(context, caller, asked, span, ids)
      : await keptCounts(context, caller, asked, span, ids);
    return {
      interval,
      counts: sums.map((count, index) => ({ at: new Date(first + index * span.step).toISOString(), count })),
      ...part,
      ...(byRule && { by_rule: Object.fromEntries(byRule) }),
    };
  },
});

type Asked = z.output<typeof input>;

interface Counts {
  readonly sums: readonly number[];
  readonly byRule: readonly (readonly [string, number[]])[] | undefined;
  /** The start of the first interval. */
  readonly first: number;
  readonly part: Pick<CountedPart, 'complete' | 'counted_from'>;
}

/** Matches are counted by these fields as they are stored. */
const KEPT: ReadonlySet<string> = new Set(['rule_id', 'rule_ids', 'platform', 'from', 'to', 'interval']);

/** Whether it asks for more than that. */
const isSelective = (asked: object): boolean =>
  Object.entries(asked).some(([name, value]) => (value ?? undefined) !== undefined && !KEPT.has(name));

async function keptCounts(
  context: ReadContext,
  caller: Caller,
  { rule_id, platform }: Asked,
  span: Span,
  ids: readonly string[] | undefined,
): Promise<Counts> {
  const count = (id: string | undefined) =>
    countsOf(context, span, {
      accountId: caller.account.id,
      ...(id === undefined ? {} : { ruleId: id }),
      ...(platform === undefined ? {} : { platform }),
    });
  const around = { first: span.first, part: { complete: true, counted_from: null } };
  if (ids === undefined) return { sums: await count(rule_id), byRule: undefined, ...around };
  const countSeen = (id: string) => (seesRule(caller, id) ? count(id) : noneIn(span));
  const byRule = await Promise.all(ids.map(async (id) => [id, await countSeen(id)] as const));
  return { sums: sumsOf(span, byRule), byRule, ...around };
}

/** Goes through the matches. An interval that the budget did not reach as a whole is left out. */
async function scannedCounts(
  context: ReadContext,
  caller: Caller,
  { from: _from, to: _to, interval: _interval, ...filter }: Asked,
  span: Span,
  ids: readonly string[] | undefined,
): Promise<Counts> {
  const perRule = new Map((ids ?? []).map((id) => [id, noneIn(span)]));
  const all = noneIn(span);
  const times = { since: new Date(span.first).toISOString(), until: new Date(span.last).toISOString() };
  const part = await countScanned(context, caller, { ...filter, ...times }, (match) => {
    const counts = ids === undefined ? all : perRule.get(match.ruleId)!;
    counts[Math.floor((match.createdAt.getTime() - span.first) / span.step)]! += 1;
  });
  const reached = part.counted_from === null ? span.first : Date.parse(part.counted_from) + 1;
  const skipped = Math.ceil((reached - span.first) / span.step);
  const byRule = ids?.map((id) => [id, perRule.get(id)!.slice(skipped)] as const);
  const sums = byRule === undefined ? all.slice(skipped) : sumsOf(span, byRule).slice(0, byRule[0]![1].length);
  const { complete, counted_from } = part;
  return { sums, byRule, first: span.first + skipped * span.step, part: { complete, counted_from } };
}

const noneIn = ({ first, last, step }: Span): number[] => Array.from({ length: (last - first) / step }, () => 0);

const sumsOf = (span: Span, byRule: readonly (readonly [string, readonly number[]])[]): number[] =>
  noneIn(span).map((_, index) => byRule.reduce((sum, [, counts]) => sum + (counts[index] ?? 0), 0));

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** Whole intervals around the requested times. */
function spanOf({ clock }: ReadContext, { from, to, interval }: z.output<typeof input>): Span {
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
  { store }: ReadContext,
  { first, last, step }: Span,
  of: Pick<CountQuery, 'accountId' | 'ruleId' | 'platform'>,
): Promise<number[]> {
  const found = await store.matchCounts({ ...of, from: new Date(first), to: new Date(last), seconds: step / 1_000 });
  const counts = noneIn({ first, last, step });
  for (const { at, count } of found) counts[(at.getTime() - first) / step] = count;
  return counts;
}
