/** Coverage in answers: how far a caller can rely on "no matches", and why not further. */
import { z } from 'zod';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { MatchPage, Store } from '../../store/store.ts';
import { time } from '../shapes.ts';
import type { AskedSpan } from './assess.ts';
import { assessmentToJson, type CoverageAssessor } from './coverage.ts';

/** How many gaps of a platform are listed: the newest. */
const MOST_GAPS = 100;

export const listedGap = z.object({
  platform: z.enum(PLATFORMS),
  from: time,
  to: time.nullable().describe('Null while the gap lasts.'),
  cause: z.string(),
  recovered: z.boolean().describe('The missed events have been fetched since.'),
  rule_id: z.string().optional().describe('The one rule that missed events.'),
  source: z.string().optional().describe('The source whose events are missing.'),
});

export const assessment = z.object({
  complete: z.boolean().describe('True if nothing is known to be missing up to `complete_through`.'),
  complete_from: time.nullable().describe('Sluice listens since then. Null if nothing feeds the platform.'),
  complete_through: time
    .nullable()
    .describe('The answer is complete up to this time, except within the gaps. Null if nothing is known.'),
  reasons: z
    .array(z.string())
    .describe(
      'Why matches may be missing, as codes: `no_feed`, `demo`, `source_down:<name>`, `gap`, `registration_missing` and others. Empty when the answer is complete.',
    ),
});

export const coverage = assessment
  .extend({
    platforms: z.partialRecord(z.enum(PLATFORMS), assessment).describe('The same for each platform of the answer.'),
    gaps: z.array(listedGap).describe('Times within the answer in which matches may be missing, newest first.'),
  })
  .describe('Up to when the answer is complete on the requested platforms, and why not further.');

interface Deps {
  readonly store: Store;
  readonly coverage: CoverageAssessor;
}

/** The account, and maybe the platform and the rule or rules, whose matches an answer has. */
export interface CoverageScope {
  readonly accountId: string;
  readonly platform?: Platform | undefined;
  readonly rule?: Rule | undefined;
  /** The rules that the caller may know of, unless it is all of them. */
  readonly ruleIds?: readonly string[] | undefined;
}

/** The time that a page of matches covers: from its oldest match if there are older ones; up to now on the first page. */
export function coverageOfPage(
  context: Deps,
  scope: CoverageScope,
  asked: {
    readonly since?: string | undefined;
    readonly until?: string | undefined;
    readonly cursor?: string | undefined;
  },
  { matches, next }: { readonly matches: readonly { readonly createdAt: Date }[]; readonly next: MatchPage['next'] },
): Promise<z.input<typeof coverage>> {
  const oldest = next === undefined ? undefined : matches.at(-1)?.createdAt;
  const newest = asked.cursor === undefined ? undefined : matches[0]?.createdAt;
  const since = asked.since === undefined ? oldest : new Date(asked.since);
  const until = asked.until === undefined ? newest : new Date(asked.until);
  return coverageOf(context, scope, { since, until });
}

async function coverageOf(
  context: Deps,
  scope: CoverageScope,
  span: AskedSpan = {},
): Promise<z.input<typeof coverage>> {
  const { accountId, rule, ruleIds } = scope;
  const names = await context.coverage.platformsOf(accountId, scope);
  const answer = await context.coverage.of({
    accountId,
    rule,
    platforms: names,
    rules: rule === undefined ? (ruleIds ?? 'all') : undefined,
    ...span,
  });
  const gaps = await Promise.all(names.map((name) => gapsOf(context, name, scope, span)));
  return {
    ...assessmentToJson(answer),
    platforms: Object.fromEntries(names.map((name) => [name, assessmentToJson(answer.platforms[name]!)])),
    gaps: gaps.flat().map(gapToJson),
  };
}

export const gapsOf = (
  { store }: Pick<Deps, 'store'>,
  platform: Platform,
  { accountId, rule, ruleIds }: CoverageScope,
  { since, until }: AskedSpan = {},
): Promise<Gap[]> =>
  store.gaps({
    platform,
    limit: MOST_GAPS,
    accountId,
    ...(rule && { ruleId: rule.id }),
    ...(ruleIds && { ruleIds }),
    ...(since && { since }),
    ...(until && { until }),
  });

export const gapToJson = ({
  platform,
  from,
  to,
  cause,
  recovered,
  ruleId,
  source,
}: Gap): z.input<typeof listedGap> => ({
  platform,
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
  cause,
  recovered,
  ...(ruleId !== undefined && { rule_id: ruleId }),
  ...(source !== undefined && { source }),
});
