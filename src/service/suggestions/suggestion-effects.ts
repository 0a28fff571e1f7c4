/**
 * Measures what changed texts would have done to a rule's rated and recent matches, and to recent events. The engine
 * decides.
 */
import type { z } from 'zod';
import type { StoredMatch } from '../../domain/match.ts';
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { upperShare } from '../../signal/exclusions.ts';
import type { RecentEvent } from '../../store/store.ts';
import { overRecent, type RecentWalk } from '../previews/try-on-recent.ts';
import { judgeTexts, type RatedMatches, type Trial } from './rated-matches.ts';
import type { suggestion } from './suggestion-shapes.ts';

/** The part of an effect that the matches of the rule tell. */
export type Effect = Omit<z.input<typeof suggestion>['effect'], 'recent_added' | 'demo_added'>;

export interface Measured {
  readonly effect: Effect;
  /** Relevant matches that the changed text does not match. */
  readonly lost: readonly StoredMatch[];
  /** Recent matches without a rating that it does not match. */
  readonly unrated: readonly StoredMatch[];
}

type OneTrial = Omit<Trial, 'queries' | 'now'>;

export interface ChangedQuery {
  readonly query: Query;
  /** How many terms were chosen because they take nothing that is known to be wanted. */
  readonly chosen: number;
}

/** One for each changed text. Counted are the matches that the rule's text of now matches. */
export function effectsOf(
  trial: OneTrial,
  current: Query,
  changed: readonly ChangedQuery[],
  rated: RatedMatches,
): Measured[] {
  const queries = [current, ...changed.map(({ query }) => query)];
  const of = (matches: readonly StoredMatch[]) => judged({ ...trial, queries }, matches);
  const [relevant, irrelevant, recent] = [of(rated.relevant), of(rated.irrelevant), of(rated.recent)];
  return changed.map(({ chosen }, at) => {
    const lost = relevant.filter(({ numbers }) => !numbers.has(at + 1)).map(({ match }) => match);
    const removed = recent.filter(({ numbers }) => !numbers.has(at + 1)).map(({ match }) => match);
    const unrated = removed.filter(isUnrated);
    const unratedTotal = recent.filter(({ match }) => isUnrated(match)).length;
    return {
      effect: {
        irrelevant_removed: irrelevant.filter(({ numbers }) => !numbers.has(at + 1)).length,
        irrelevant_total: irrelevant.length,
        relevant_lost: lost.length,
        relevant_total: relevant.length,
        recent_removed: removed.length,
        recent_total: recent.length,
        unrated_removed: unrated.length,
        unrated_total: unratedTotal,
        ...lossBound(lost.length + UNSEEN_BY_TERM * chosen, relevant.length, unrated.length, unratedTotal),
      },
      lost,
      unrated,
    };
  });
}

const isUnrated = ({ rating }: StoredMatch): boolean => rating === undefined;

/** A term that was chosen among many for what it does not take, takes more than was seen: so many matches. */
const UNSEEN_BY_TERM = 0.5;

/**
 * How much may be lost at most. The ratings say so, and so do all matches that may be wanted: with those that nobody has rated, each
 * of which counts as wanted. Each of the two is a bound by itself.
 */
function lossBound(lost: number, relevant: number, removed: number, unrated: number) {
  const byRatings = upperShare(lost, relevant);
  const byAll = upperShare(lost + removed, relevant + unrated);
  return byRatings <= byAll
    ? { relevant_lost_upper: byRatings, relevant_lost_basis: 'rated' as const }
    : { relevant_lost_upper: byAll, relevant_lost_basis: 'unrated' as const };
}

/** As of when each of them came. */
function judged(trial: Omit<Trial, 'now'>, matches: readonly StoredMatch[]) {
  const numbers = judgeTexts(
    { ...trial, now: matches.map(({ createdAt }) => createdAt.getTime()) },
    matches.map(({ payload }) => payload),
  );
  return matches.flatMap((match, at) => (numbers[at]?.includes(0) ? [{ match, numbers: new Set(numbers[at]) }] : []));
}

export interface QueryPair {
  readonly was: Query;
  readonly now: Query;
  /** Only events since then count. */
  readonly since: number;
}

export interface Compared {
  /** Recent events that the first query matches, that both match, and that the second one matches. */
  readonly before: number;
  readonly both: number;
  readonly after: number;
  /** The demo feed invented so many of the events that the second query alone matches. */
  readonly invented: number;
}

/** Two queries side by side on the recent events: one walk for all pairs. */
export async function compareOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  { platform, ...walk }: Pick<Trial, 'platform'> & RecentWalk,
  pairs: readonly QueryPair[],
): Promise<Compared[]> {
  const counts = pairs.map(() => ({ before: 0, both: 0, after: 0, invented: 0 }));
  const analyze = newAnalyzer(platform);
  await overRecent(recent, walk, ({ event, at }) => {
    const view = analyze(event.payload);
    if (isRejection(view)) return;
    const lookup = new ViewLookup(view, at.getTime());
    for (const [number, pair] of pairs.entries()) {
      if (at.getTime() < pair.since) continue;
      const [was, is] = [queryHolds(pair.was, lookup), queryHolds(pair.now, lookup)];
      if (was) counts[number]!.before++;
      if (is) counts[number]!.after++;
      if (was && is) counts[number]!.both++;
      if (is && !was && isDemo(event)) counts[number]!.invented++;
    }
  });
  return counts;
}
