/**
 * How far a caller can rely on "no matches": up to when the requested platforms are complete, and the gaps before that. A
 * local platform is complete up to now, because every event is stored before it is acknowledged.
 */
import { z } from 'zod';
import type { Gap } from '../../domain/gap.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { MatchPage } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { time } from '../shapes.ts';

/** How many gaps of a platform are listed: the newest. */
const MOST_GAPS = 100;

export const listedGap = z.object({
  platform: z.enum(PLATFORMS),
  from: time,
  to: time.nullable().describe('Null while the gap lasts.'),
  cause: z.string(),
  recovered: z.boolean().describe('The upstream has since delivered the missed events.'),
});

export const coverage = z
  .object({
    complete_through: time
      .nullable()
      .describe(
        'The answer is complete up to this time, except within the gaps. Null if Sluice has not yet received anything from one of the upstreams.',
      ),
    gaps: z.array(listedGap).describe('Times within the answer in which matches may be missing, newest first.'),
  })
  .describe('Up to when the answer is complete on the requested platforms.');

interface Span {
  readonly since?: Date;
  readonly until?: Date;
}

type Deps = Pick<Context, 'store' | 'clock' | 'matching' | 'platforms'>;

/** The time that a page of matches covers: from its oldest match if there are older ones; up to now on the first page. */
export function coverageOfPage(
  context: Deps,
  platforms: readonly Platform[],
  asked: {
    readonly since?: string | undefined;
    readonly until?: string | undefined;
    readonly cursor?: string | undefined;
  },
  { matches, next }: MatchPage,
): Promise<z.input<typeof coverage>> {
  const oldest = next === undefined ? undefined : matches.at(-1)?.createdAt;
  const newest = asked.cursor === undefined ? undefined : matches[0]?.createdAt;
  const since = asked.since === undefined ? oldest : new Date(asked.since);
  const until = asked.until === undefined ? newest : new Date(asked.until);
  return coverageOf(context, platforms, { ...(since && { since }), ...(until && { until }) });
}

async function coverageOf(
  context: Deps,
  platforms: readonly Platform[],
  span: Span,
): Promise<z.input<typeof coverage>> {
  const upstream = platforms.filter((name) => context.platforms[name].shape === 'upstream');
  const gaps = await Promise.all(upstream.map((name) => gapsOf(context, name, span)));
  const through = await Promise.all(upstream.map((name) => completeThrough(context, name)));
  const earliest = through.reduce(
    (least: Date | undefined, one) =>
      least === undefined || one === undefined ? undefined : one < least ? one : least,
    context.clock.now(),
  );
  return { complete_through: earliest?.toISOString() ?? null, gaps: gaps.flat().map(gapToJson) };
}

export const gapsOf = (
  { store }: Pick<Context, 'store'>,
  platform: Platform,
  { since, until }: Span = {},
): Promise<Gap[]> => store.gaps({ platform, limit: MOST_GAPS, ...(since && { since }), ...(until && { until }) });

/** If no rule uses an upstream, nothing of it can be missing. */
export const completeThrough = async (
  { store, clock, matching }: Deps,
  platform: Platform,
): Promise<Date | undefined> => (matching.size(platform) === 0 ? clock.now() : store.coverage(platform));

export const gapToJson = ({ platform, from, to, cause, recovered }: Gap): z.input<typeof listedGap> => ({
  platform,
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
  cause,
  recovered,
});
