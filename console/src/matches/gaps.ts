/** The gaps of the platforms as spans to shade. */
import type { Span } from '../chart/chart.tsx';
import type { Platform, Status } from '../data/queries.ts';
import { endOf } from '../status/health.ts';

const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

/** The gaps in which events are missing to this day, of one rule or of everything. */
export const missingSpans = (
  status: Status | undefined,
  { platforms = PLATFORMS, ruleId, now }: { platforms?: readonly Platform[]; ruleId?: string; now: number },
): Span[] =>
  platforms
    .flatMap((name) => status?.platforms[name]?.gaps ?? [])
    .filter(({ recovered, rule_id }) => !recovered && (rule_id === undefined || rule_id === ruleId))
    .map((gap) => ({ from: Date.parse(gap.from), to: endOf(gap, now) }));
