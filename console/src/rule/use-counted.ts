/** The counts of a rule's matches on a platform, hour by hour: the measure of what its versions have changed. */
import { useMemo } from 'react';
import { type Change, type Platform, type Rule, useMatchCounts, useStatus } from '../data/queries.ts';
import { keptSince } from '../matches/filter.ts';
import { missingSpans } from '../matches/gaps.ts';
import { byServer } from '../ui/server-now.ts';
import type { Counted } from './effect.ts';

const HOUR = 3_600_000;
/** The server counts no more intervals at once. */
const MOST_HOURS = 1_999;
/** The server lists no more gaps: there may be others before them. */
const MOST_GAPS = 100;

export interface Loaded {
  readonly changes: readonly Change[];
  /** There are older ones. */
  readonly hasMore: boolean;
}

/** Returns undefined until everything is loaded, and null if it is not on record when the platform was listened to. */
export function useCounted(rule: Rule, platform: Platform, { changes, hasMore }: Loaded): Counted | null | undefined {
  const { data: status, dataUpdatedAt } = useStatus();
  const now = byServer(dataUpdatedAt);
  const hour = Math.floor(now / HOUR) * HOUR;
  const oldest = changes.at(-1)?.at;
  const floor = Math.max(
    hour - MOST_HOURS * HOUR,
    Date.parse(rule.created_at),
    keptSince(status?.retention_days, hour) ?? 0,
    // Nothing is known yet of changes before the oldest one that is loaded.
    hasMore && oldest !== undefined ? Date.parse(oldest) : 0,
  );
  const from = new Date(Math.floor(floor / HOUR) * HOUR).toISOString();
  const { data } = useMatchCounts(
    { rule_id: rule.id, platform, interval: 'hour', from },
    { enabled: status !== undefined },
  );
  return useMemo(() => {
    const on = status?.platforms[platform];
    if (data === undefined || on === undefined) return undefined;
    const { complete_from, complete_through } = on.coverage;
    if (complete_from === null) return null;
    const unlisted = on.gaps.length < MOST_GAPS ? 0 : Date.parse(on.gaps.at(-1)!.from);
    return {
      counts: data.counts,
      missing: missingSpans(status, { platforms: [platform], ruleId: rule.id, now }),
      from: Math.max(floor, Date.parse(complete_from), unlisted),
      to: complete_through === null ? now : Date.parse(complete_through),
    };
  }, [data, status, platform, rule.id, now, floor]);
}
