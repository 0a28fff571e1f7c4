/** Coverage for callers that wait or stream: as it is now, with the gaps of the last hour. */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Assessment } from './assess.ts';
import type { CoverageAssessor } from './coverage.ts';

/** A gap that ended before this is no news to a caller that listens. */
const RECENT_MS = 3_600_000;

interface Deps {
  readonly store: Pick<Store, 'rule'>;
  readonly clock: Clock;
  readonly coverage: CoverageAssessor;
}

interface Wanted {
  readonly platform?: Platform | undefined;
  /** More than one, whatever the account has rules on. */
  readonly platforms?: readonly Platform[] | undefined;
  readonly ruleId?: string | undefined;
}

export async function recentCoverage(
  { store, clock, coverage }: Deps,
  accountId: string,
  { platform, platforms: named, ruleId }: Wanted,
): Promise<AssessmentJson> {
  const rule = ruleId === undefined ? undefined : await store.rule(accountId, ruleId);
  const platforms = named ?? (await coverage.platformsOf(accountId, { platform, rule }));
  const gapsSince = new Date(clock.now().getTime() - RECENT_MS);
  return assessmentToJson(
    await coverage.of({ accountId, platforms, rule, gapsSince, hasAllRules: rule === undefined }),
  );
}

export type AssessmentJson = ReturnType<typeof assessmentToJson>;

export const assessmentToJson = ({ complete, from, through, reasons }: Assessment) => ({
  complete,
  complete_from: from?.toISOString() ?? null,
  complete_through: through?.toISOString() ?? null,
  reasons: [...reasons],
});
